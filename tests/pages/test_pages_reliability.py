"""The pages of reliability, agreement and topics, run in memory by Streamlit's
AppTest.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from irmeval.reading.score_matrix import Matrix
from irmeval.ui.state.dataset import Dataset
from tests import dashboard
from tests.dashboard import LESS, fine, pick_view, texts

CHARTS = {
    "measures/stability": 1,
    "measures/swap": 3,
    "measures/scorecard": 1,
    "measures/agreement": 1,
    "measures/rankings": 3,
    "measures/gains": 4,
    "runs/topics": 3,
}
"""Page -> charts that it shows."""


TEN = {"topics_only": "901-910"}


def opened(
    page: str, charts: int = 1, address: Mapping[str, str] | None = None, **state: object
) -> AppTest:
    """A page once all its charts are there; computing goes on behind it meanwhile."""
    return awaited(
        dashboard.opened(
            f"pages/{page}.py",
            {"measures": ["AP", "nDCG", "Q"]} | LESS | {**(address or {})},
            **state,
        ),
        charts,
    )


def awaited(app: AppTest, charts: int) -> AppTest:
    assert len(fine(app).get("plotly_chart")) >= charts
    return app


@pytest.mark.parametrize(("page", "charts"), CHARTS.items())
def test_page_when_opened_then_it_says_what_it_shows_and_draws_it(page, charts):
    app = opened(page, charts, TEN)
    assert len(app.get("plotly_chart")) == charts
    assert "synthetic" in app.main.caption[-1].value
    assert len(app.caption) > charts


@pytest.mark.parametrize("page", ["measures/stability", "measures/swap", "runs/topics"])
def test_page_when_a_score_matrix_is_loaded_then_it_works_on_that(page):
    values = np.random.default_rng(1).random((4, 10))
    desk = Dataset(
        matrices=(Matrix("my scores", ("a", "b", "c", "d"), tuple(map(str, range(10))), values),)
    )
    app = opened(page, CHARTS[page], desk=desk)
    assert "my scores" in texts(app)


def test_own_gains_when_typed_then_a_fifth_map_is_tried_and_nonsense_is_refused():
    app = opened("measures/gains", 4, TEN)
    app.text_input(key="gains.gains_own").set_value("1:1,2:9,3:9").run()
    app = awaited(app, 3)
    pick_view(app, "Table")
    assert "your own" in set(fine(app).dataframe[0].value["gains"])
    app.text_input(key="gains.gains_own").set_value("nonsense").run()
    assert not app.exception
    assert "expected grade\\:gain" in app.error[0].value


def test_gains_when_no_measure_tells_grades_apart_then_the_page_says_what_to_add():
    app = opened("measures/agreement", address=TEN)
    app.sidebar.multiselect(key="measures").set_value(["AP", "P@10"]).run()
    app.switch_page("pages/measures/gains.py").run()
    assert any("Add nDCG or Q" in i.value for i in fine(app).info)


def test_scorecard_when_shown_then_it_is_a_table_with_a_row_per_measure_and_links_to_pages():
    app = opened("measures/scorecard", address=TEN)
    assert not app.dataframe  # which is sent once it is asked for
    pick_view(app, "Table")
    assert set(fine(app).dataframe[0].value["measure"]) == {"AP", "nDCG", "Q"}
    # and next steps, the tour, and one in the sidebar
    assert len(app.get("page_link")) == 8 + 3 + 2
