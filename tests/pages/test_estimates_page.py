"""The page of estimates: samples alone, and beside a cheap judge."""

import pytest

from tests.dashboard import fine, opened, texts

pytestmark = pytest.mark.usefixtures("files_read_once")
FEW = {"topics_only": "901-904", "depth": "50", "measures": ["P@5"], "trials": "1", "rates": ["50"]}


def test_page_when_a_cheap_judge_is_asked_for_then_says_what_has_least_error_and_draws_each_way():
    app = fine(opened("pages/incompleteness/estimates.py", FEW))
    assert "has the least error" not in texts(app)
    app = fine(
        opened(
            "pages/incompleteness/estimates.py",
            {**FEW, "estimates_from": "a sample and a cheap judge", "other": "Simulated"},
        )
    )
    assert "has the least error" in texts(app)
    assert "P@5, difference" in str([chart.proto for chart in app.get("plotly_chart")])
