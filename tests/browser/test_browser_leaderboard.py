"""Leaderboard in a real browser: who is best by a measure, in three clicks."""

import re

from playwright.sync_api import expect

from irmeval.experiments import EXPERIMENTS
from tests.cases import SAMPLE, read_once
from tests.driving import settle

TABLE = ".st-key-board [data-testid=stDataFrame]"


def test_best_run_by_a_new_measure_when_looked_for_then_three_clicks_show_it(server, page):
    found = EXPERIMENTS["leaderboard"](read_once(*SAMPLE), ["AP", "nDCG@10"])
    page.goto(f"{server}/leaderboard?measures=AP")
    page.wait_for_selector(TABLE)
    settle(page)
    page.locator(".st-key-measures").get_by_role("combobox").fill("nDCG@10")
    page.keyboard.press("Enter")
    expect(page.locator(TABLE).get_by_role("columnheader", name="nDCG@10")).to_be_attached()
    settle(page)
    box = page.locator(f"{TABLE} canvas").first.bounding_box()
    # it is the last column but that of its marks, on a canvas without elements to click
    page.mouse.click(box["x"] + box["width"] * 0.85, box["y"] + 18)
    expect(page.get_by_test_id("stMain")).to_contain_text(found.verdict("nDCG@10").claim)
    expect(page).to_have_url(re.compile("in_detail=nDCG%4010"))
