"""The page of orders of judging: what each budget buys, by the judgments of one judge or another, and for a team that is left out."""

import streamlit as st

from irmeval.collection import Collection
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import judges
from irmeval.ui.widgets import answer, experiment, form, session

VIEWS = {"orders": "Budget", "order-fairness": "Fairness"}
SAID = {"orders": "what each budget buys", "order-fairness": "what it costs a team that did not contribute"}
OWN, OTHER = "own", "other"
DRIVERS = {OWN: "the first judge", OTHER: "another judge"}
SELDOM = ("unit", "seed", "pool", "memory", "beta", "p", "variant", "by", "k")


def page() -> None:
    """The whole page."""
    st.title("In which order should documents be judged?")
    collection: Collection | None = None
    driver = ""
    measures = form.measures()
    answer.line()
    below = st.container()
    with answer.settings() as said:
        name = form.pick_one("Shows", VIEWS, "orders_show", "What each budget buys; or what it costs a team that did not contribute.")
        said.append(SAID[name])
        if name == "orders":
            help = "Dynamic orders ask this judge which documents are relevant; runs are scored by the first judge all the same."
            by = form.pick_one("Driven by", DRIVERS, "orders_driven", help)
            said.append(f"driven by {DRIVERS[by]}")
            if by == OTHER:
                with below:
                    driver, collection = _another_judge()
                if collection is None:
                    return
        decided = {"driver": driver} if name == "orders" else {"team_rule": session.selection().team_rule}
        tested = ("test", "alpha", "correction") if name == "orders" else ()
        prefix = "orders_" if name == "orders" else "fairness_"
        params = form.params(EXPERIMENTS[name].params, prefix, more=(*SELDOM, *tested), said=said, **decided)
    with answer.line():
        shown = form.choose("Measure", [str(m) for m in measures], key="orders_measure", help="Whose charts are shown.", width=200)
    if result := experiment.run(name, measures, params, title="Orders", on=collection):
        notes = {"driven by": driver} if driver else {}
        experiment.present(name, result, charts_of=lambda made: made.charts_of(shown), notes=notes, on=collection)


def _another_judge() -> tuple[str, Collection | None]:
    """The judge who drives the orders, and the collection with their judgments; None where there is no other judge yet."""
    session.check_lists()
    if (collection := judges.pick_for(session.loaded().collection)) is None:
        return "", None
    others = collection.judges[1:]
    with answer.line():
        driver = form.choose("That judge is", others, key="orders_driver", width=judges.WIDE) if len(others) > 1 else others[0]
    return driver, collection
