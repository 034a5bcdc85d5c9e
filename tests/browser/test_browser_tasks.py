"""Tasks of a new user in a real browser, and how many clicks they take."""

from playwright.sync_api import Page, expect

from irmeval.experiments import EXPERIMENTS
from tests.cases import SAMPLE, read_once
from tests.driving import finish

COUNT = "window.clicks = 0; addEventListener('click', ({isTrusted}) => clicks += isTrusted, true);"
CELLS = ".st-key-board [role=row][aria-rowindex='{}'] [role=gridcell]"
"""Of a row of the table, as a screen reader finds it; the heading is row 1."""


def cells(page: Page, place: int) -> list[str]:
    """The texts of the run at a place of the leaderboard."""
    return page.locator(CELLS.format(place + 1)).all_text_contents()


def test_task_when_it_is_the_best_run_by_a_measure_and_whether_it_beats_the_tenth_then_3_clicks(
    server, page
):
    page.add_init_script(COUNT)
    page.goto(server)
    finish(page)
    menu = page.get_by_test_id("stTopNavSection").filter(has_text="Runs")
    menu.click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text="Leaderboard").click()
    verdict = page.locator(".st-key-verdict-page")
    expect(verdict).to_contain_text("is best by AP")
    finish(page)
    page.locator(".st-key-measures").get_by_role("combobox").click()
    page.keyboard.type("nDCG@10")
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("best by nDCG@10")
    finish(page)
    expect(page.locator(CELLS.format(2)).first).to_be_attached()
    found = EXPERIMENTS["leaderboard"](read_once(*SAMPLE), ["nDCG@10"])
    best, *_, tenth = found.order("nDCG@10")[:10].tolist()
    _, first, *_ = cells(page, 1)
    _, other, _, _, mark, *_ = cells(page, 10)
    assert (first, other) == (found.scores.runs[best], found.scores.runs[tenth])
    assert mark == found.in_detail("nDCG@10").marks[0, tenth] == "▼"
    assert page.evaluate("clicks") == 3
