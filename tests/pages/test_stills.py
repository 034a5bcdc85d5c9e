"""Pictures in place of charts until the visitor looks at them."""

import re
from base64 import b64decode
from types import SimpleNamespace

import plotly.graph_objects as go
import pytest

from irmeval.plots import theme
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import stills, switches
from tests.dashboard import _later as later
from tests.dashboard import dashboard, fine, opened

STILL = re.compile(r'class="still" src="data:image/svg\+xml;base64,([\w+/=]+)" alt="\w.*" width="\d+" height="\d+"')


def pictures(app):
    """The still pictures of a page."""
    return [b64decode(text).decode() for html in app.get("html") for text in STILL.findall(html.proto.body)]


def test_later_when_a_page_opens_then_each_chart_is_a_picture_until_its_button_is_pressed():
    app = fine(opened("pages/agreement/rankings.py", stills=True))
    assert not app.get("plotly_chart")
    assert len(pictures(app)) == 3
    assert all("AP" in picture for picture in pictures(app))
    app.button(key="look-chart-rankings-slope").click().run()
    assert len(fine(app).get("plotly_chart")) == 1
    assert len(fine(app.run()).get("plotly_chart")) == 1  # and stays
    assert not fine(app.switch_page("pages/scores/topics.py").run()).get("plotly_chart")


def test_later_when_a_page_reads_what_is_selected_on_a_chart_then_the_page_is_drawn_with_the_chart():
    app = fine(opened("pages/scores/two-runs.py", stills=True))
    assert len(pictures(app)) == 1
    app.button(key="look-chart-two").click().run()
    assert len(fine(app).get("plotly_chart")) == 1
    assert any("Draw a box around bars" in caption.value for caption in app.caption)


def test_later_when_a_chart_is_of_a_kind_that_is_not_drawn_so_then_it_comes_at_once(monkeypatch):
    monkeypatch.setattr(stills.st, "session_state", {stills.LIVE: set()})
    pie = go.Figure(go.Pie(values=[1]), theme.layout(xaxis={"range": [0, 1]}, yaxis={"range": [0, 1]}))
    assert later("pie", pie, "A pie", lambda: "the chart", share=1) == "the chart"


def first_pictures(app):
    """The picture that a page begins with."""
    found = [text.proto.body for text in app.get("markdown") if text.proto.body.startswith("![](data:image/svg")]
    return [b64decode(text.removesuffix(")").split("base64,")[1]).decode() for text in found]


@pytest.fixture
def shown(monkeypatch):
    """What a visit that has just begun at the first screen is shown first, as it is before the page removes it again."""
    monkeypatch.setattr(stills, "_first", {})
    monkeypatch.setattr(
        stills, "keep_first_screen", lambda page, slot, keep=stills.keep_first_screen: keep(page, SimpleNamespace(empty=lambda: None))
    )
    stills.prepare([go.Figure(go.Scatter(x=[0, 1], y=[1, 2], line_color="#000000"), theme.layout(xaxis={}, yaxis={})) for _ in range(2)])
    return lambda app: first_pictures(fine(app.run()))


def test_first_when_somebody_comes_who_has_decided_nothing_then_pictures_are_there_before_anything_else(shown):
    (picture,) = shown(app := dashboard(stills=True))
    assert picture.count(f'y="{stills.ABOVE}"') == 2
    assert first_pictures(fine(app.run())) == []  # the charts are there by now


def test_first_when_it_is_not_what_they_would_see_then_there_is_none(shown):
    assert shown(dashboard(stills=True, visitor=Visitor(measures=["P@10"]))) == []
    assert shown(dashboard(stills=True, visitor=Visitor(habits={switches.LARGER: True}))) == []
    app = dashboard(stills=True)
    app.query_params["seed"] = "2"
    assert shown(app) == []
    assert first_pictures(opened("pages/scores/topics.py", stills=True)) == []


def test_first_when_the_page_is_drawn_then_its_pictures_are_kept_for_who_comes_next(monkeypatch):
    monkeypatch.setattr(stills, "_first", {})
    app = fine(dashboard(stills=True).run())
    (picture,) = stills._first.values()
    assert first_pictures(app) == []
    assert all(drawn.removeprefix("<svg ") in picture for drawn in pictures(app))
