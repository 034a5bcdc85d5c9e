"""Estimates: what estimators make of samples of the judgments, held against the truth on all of them."""

from irmeval.ui.pages import judges
from irmeval.ui.widgets import answer, experiment, form

FROM = {"alone": "a sample alone", "beside": "a sample and a cheap judge"}

experiment.show_question("estimates")
collection, cheap = None, ""
with answer.settings_line():
    help = "A cheap judge, such as a language model, grades all of the pool; a sample corrects that."
    use = form.pick_one("From", FROM, "estimates_from", help)
if use == "beside":
    collection, cheap = judges.pick_one("Cheap judge", "estimates_cheap")
notes = {"cheap judge": cheap} if cheap else {}
experiment.block("estimates", seldom=("level", "axis", "seed"), decided={"cheap": cheap}, on=collection, notes=notes)
