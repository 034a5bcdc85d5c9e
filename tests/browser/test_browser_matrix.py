"""The pages under Matrix in a real browser: the matrix and what a click in it
opens, read back from the plots.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from irmeval.experiments.runs.matrix import matrix
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once
from tests.driving import FRESH, PAGE, PATIENCE, drawings, finish, insist, settle

FEW = Selection(topics_only="901-920", random_runs=12)
"""What the matrix of the sample is made of; that of a file is large."""
CELLS = f".st-key-chart-matrix{FRESH} .js-plotly-plot"
TRACE = """([place, name]) => {
    const t = document.querySelector(place)._fullData.find(t => t.name === name);
    const rows = a => a && Array.from(a, r => Array.from(r));
    return {x: Array.from(t.x), y: Array.from(t.y), z: rows(t.z), customdata: rows(t.customdata)};
}"""
CENTRE = """([place, row, column]) => {
    const plot = document.querySelector(place), box = plot.getBoundingClientRect(),
        f = plot._fullLayout;
    return [box.x + f.xaxis._offset + f.xaxis.c2p(column),
        box.y + f.yaxis._offset + f.yaxis.c2p(row)];
}"""
BARS = (
    f"Array.from(document.querySelector('.st-key-chart-pair{FRESH}"
    " .js-plotly-plot')._fullData[0].y)"
)


def trace(page: Page, name: str) -> dict:
    """x, y, z and customdata of a trace of the matrix, as Plotly holds them."""
    page.wait_for_selector(f"{CELLS} .scatterlayer .trace", state="attached")
    return page.evaluate(TRACE, [CELLS, name])


def check_matrix(page: Page, source, measure: str, most: int) -> list[str]:
    """The matrix on the page is the package's; the runs in its order."""
    result = matrix(source, [measure])
    name = result.names[0]
    order = result.order(name)[:most]
    names, cells, marks = (
        [result.runs[r] for r in order],
        trace(page, "verdict"),
        trace(page, "pairs"),
    )
    assert cells["x"] == cells["y"] == names
    n = len(names)
    for i in range(0, n, 3):
        for j in range(0, n, 4):
            if i != j:
                found = result.pair(name, names[i], names[j])
                expected = [found.x.mean(), found.y.mean(), found.difference, *found.intervals]
                np.testing.assert_allclose(
                    marks["customdata"][i * n + j], expected, rtol=1e-5, atol=1e-6
                )
                assert cells["z"][i][j] == np.sign(found.difference) * (found.alone + found.at_once)
    return names


def click(page: Page, names: list[str], row: int, column: int) -> None:
    """Click a cell, once the label at the pointer is its own."""
    label = page.locator(".hovertext").filter(has_text=names[row]).filter(has_text=names[column])

    def move() -> None:
        page.mouse.move(1, 1)
        page.mouse.move(*page.evaluate(CENTRE, [CELLS, row, column]))

    insist(move, lambda: label.wait_for(timeout=PATIENCE // 6))
    x, y = page.evaluate(CENTRE, [CELLS, row, column])
    page.wait_for_timeout(300)  # what takes two clicks within 300 ms for a double click, Plotly
    page.mouse.click(x, y)
    page.wait_for_selector(f"text={names[row]} minus {names[column]}")
    settle(page)


@pytest.fixture(scope="module")
def sample():
    return select(read_once(*SAMPLE), FEW).collection


def test_matrix_when_linked_and_the_measure_changes_and_cells_are_clicked_then_has_the_numbers(
    server, page, sample
):
    drawn = drawings(page)
    a, b = sample.runs[:2]
    page.goto(
        f"{server}/matrix?topics_only={FEW.topics_only}&random_runs={FEW.random_runs}&measures=AP&measures=Q&measures=nDCG"
        f"&matrix.measure=nDCG&matrix.run_a={a}&matrix.run_b={b}"
    )
    page.wait_for_selector(f"text={a} minus {b}")
    finish(page)
    check_matrix(page, sample, "nDCG", 30)
    drawn.clear()
    page.locator(".st-key-matrix-measure").get_by_role("combobox").click()
    page.get_by_role("option", name="Q", exact=True).click()
    expect(page.get_by_text(matrix(sample, ["Q"]).verdict().claim)).to_be_visible()
    finish(page)
    names = check_matrix(page, sample, "Q", 30)
    assert drawn.count(PAGE) == 1  # beside those of pictures that give way to charts
    expect(page).to_have_url(re.compile("measure=Q"))
    for row, column in ((2, 9), (9, 4)):
        click(page, names, row, column)
        found = matrix(sample, ["Q"]).pair("Q", names[row], names[column])
        expect(page.get_by_test_id("stMain")).to_contain_text(found.verdict().claim)
        finish(page)
        shown = page.evaluate(BARS)
        np.testing.assert_allclose(shown, np.sort(found.z)[::-1], atol=1e-12)
    expect(page).to_have_url(
        re.compile(re.escape(f"matrix.run_a={names[9]}&matrix.run_b={names[4]}"))
    )
    # the column of the matrix has a part of a pixel
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.wait_for_function(
        "cells => (w => w < 540 && w % 1 === 0)(document.querySelector(cells).layout.width)",
        arg=CELLS,
    )


def test_matrix_when_of_many_runs_then_is_a_square_of_four_fifths_of_the_window(server, page):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server}/matrix?measures=AP&topics_only={FEW.topics_only}")
    page.wait_for_selector(f"{CELLS} .scatterlayer .trace", state="attached")
    settle(page)
    drawn = page.evaluate("cells => document.querySelector(cells)._fullLayout.width", CELLS)
    tall = page.evaluate("cells => document.querySelector(cells)._fullLayout.height", CELLS)
    assert (drawn, tall) == (720, 720)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(
        "cells => document.querySelector(cells)._fullLayout.height === 864", arg=CELLS
    )
