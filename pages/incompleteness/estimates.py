"""Estimates: results from the collection's own sample; or a comparison of estimates
from samples of the judgments with the truth.
"""

from irmeval.ui.pages import choose_judge, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form

FROM = {"alone": "a sample alone", "beside": "a sample and a cheap judge"}


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("estimates")
    if view.selected().collection.design:
        experiment.block(view, "own-sample")
    else:
        collection, cheap = None, ""
        with answer.controls():
            help = (
                "A cheap judge, such as a language model, grades the whole pool; a sample corrects"
                " it."
            )
            use = form.pick_one("From", FROM, "estimates_from", help)
        if use == "beside":
            collection, cheap = choose_judge.pick_one(view, "Cheap judge", "estimates_cheap")
        experiment.block(
            view,
            "estimates",
            seldom=("level", "axis", "seed", "quantile"),
            decided={"cheap": cheap},
            on=collection,
        )


draw(frame.view())
