"""The page of orders of judging: by budget, by the judge that drives the order, and for
a team that is left out.
"""

import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once
from tests.dashboard import fine, opened, texts

pytestmark = pytest.mark.usefixtures("files_read_once")
FEW = {"topics_only": "901-903", "depth": "50", "measures": ["AP", "P@5"], "orders_trials": "1"}


def test_page_when_opened_then_begins_with_what_is_found_and_draws_the_measure_that_is_picked():
    app = fine(opened("pages/planning/orders.py", {**FEW, "measure": "P@5", "view": "Table"}))
    said = texts(app)
    few = select(read_once(*SAMPLE, depth=50), Selection(topics_only="901-903")).collection
    assert EXPERIMENTS["orders"](few, ["P@5"], trials=1).verdict().claim in said
    # and none of significant pairs, as there are none by P@5
    assert len(app.get("plotly_chart")) == 5
    assert "Most places that a run falls by P@5" in said


def test_page_when_another_judge_drives_the_orders_then_says_what_the_first_would_have_found():
    app = fine(
        opened(
            "pages/planning/orders.py",
            {**FEW, "orders_driven": "another judge", "other": "Simulated"},
        )
    )
    assert "most: driven by the first judge, it would have found" in texts(app)


def test_page_when_it_shows_fairness_then_says_what_a_team_loses_that_did_not_contribute():
    app = fine(
        opened(
            "pages/planning/orders.py",
            {**FEW, "orders_show": "Fairness", "fairness_budgets": ["20"]},
        )
    )
    assert "At 20% of the pool, " in texts(app)
    assert "a run without its team loses least AP with" in texts(app)
    assert len(app.get("plotly_chart")) == 4
