"""Margins of charts as Plotly finds them in a real browser, in the letters of the page."""

import json

from plotly.io import to_json
from plotly.offline import get_plotlyjs

from irmeval.experiments import EXPERIMENTS
from irmeval.plots.display import on_page
from irmeval.plots.row_charts import MANY
from tests.driving import settle
from tests.small_work import MEASURES, small, source, tied

WIDE = 916
"""Width of a chart in a window of 1280 pixels, where it stands alone."""
REDRAWN = """async ([figures, width]) => {
    await document.fonts.load('12px "Source Sans"');
    const place = document.body.appendChild(document.createElement("div")), found = {};
    for (const [name, {data, layout}] of Object.entries(figures)) {
        await Plotly.newPlot(place, data, {width, ...layout});
        const {margin, _size} = place._fullLayout;
        // as Plotly asks whether to draw all once more
        const short = [..."lrtb"].filter(side => Math.abs(_size[side] - margin[side]) > 1);
        if (short.length) found[name] = short.map(side => [side, margin[side], _size[side]]);
        Plotly.purge(place);
    }
    place.remove();
    return found;
}"""
"""Charts that Plotly draws twice, since margins are too small for what is in them: side,
pixels given, pixels needed.
"""


def charts_of(runs: int) -> dict[str, object]:
    """The charts of every experiment on so many runs, as a page has them."""
    c, drawn = tied(8, runs), {}
    for one in EXPERIMENTS.values():
        for chart in one(source(one, c), MEASURES, small(one)).charts():
            figure = to_json(on_page(chart.draw(), dark=False), validate=False)
            drawn[f"{one.name} {chart.name}, {runs} runs"] = json.loads(figure)
    return drawn


def test_charts_when_runs_are_few_or_many_then_margins_need_no_second_drawing(server, page):
    page.goto(server)
    settle(page)
    page.evaluate(get_plotlyjs())
    charts = charts_of(6) | charts_of(MANY + 1)
    assert len(charts) > 2 * len(EXPERIMENTS)
    assert page.evaluate(REDRAWN, [charts, WIDE]) == {}
