"""The page of estimates: samples alone, or beside a cheap judge's grades of everything."""

from irmeval.collection import Collection
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import judges
from irmeval.ui.widgets import answer, experiment, form, session

FROM = {"alone": "a sample alone", "beside": "a sample and a cheap judge"}


def page() -> None:
    """The whole page."""
    experiment.begin("estimates")
    collection: Collection | None = None
    cheap = ""
    with answer.line():
        help = "A cheap judge, such as a language model, grades all of the pool; a sample corrects that."
        use = form.pick_one("From", FROM, "estimates_from", help)
    if use == "beside":
        session.check_lists()
        if (collection := judges.pick_for(session.loaded().collection)) is None:
            return
        others = collection.judges[1:]
        with answer.line():
            cheap = form.choose("Cheap judge", others, key="estimates_cheap", width=judges.WIDE) if len(others) > 1 else others[0]
    with answer.settings() as said:
        params = form.params(EXPERIMENTS["estimates"].params, "", more=("level", "axis"), said=said, cheap=cheap)
    if result := experiment.run("estimates", form.measures(), params, on=collection):
        experiment.present("estimates", result, notes={"cheap judge": cheap} if cheap else {}, on=collection)
