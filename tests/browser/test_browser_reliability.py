"""Reliability and agreement in a real browser."""

import re

from playwright.sync_api import expect

from tests.driving import (
    DRAWN,
    PATIENCE,
    SIZE,
    box,
    finish,
    go,
    go_beside,
    insist,
    plotted,
    settle,
    show,
)


def test_reliability_when_followed_to_the_scorecard_then_measures_stay_and_columns_lead_to_pages(
    server, page
):
    # a link restores every control
    page.goto(
        f"{server}/stability?measures=AP&measures=nDCG&stability.size=10&topics_only=901-925&random_runs=12"
    )
    assert {*plotted(page, "chart-stability-curves")} == {"AP", "nDCG"}
    expect(page.locator(".st-key-in_force-page")).to_contain_text("10 topics per set")
    # a control changes the link
    page.get_by_role("button", name="Change", exact=True).click()
    page.locator(".st-key-stability-size input").fill("20")
    page.locator(".st-key-stability-size input").press("Enter")
    expect(page.locator(".st-key-in_force-page")).to_contain_text("20 topics per set")
    expect(page).to_have_url(re.compile("size=20"))
    # measures stay on the next page, whose charts stand one below the other where the screen is
    # narrow
    page.set_viewport_size({"width": 1024, "height": 768})
    go_beside(page, "Swap", f".st-key-chart-swap-rates {DRAWN}")
    assert {*plotted(page, "chart-swap-rates")} == {"AP", "nDCG"}
    charts = page.get_by_test_id("stPlotlyChart")
    show(page, "chart-swap-errors")
    expect(charts).to_have_count(3)  # the last is of the pairs
    first, second = box(charts.nth(0)), box(charts.nth(1))
    assert first["x"] == second["x"]
    assert min(first["width"], second["width"]) > 600
    page.set_viewport_size(SIZE)
    # from the scorecard to the page behind a column
    go(page, "Measures", "Scorecard", "text=Each measure by each criterion")
    # once, whatever is drawn meanwhile
    page.get_by_test_id("stMain").get_by_role("radio", name="Table", exact=True).click()
    page.get_by_test_id("stMain").get_by_role(
        "link", name="minority rate at 10% ties", exact=True
    ).click()
    page.wait_for_selector("text=Would other topics agree?")
    settle(page)
    expect(page).to_have_url(re.compile(r"/stability(\?|$)"))
    # and by a click on a figure, in the table that is still open
    go(page, "Measures", "Scorecard", "text=Each measure by each criterion")
    finish(page)
    drawn = page.locator(".st-key-scorecard").get_by_test_id("stDataFrame")

    def click() -> None:
        drawn.scroll_into_view_if_needed(timeout=PATIENCE)
        table = box(drawn)
        page.mouse.click(table["x"] + table["width"] - 20, table["y"] + 50)

    said = page.get_by_text("How large must a difference be?")
    insist(click, lambda: said.wait_for(timeout=PATIENCE))
    settle(page)
    expect(page).to_have_url(re.compile(r"/swap(\?|$)"))
