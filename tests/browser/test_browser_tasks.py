"""Tasks of a new user in a real browser, and how many clicks they take."""

from playwright.sync_api import Page, expect

from irmeval.experiments import EXPERIMENTS
from tests.cases import SAMPLE, read_once
from tests.driving import finish, go_beside, settle

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


def test_judge_when_simulated_on_one_page_then_is_on_the_others_too(server, page):
    page.goto(f"{server}/judges?topics_only=901-906&random_runs=6&measures=AP")
    settle(page)
    page.get_by_role("button", name="Try a simulated judge").click()
    verdict = page.locator(".st-key-verdict-page")
    expect(verdict).to_contain_text("lenient (simulated)")
    finish(page)
    for name, chart in (("Systems", "means"), ("Holes", "tau"), ("Audit", "top")):
        go_beside(page, name, f".st-key-chart-{name.lower()}-{chart}")
        expect(verdict).to_contain_text("lenient (simulated)")
        finish(page)
    expect(page.get_by_text("Only one judge is loaded.")).to_have_count(0)
