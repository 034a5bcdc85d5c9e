"""Still pictures that stand where charts will be, while the browser loads what draws them."""

import re
from base64 import b64decode

import plotly.graph_objects as go

from irmeval.plots import theme
from irmeval.ui import stills
from tests.dashboard import fine, opened

STILL = re.compile(r"\.st-key-chart-([\w-]+):not.*?base64,([\w+/=]+)\)")


def pictures(app):
    """The still pictures of a page, by the chart's key."""
    return {chart: b64decode(text).decode() for html in app.get("html") for chart, text in STILL.findall(html.proto.body)}


def test_still_when_a_visit_opens_then_each_chart_has_one_and_on_the_next_page_none():
    app = fine(opened("pages/incompleteness/curves.py"))
    drawn = pictures(app)
    assert [*drawn] == ["incompleteness-mean", "incompleteness-tau"]
    assert all("RBP(p=0.95)" in picture for picture in drawn.values())
    assert pictures(fine(app.switch_page("pages/scores/topics.py").run())) == {}


def test_still_when_a_chart_is_of_a_kind_that_is_not_drawn_so_then_there_is_none(monkeypatch):
    monkeypatch.setattr(stills.st, "session_state", {"opens": True})
    assert (
        stills.behind("pie", go.Figure(go.Pie(values=[1]), theme.layout(xaxis={"range": [0, 1]}, yaxis={"range": [0, 1]})), wide=False)
        == ""
    )
