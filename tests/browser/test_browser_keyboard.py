"""Who works by keys, in a real browser: from a title to what is below it, the palette,
a chart that fills the screen; and what the mouse points at, what is on paper.
"""

import re
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from tests.browser.test_accessibility import AXE, FEW, assert_prints_content_only, broken_rules
from tests.driving import DRAWN, FRESH, PATIENCE, box, finish, go, insist, settle

LITTLE = f"{FEW}&curves.trials=2&unjudged.trials=2"
FOCUSED = "document.activeElement"


def opened(page: Page, url: str, content: str) -> None:
    page.goto(url)
    page.wait_for_selector(content)
    finish(page)


def press_until_open(page: Page, field: Locator) -> None:
    insist(
        lambda: page.keyboard.press("Control+k"),
        lambda: expect(field).to_be_focused(timeout=PATIENCE // 6),
    )


def test_tab_when_menus_are_skipped_then_the_title_comes_and_after_it_content_on_the_lab_the_list(
    server, page
):
    for name, there, first in (
        ("curves", DRAWN, ".st-key-question"),
        ("lab", "[class*=st-key-lab-at-7-] button", "[class*=st-key-lab-at-0-]"),
    ):
        opened(page, f"{server}/{name}?{LITTLE}", there)
        link = page.get_by_role("link", name=re.compile("^Skip"))
        expect(link).to_have_count(1)
        page.keyboard.press("Tab")
        expect(link).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        page.keyboard.press("Tab")
        page.wait_for_function(f"at => {FOCUSED}.closest(at)", arg=first)


SAVING = "[data-testid=stMain] button[data-save]"
TELEPHONE = {"width": 390, "height": 844}
FAINT = "of => of.filter(one => getComputedStyle(one).opacity < .5).length"


def test_links_that_save_a_chart_when_no_mouse_or_a_narrow_window_then_are_seen_else_once_focused(
    server, browser, page
):
    for device in ({"is_mobile": True, "has_touch": True}, {}):
        narrow = browser.new_context(viewport=TELEPHONE, **device)
        first = narrow.new_page()
        opened(first, f"{server}/curves?{LITTLE}", SAVING)
        assert first.locator(SAVING).evaluate_all(FAINT) == 0
        narrow.close()
    opened(page, f"{server}/curves?{LITTLE}", SAVING)
    saving = page.locator(SAVING).first
    page.keyboard.press("Tab")
    saving.focus()
    expect(saving).to_have_css("opacity", "1")


def test_palette_when_opened_by_keys_then_enter_goes_to_what_was_typed_and_escape_back_by_all_rules(
    server, page
):
    opened(page, f"{server}/report?{LITTLE}", "h1")
    page.evaluate(AXE)
    field, dialog = (
        page.get_by_role("combobox", name="Pages, runs, measures, words, actions"),
        page.get_by_role("dialog"),
    )
    page.keyboard.press("Tab")
    before = page.evaluate(f"{FOCUSED}.outerHTML")
    press_until_open(page, field)
    assert broken_rules(page, include=["[role=dialog]"]) == []
    page.keyboard.press("Escape")
    # the list, the dialog
    insist(
        lambda: page.keyboard.press("Escape"),
        lambda: expect(dialog).to_have_count(0, timeout=PATIENCE // 6),
    )
    page.wait_for_function(f"before => {FOCUSED}.outerHTML === before", arg=before)
    press_until_open(page, field)
    found = {
        "class": "Lessons",
        "two collections": "Across collections",
        "best run": "Leaderboard",
        "link": "Copy link",
    }
    for typed, page_found in found.items():
        field.fill(typed)
        expect(page.get_by_role("option").first).to_contain_text(page_found)
    field.fill("")
    page.keyboard.type("tau AP")
    expect(page.get_by_role("option").first).to_have_text("tau AP · word")
    page.keyboard.press("Enter")
    page.wait_for_url("**/glossary*term=*")
    expect(dialog).to_have_count(0)


def test_palette_when_the_device_gets_dark_then_what_is_typed_stays_and_charts_follow_it(
    server, page
):
    opened(page, f"{server}/curves?{LITTLE}", f".st-key-chart-curves-tau {DRAWN}")
    field = page.get_by_role("combobox", name="Pages, runs, measures, words, actions")
    press_until_open(page, field)
    page.keyboard.type("scor")
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    page.wait_for_timeout(1000)  # a page that is drawn again meanwhile closes it
    page.keyboard.type("ec")
    expect(field).to_have_value("scorec")
    field.fill("")
    for _ in ("the list", "the dialog"):
        page.keyboard.press("Escape")
    chart = page.locator(f"{FRESH} .js-plotly-plot .main-svg").first
    expect(chart).to_have_css("background-color", "rgb(23, 22, 20)")


def test_palette_when_it_copies_the_link_or_sets_the_colours_then_the_browser_does_so(server, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, f"{server}/report?measures=AP", "h1")
    field, dialog = (
        page.get_by_role("combobox", name="Pages, runs, measures, words, actions"),
        page.get_by_role("dialog"),
    )
    press_until_open(page, field)
    field.fill("copy link")
    field.press("Enter")
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    expect(page).to_have_url(page.evaluate("navigator.clipboard.readText()"))
    field.fill("Colours: dark")
    field.press("Enter")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")


def test_chart_when_pointed_at_then_those_with_its_axis_show_the_place_and_keys_fill_the_screen(
    server, page
):
    opened(page, f"{server}/curves?{LITTLE}", f".st-key-chart-curves-tau {DRAWN}")
    area = page.locator(".st-key-chart-curves-mean .nsewdrag")
    other = page.locator(".st-key-chart-curves-tau")

    def point() -> None:
        area.scroll_into_view_if_needed()
        at = box(area)
        for right in (0.9, 0.95):
            page.mouse.move(at["x"] + right * at["width"], at["y"] + at["height"] / 3)

    insist(
        point,
        lambda: expect(other.locator(".hoverlayer")).to_contain_text("10%", timeout=PATIENCE // 6),
    )
    expect(other.locator(".hoverlayer")).to_contain_text("Q'")
    page.mouse.move(1, 1)
    expect(other.locator(".hoverlayer")).to_have_text("")
    fill = other.get_by_role("button", name="Fullscreen", exact=True)
    fill.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "([...document.querySelectorAll('.js-plotly-plot')].some(one => one.clientWidth > .9 *"
        " innerWidth))"
    )
    page.keyboard.press("Escape")
    expect(fill).to_be_focused()


def test_pickers_when_enter_is_pressed_then_take_the_one_option_that_is_nearest_to_what_was_typed(
    server, page
):
    opened(page, f"{server}/curves?measures=AP", DRAWN)

    measures = page.locator(".st-key-measures")
    asked = "measures=AP"
    for typed, picked in (
        ("ndcg@10", "nDCG@10"),
        ("p@5", "P@5"),
        ("ndcg@7", "ndcg@7"),
        ("P@1", "P@1"),
        ("RBP(p=0.9)", "RBP(p=0.9)"),
    ):
        measures.get_by_role("combobox").fill(typed)
        measures.get_by_role("combobox").press("Enter")
        expect(measures).to_contain_text(picked)
        asked += f"&measures={quote(picked)}"
        expect(page).to_have_url(re.compile(f"{re.escape(asked)}$"))
        settle(page)


def test_settings_when_open_then_no_rule_is_broken_and_pages_when_printed_have_content_only(
    server, page
):
    opened(page, f"{server}/curves?{LITTLE}", DRAWN)
    page.evaluate(AXE)
    page.get_by_role("button", name=re.compile("^Change")).click()
    body = page.get_by_test_id("stPopoverBody")
    expect(body.get_by_role("combobox").first).to_be_visible()
    assert broken_rules(page, include=["[data-testid=stPopoverBody]"]) == []
    insist(
        lambda: page.keyboard.press("Escape"),
        lambda: expect(body).to_have_count(0, timeout=PATIENCE // 6),
    )
    expect(page.get_by_role("button", name=re.compile("^Change"))).to_be_focused()
    assert_prints_content_only(page, "curves")
    go(page, "Runs", "Leaderboard", f".st-key-chart-board {DRAWN}")
    assert_prints_content_only(page, "leaderboard")
