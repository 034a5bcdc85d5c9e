"""Reliability and agreement in a real browser."""

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import expect

from irmeval.experiments.measures.stability import Params, stability
from irmeval.experiments.measures.swap import Params as SwapParams
from irmeval.experiments.measures.swap import swap
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once
from tests.driving import DRAWN, SIZE, box, go, go_beside, plotted, settle, show

FEW = Selection(topics_only="901-925", random_runs=12)


def test_reliability_when_followed_from_link_to_scorecard_then_plots_hold_the_numbers_of_the_package(server, page):
    c = select(read_once(*SAMPLE), FEW).collection
    measures = ["AP", "nDCG"]
    # a link restores every control
    of = f"topics_only={FEW.topics_only}&random_runs={FEW.random_runs}"
    page.goto(
        f"{server}/stability?measures=AP&measures=nDCG&stability.size=10&stability.sets=200"
        f"&stability.replacement=with&stability.seed=3&{of}"
    )
    shown = plotted(page, "chart-stability-curves")
    settle(page)
    expected = stability(c, measures, Params(size=10, sets=200, replacement="with", seed=3)).counts.minority_rate
    for measure, value in zip(measures, expected, strict=True):
        np.testing.assert_allclose(shown[measure], value, atol=1e-12)
    expect(page.get_by_text("depth 1000 · 10 topics per set")).to_be_visible()
    # a control changes the link
    page.get_by_role("button", name="Change", exact=True).click()
    page.locator(".st-key-stability-size input").fill("20")
    page.locator(".st-key-stability-size input").press("Enter")
    expect(page.get_by_text("depth 1000 · 20 topics per set")).to_be_visible()
    expect(page).to_have_url(re.compile("size=20"))
    # measures stay on the next page, whose charts stand one below the other where the screen is narrow
    page.set_viewport_size({"width": 1024, "height": 768})
    go_beside(page, "Swap", f".st-key-chart-swap-rates {DRAWN}")
    shown = plotted(page, "chart-swap-rates")
    expected = swap(c, measures, SwapParams()).rates.rate
    for measure, value in zip(measures, expected, strict=True):
        np.testing.assert_allclose(shown[measure], value, atol=1e-12)
    charts = page.get_by_test_id("stPlotlyChart")
    show(page, "chart-swap-errors")
    expect(charts).to_have_count(3)  # the last is of the pairs
    first, second = box(charts.nth(0)), box(charts.nth(1))
    assert first["x"] == second["x"]
    assert min(first["width"], second["width"]) > 600
    page.set_viewport_size(SIZE)
    page.get_by_text("Download", exact=True).first.click()
    with page.expect_download() as started:
        page.locator(".st-key-swap-measures-csv button").click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert lines[0].startswith("measure,required difference")
    assert len(lines) == 3
    # from the scorecard to the page behind a column
    go(page, "Measures", "Scorecard", "text=Each measure by each criterion")
    page.get_by_test_id("stMain").get_by_role("radio", name="Table", exact=True).click()
    page.get_by_test_id("stMain").get_by_role("link", name="minority rate at 10% ties", exact=True).click()
    page.wait_for_selector("text=Would other topics agree?")
    settle(page)
    expect(page).to_have_url(re.compile(r"/stability(\?|$)"))
    # and by a click on a figure, in the table that is still open
    go(page, "Measures", "Scorecard", "text=Each measure by each criterion")
    (drawn := page.locator(".st-key-scorecard").get_by_test_id("stDataFrame")).scroll_into_view_if_needed()
    table = box(drawn)
    page.mouse.click(table["x"] + table["width"] - 20, table["y"] + 50)
    page.wait_for_selector("text=How large must a difference be?")
    settle(page)
    expect(page).to_have_url(re.compile(r"/swap(\?|$)"))
