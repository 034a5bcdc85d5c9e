"""Estimates: what the collection's own sample gives; or how estimates from samples of the judgments compare with the truth on all."""

from irmeval.ui.pages import choose_judge
from irmeval.ui.widgets import answer, experiment, form, session

FROM = {"alone": "a sample alone", "beside": "a sample and a cheap judge"}

experiment.show_question("estimates")
if session.loaded().collection.design:
    experiment.block("own-sample", pick=experiment.Pick("Estimator", "estimated_by", "The estimator that the chart shows."))
else:
    collection, cheap = None, ""
    with answer.settings_line():
        help = "A cheap judge, such as a language model, grades all of the pool; a sample corrects that."
        use = form.pick_one("From", FROM, "estimates_from", help)
    if use == "beside":
        collection, cheap = choose_judge.pick_one("Cheap judge", "estimates_cheap")
    notes = {"cheap judge": cheap} if cheap else {}
    experiment.block("estimates", seldom=("level", "axis", "seed", "quantile"), decided={"cheap": cheap}, on=collection, notes=notes)
