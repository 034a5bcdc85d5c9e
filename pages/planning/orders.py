"""Orders: how soon each order of judging finds relevant documents and ranks the runs
correctly, and its bias against a team left out.
"""

import streamlit as st

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.pages import choose_judge, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form

VIEWS = {"orders": "Budget", "order-fairness": "Fairness"}
SHOWN = {"orders": "results by budget", "order-fairness": "loss of a team left out"}
DRIVERS = {"own": "the first judge", "other": "another judge"}
SELDOM = ("unit", "seed", "pool", "memory", "beta", "p", "variant", "by", "k")


def draw(view: View) -> None:
    """Draw the page."""
    st.title("In which order should documents be judged?")
    collection, driver, measures = None, "", form.measures(view)
    with answer.body():
        # before the settings, since the page may stop within them
        below = st.container()
    with answer.settings() as in_force:
        name = form.pick_one(
            "Shows",
            VIEWS,
            "orders_show",
            "Relevant documents found at each budget; or loss of a team that did not contribute.",
        )
        in_force.append(SHOWN[name])
        if name == "orders":
            help = (
                "Dynamic orders learn relevance from this judge; runs are still scored by the first"
                " judge."
            )
            by = form.pick_one("Driven by", DRIVERS, "orders_driven", help)
            if by == "other":
                in_force.append(f"driven by {DRIVERS[by]}")
                with below:
                    collection, driver = choose_judge.pick_one(
                        view, "That judge is", "orders_driver"
                    )
            prefix, seldom, decided = "orders_", (*SELDOM, "test", "alpha"), {"driver": driver}
        else:
            prefix, seldom, decided = (
                "fairness_",
                SELDOM,
                {"team_rule": view.rules.team_rule},
            )
        params = form.params(
            EXPERIMENTS[name].params, prefix, seldom=seldom, in_force=in_force, **decided
        )
    if result := experiment.run(view, name, measures, params, title="Orders", on=collection):
        experiment.present(view, name, result, on=collection)


draw(frame.view())
