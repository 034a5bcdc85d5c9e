"""What is picked on a chart, in a real browser: a run is highlighted on its page,
topics are listed.
"""

import math
import re

from playwright.sync_api import Locator, Page, expect

from tests.driving import DRAWN, PATIENCE, box, finish, go, insist, settle, visitor

FEW = "measures=AP&topics_only=901-920&random_runs=8"


LINES = ".st-key-chart-unjudged-shares .js-plotly-plot"
POINTS = """chart => {
    const {xaxis, yaxis} = chart._fullLayout;
    return chart.data.flatMap(trace => Array.from(trace.x, (x, i) => ({
        run: trace.text?.[i] ?? trace.name,
        is_thin: Boolean(trace.text),
        y: trace.y[i],
        left: xaxis._offset + xaxis.d2p(x),
        top: yaxis._offset + yaxis.d2p(trace.y[i]),
    }))).filter(point => Number.isFinite(point.left) && Number.isFinite(point.y));
}"""
"""The points of all lines, in pixels from the corner of their chart."""


def thin_points(page: Page) -> list[dict]:
    """The point of each line without a name that is farthest from those of other lines;
    the farthest of all is first.
    """
    points = page.locator(LINES).evaluate(POINTS)

    def apart(one: dict) -> float:
        others = (point for point in points if point["run"] != one["run"])
        return min(math.dist(place(one), place(point)) for point in others)

    farthest: dict[str, dict] = {}
    for point in sorted(points, key=apart, reverse=True):
        if point["is_thin"]:
            farthest.setdefault(point["run"], point)
    return [*farthest.values()]


def place(point: dict) -> tuple[float, float]:
    return point["left"], point["top"]


def test_run_when_its_thin_line_is_clicked_then_it_is_highlighted_until_escape_or_another_page(
    server, page
):
    page.goto(f"{server}/unjudged?{FEW}")
    page.wait_for_selector(DRAWN)
    finish(page)
    first, second = thin_points(page)[:2]  # of one trace
    click(page, first)
    expect(page).to_have_url(re.compile(rf"[?&]runs=highlight\+{first['run']}(&|$)"))
    settle(page)
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("[?&]runs="))
    settle(page)
    # another: a slow browser may still hold the first one picked, and would let it go
    click(page, second)
    expect(page).to_have_url(re.compile(rf"[?&]runs=highlight\+{second['run']}(&|$)"))
    go(page, "Runs", "Topics", "text=By topic")
    expect(page.get_by_test_id("stSidebar").get_by_text("Highlighted:")).to_have_count(0)
    # nor is the table open, as it was on the page before
    expect(page).not_to_have_url(re.compile("[?&]runs=|view="))


DOUBLE_CLICK = 600
"""Milliseconds after which Plotly takes the next click for another one; the second of
two takes back what is chosen."""


def click_bar(page: Page, bar: Locator) -> None:
    """A layer above takes the click, as of a mouse at this place."""
    at = box(bar)
    page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)


def test_topics_when_bars_are_clicked_with_shift_then_they_are_listed_and_can_be_worked_on_alone(
    server, page
):
    page.goto(f"{server}/two-runs?{FEW}")
    bars = page.locator(".st-key-chart-two-runs .point path")
    bars.first.wait_for()
    finish(page)
    lists, summary = page.get_by_text("down to rank 20"), page.get_by_text("mean difference in AP")
    insist(
        lambda: click_bar(page, bars.first),
        lambda: expect(lists).to_be_visible(timeout=PATIENCE),
    )
    finish(page)
    page.wait_for_timeout(DOUBLE_CLICK)
    page.keyboard.down("Shift")
    click_bar(page, bars.nth(1))
    expect(summary).to_be_visible()
    page.keyboard.up("Shift")
    settle(page)
    page.get_by_role("button", name="Use only these topics").click()
    expect(page).to_have_url(re.compile(r"topics_only=(?!901-920)\d+"))


def test_runs_when_searched_and_hidden_then_every_page_and_a_visitor_with_the_address_see_others(
    server, page, browser
):
    page.goto(f"{server}/rankings?{FEW}")
    page.wait_for_selector(DRAWN)
    finish(page)
    page.locator(".st-key-runs_listed summary").click()
    eyes = page.locator(".runs button[data-part=eye]")
    expect(eyes).to_have_count(8)
    run = eyes.first.get_attribute("data-run")
    eyes.first.focus()
    page.keyboard.press("Enter")
    note = page.locator(".st-key-runs_note").get_by_text(
        re.compile(r"^\d+ of 8 runs? (is|are) drawn$")
    )
    expect(note).to_have_text("7 of 8 runs are drawn")
    settle(page)  # its place is taken by a new one, to which the focus goes
    expect(eyes.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(eyes.nth(1)).to_be_focused()
    field = page.locator("[class*=runs_search] input")
    field.fill(f"/^({run}|{eyes.nth(1).get_attribute('data-run')})$/")
    field.press("Enter")
    expect(note).to_have_text("1 of 8 runs is drawn")
    go(page, "Runs", "Topics", "text=By topic")
    expect(note).to_have_text("1 of 8 runs is drawn")
    with visitor(browser) as other:
        other.goto(page.url)
        expect(other.locator(".st-key-runs_note")).to_contain_text("1 of 8 runs is drawn")
    page.locator(".st-key-runs_all").get_by_role("button").first.click()
    expect(note).to_have_count(0)
    expect(page).not_to_have_url(re.compile("[?&]runs="))


def click(page: Page, point: dict) -> None:
    """Click a point of a line, whose name and value are then told beside it. The mouse
    comes to it in one move: if Plotly has yet to look at a second one while the button
    is down, it forgets the point.
    """
    label = page.locator(".hovertext")

    def move() -> None:
        page.locator(LINES).scroll_into_view_if_needed()
        page.mouse.move(1, 1)
        expect(label).to_have_count(0)
        at = box(page.locator(LINES))
        page.mouse.move(at["x"] + point["left"], at["y"] + point["top"])

    insist(move, lambda: label.first.wait_for(timeout=PATIENCE // 6))
    expect(label.locator(".name")).to_have_text(point["run"])
    expect(label.locator(".nums")).to_have_text(f"{point['y']:.4f}")
    page.mouse.down()
    page.mouse.up()
