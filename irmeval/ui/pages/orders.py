"""The page of orders of judging: what each budget buys, by the judgments of one judge or another, and for a team that is left out."""

import streamlit as st

from irmeval.collection import Collection
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import judges
from irmeval.ui.widgets import answer, experiment, form, session

VIEWS = {"orders": "Budget", "order-fairness": "Fairness"}
OWN, OTHER = "own", "other"
SELDOM = ("unit", "seed", "pool", "memory", "beta", "p", "variant", "by", "k")


def page() -> None:
    """The whole page."""
    st.title("In which order should documents be judged?")
    collection: Collection | None = None
    driver = ""
    with answer.line():
        name = form.pick_one("Shows", VIEWS, "orders_show", "What each budget buys; or what it costs a team that did not contribute.")
        measures = form.measures()
        shown = form.pick_one("Measure", {str(m): str(m) for m in measures}, "orders_measure", "Whose charts are shown.")
    if name == "orders":
        with answer.line():
            help = "Dynamic orders ask this judge which documents are relevant; runs are scored by the first judge all the same."
            by = form.pick_one("Driven by", {OWN: "the first judge", OTHER: "another judge"}, "orders_driven", help)
        if by == OTHER:
            session.check_lists()
            if (collection := judges.pick_for(session.loaded().collection)) is None:
                return
            others = collection.judges[1:]
            with answer.line():
                driver = form.choose("That judge is", others, key="orders_driver", width=220) if len(others) > 1 else others[0]
    with answer.settings() as said:
        decided = {"driver": driver} if name == "orders" else {"team_rule": session.selection().team_rule}
        tested = ("test", "alpha", "correction") if name == "orders" else ()
        prefix = "orders_" if name == "orders" else "fairness_"
        params = form.params(EXPERIMENTS[name].params, prefix, more=(*SELDOM, *tested), said=said, **decided)
    if result := experiment.run(name, measures, params, title="Orders", on=collection):
        notes = {"driven by": driver} if driver else {}
        experiment.present(name, result, charts_of=lambda made: made.charts_of(shown), notes=notes, on=collection)
