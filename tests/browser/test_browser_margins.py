"""Margins of charts as Plotly finds them in a real browser, in the letters of the page."""

import json
from typing import Any

from plotly.io import to_json
from plotly.offline import get_plotlyjs

from irmeval.experiments import EXPERIMENTS
from irmeval.plots.canvas import TELEPHONE
from irmeval.plots.display import on_page
from irmeval.plots.row_charts import MANY
from tests.driving import settle
from tests.small_work import MEASURES, small, source, tied

TEXTS = ".xtick text, .ytick text, .legendtext, .annotation text, .textpoint text, .gtitle"
"""Selector of the texts around what a chart shows."""
WINDOWS = {916: 1280, 450: 1280, TELEPHONE: 390}
"""Width of a chart in pixels -> that of the window: of a chart that stands alone, of one
of two side by side, and of one on a telephone.
"""
DRAWN = """async ([figures, width]) => {
    await document.fonts.load('12px "Source Sans"');
    const place = document.body.appendChild(document.createElement("div"));
    place.style.cssText = "position: absolute; top: 0; left: 0";
    const twice = {}, touch = {}, cut = {};
    for (const [name, {data, layout}] of Object.entries(figures)) {
        await Plotly.newPlot(place, data, {width, ...layout});
        const {margin, _size} = place._fullLayout;
        // as Plotly asks whether to draw all once more
        const short = [..."lrtb"].filter(side => Math.abs(_size[side] - margin[side]) > 1);
        if (short.length) twice[name] = short.map(side => [side, margin[side], _size[side]]);
        const texts = [...place.querySelectorAll(TEXTS)]
            // the box of a text that leans is larger than the text
            .filter(text => !/rotate\\(-?[1-8]\\d\\D/.test(text.getAttribute("transform")))
            .map(text => [text.textContent.trim(), text.getBoundingClientRect()])
            .filter(([text, box]) => text && box.width);
        // above and below the letters of a line there is room, which two lines may share
        const over = ([, a], [, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 4
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
        const met = texts.flatMap((one, i) => texts.slice(i + 1).filter(other => over(one, other))
            .map(([other]) => [one[0], other].join(" | ")));
        if (met.length) touch[name] = met;
        const end = place._fullLayout.width + 1;
        const beyond = texts.filter(([, box]) => box.left < -1 || box.right > end);
        if (beyond.length) cut[name] = beyond.map(([text]) => text);
        Plotly.purge(place);
    }
    place.remove();
    return {twice, touch, cut};
}""".replace("TEXTS", repr(TEXTS))
"""Charts that Plotly draws twice, since margins are too small for what is in them: side,
pixels given, pixels needed; texts of axes, legends and beside lines that touch; and those
that are beyond an edge.
"""


def charts_of(runs: int) -> dict[str, dict[str, Any]]:
    """The charts of every experiment on so many runs, as a page has them."""
    c, drawn = tied(8, runs), {}
    for one in EXPERIMENTS.values():
        for chart in one(source(one, c), MEASURES, small(one)).charts():
            figure = to_json(on_page(chart.draw(), dark=False), validate=False)
            drawn[f"{one.name} {chart.name}, {runs} runs"] = json.loads(figure)
    return drawn


def is_not_of_cells(named: tuple[str, dict[str, Any]]) -> bool:
    """Whether a chart is none of cells: a narrow window turns the names above these, for
    which a wide one would have an empty band.
    """
    return all(trace["type"] != "heatmap" for trace in named[1]["data"])


def test_charts_when_windows_differ_then_margins_need_no_second_drawing_and_texts_keep_apart(
    server, page
):
    page.goto(server)
    settle(page)
    page.evaluate(get_plotlyjs())
    charts = charts_of(6) | charts_of(MANY + 1)
    assert len(charts) > 2 * len(EXPERIMENTS)
    found = {}
    for width, window in WINDOWS.items():
        page.set_viewport_size({"width": window, "height": 844})
        shown = charts if width == max(WINDOWS) else dict(filter(is_not_of_cells, charts.items()))
        found[width] = page.evaluate(DRAWN, [shown, width])
    assert found == {width: {"twice": {}, "touch": {}, "cut": {}} for width in WINDOWS}
