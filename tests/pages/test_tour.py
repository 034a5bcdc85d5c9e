"""New visitors: the introduction, the tour, and the first screen."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.core.folders import page_scripts
from irmeval.plots import axes, display
from irmeval.ui.pages import frame, palette
from irmeval.ui.state.mailboxes import OpenTab
from irmeval.ui.widgets import switches
from tests.dashboard import LESS, dashboard, fine, links, opened, texts

COOKIE = "n" * 32


def steps(app) -> str:
    """What the tour says, if it is there."""
    return " ".join(m.value for m in app.main.markdown if " of 6**" in m.value)


def asked(**state) -> AppTest:
    """The first screen of who takes the tour."""
    app = dashboard(**state)
    app.query_params[palette.ASKED] = "1"
    app = fine(app.run())
    assert "1 of 6" in steps(app)
    return app


def offered(app) -> list[str]:
    # without those under a finding
    return [link.label for link in links(app) if "**" not in link.label]


def test_first_screen_when_opened_then_says_what_this_is_and_where_to_go_on_with_four_measures():
    app = fine(dashboard().run())
    assert palette.INTRODUCTION in texts(app)
    assert not steps(app)
    assert offered(app) == ["Use my files", "Teach a class", "Take the tour"]
    assert app.session_state["measures"] == ["AP", "AP'", "nDCG'", "RBP(p=0.95)"]
    assert not app.info
    assert len(app.get("plotly_chart")) == 2


@pytest.mark.parametrize(
    ("page", "query"),
    [("pages/incompleteness/curves.py", {"trials": "3"}), ("pages/runs/matrix.py", {})],
)
def test_page_when_opened_by_an_address_then_there_is_no_tour(page, query):
    app = fine(opened(page, query, tab=OpenTab(first_screen=False)))
    assert not steps(app)
    assert "synthetic" in app.main.caption[-1].value


def test_collection_page_when_it_says_that_the_sample_is_synthetic_then_does_not_lead_to_itself():
    for page, where in (
        ("pages/data/collection.py", "below"),
        ("pages/runs/matrix.py", "on the page *Collection*"),
    ):
        app = fine(opened(page, tab=OpenTab(first_screen=False)))
        assert f"drop your own files {where}." in app.main.caption[-1].value


def test_tour_when_taken_then_each_step_stands_on_its_page_and_the_last_ends_it():
    app = asked(measures=["AP", "Q"])
    for i, address in enumerate([*palette.STEPS][1:], 2):
        fine(app.switch_page(str(page_scripts()[address].relative_to(frame.PAGES.parent))).run())
        assert f"{i} of 6" in steps(app)
        assert offered(app) == (["Back", "Next"] if i < 6 else ["Back"])
    app.button(key="tour_end").click().run()
    assert not steps(fine(app))


def test_tour_when_its_visitor_goes_elsewhere_then_it_ends():
    app = asked(measures=["AP"])
    fine(app.switch_page("pages/learn/catalogue.py").run())
    fine(app.switch_page("pages/learn/glossary.py").run())
    assert not steps(app)


def _height_of_chart(app: AppTest) -> float:
    return json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]["height"]


def test_type_when_larger_then_text_and_figures_are_and_it_stays_so():
    cookie = COOKIE.replace("n", "m")
    app = fine(dashboard(cookie=cookie, measures=["AP"]).run())
    usual = _height_of_chart(app)
    app.toggle(key=switches.LARGER).set_value(True).run()
    for shown in (fine(app), fine(dashboard(cookie=cookie).run())):
        assert any(switches.STYLES["larger"] in html.proto.body for html in shown.get("html"))
        assert _height_of_chart(shown) == usual * display.LARGER


def test_style_sheets_when_sent_then_they_have_rules_and_no_comments():
    assert all("{" in style and "/*" not in style for style in switches.STYLES.values())
    file = (switches.FOLDER / "dashboard.css").read_text(encoding="utf-8")
    assert len(switches.STYLES["dashboard"]) < len(file) - 2000


def test_axes_when_from_0_then_they_are_on_screen_and_the_address_keeps_it():
    few = {"measures": ["AP", "AP'"], "view": "Method", **LESS}
    near, zero = (
        fine(opened("pages/incompleteness/curves.py", few | more))
        for more in ({}, {"axes": "at 0"})
    )
    ends = [
        json.loads(app.get("plotly_chart")[1].proto.spec)["layout"]["yaxis"]["range"][0]
        for app in (near, zero)
    ]
    assert ends[0] > 0.1
    assert ends[1] == 0
    assert switches.NEAR.strip() in texts(near)
    assert switches.NEAR.strip() not in texts(zero)
    assert "axes" in zero.query_params
    app = fine(zero.switch_page("pages/runs/topics.py").run())
    assert app.session_state["axes"] == axes.ZERO
    assert "axes" in app.query_params


def test_figure_when_enlarged_then_pixels_are_and_values_are_not():
    figure = {
        "data": [
            {"x": [1, 2], "marker": {"size": [4, 8]}, "line": {"width": 2}},
            {"type": "bar", "width": 0.5},
        ],
        "layout": {
            "height": 100,
            "margin": {"l": 60},
            "xaxis": {"range": [0, 9]},
            "annotations": [{"x": 1, "font": {"size": 13}}],
        },
    }
    larger = display.enlarged(figure)
    assert larger["data"] == [
        {"x": [1, 2], "marker": {"size": [5, 10]}, "line": {"width": 2.5}},
        {"type": "bar", "width": 0.5},
    ]
    assert larger["layout"] == {
        "height": 125,
        "margin": {"l": 75},
        "xaxis": {"range": [0, 9]},
        "annotations": [{"x": 1, "font": {"size": 16.25}}],
        "font": {"size": 15},
    }
