"""Every file that a visitor drops is loaded or named, whatever their other tabs and
pages do meanwhile.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.conftest import TINY_RUNS, run_lines
from tests.driving import DROPZONE, PATIENCE, go, insist, settle, upload, visitor

UPLOADS = "**/_stcore/upload_file/**"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a run under a name of its own."""

    def write(name: str) -> Path:
        path = tmp_path / name
        path.write_text(run_lines(name, TINY_RUNS["ideal"]))
        return path

    return write


@pytest.fixture
def first(server: str, page: Page, tiny: tuple[Path, Path]) -> Page:
    """A tab in which a collection of three runs was dropped."""
    at_collection(page, server)
    upload(page, [tiny[0], *tiny[1].iterdir()])
    shows(page, "3 runs")
    return page


@pytest.fixture
def second(server: str, first: Page) -> Page:
    """Another tab of the same visitor, on the same collection."""
    page = at_collection(first.context.new_page(), server)
    shows(page, "3 runs")
    yield page
    page.close()


def at_collection(page: Page, server: str) -> Page:
    page.goto(f"{server}/collection")
    page.locator(DROPZONE).first.wait_for(state="attached")
    settle(page)
    return page


def shows(page: Page, what: str) -> None:
    expect(page.get_by_test_id("stSidebar")).to_contain_text(what)
    settle(page)


def hold(page: Page) -> list[Route]:
    """The uploads on their way, which wait until they are let through."""
    held: list[Route] = []
    page.route(UPLOADS, lambda route: held.append(route))
    return held


def release(page: Page, held: list[Route]) -> None:
    for route in held:
        route.continue_()
    page.unroute(UPLOADS)


def drop_held(page: Page, file: Path) -> list[Route]:
    held = hold(page)
    with page.expect_request(UPLOADS):
        upload(page, [file])
    return held


def test_drop_when_another_tab_has_dropped_meanwhile_then_both_files_are_loaded(
    first, second, write
):
    upload(second, [write("c")])
    shows(second, "4 runs")
    upload(first, [write("d")])  # this tab was not drawn again since
    shows(first, "5 runs")


def test_drops_when_two_tabs_take_turns_then_all_files_are_loaded(first, second, write):
    for n, (tab, name) in enumerate(
        [(second, "c"), (first, "d"), (second, "e"), (second, "f"), (first, "g")], 4
    ):
        upload(tab, [write(name)])
        shows(tab, f"{n} runs")


def test_drops_when_two_tabs_send_at_once_then_both_files_are_loaded(server, first, second, write):
    held = [drop_held(tab, write(name)) for tab, name in ((first, "c"), (second, "d"))]
    for tab, routes in zip((first, second), held, strict=True):
        release(tab, routes)
    expect(first.get_by_test_id("stFileChip")).to_have_count(0)
    expect(second.get_by_test_id("stFileChip")).to_have_count(0)
    for tab in (first, second):
        settle(tab)
        shows(at_collection(tab, server), "5 runs")


def test_drops_when_one_follows_before_the_other_is_read_then_both_files_are_loaded(first, write):
    held = drop_held(first, write("c"))
    upload(first, [write("d")])
    release(first, held)
    shows(first, "5 runs")


def test_drop_when_the_page_is_reloaded_meanwhile_then_its_files_are_named(first, write):
    drop_held(first, write("c"))
    first.reload()
    first.unroute(UPLOADS)
    expect(
        first.get_by_test_id("stAlert").filter(has_text="Could not be received: c.")
    ).to_be_visible()
    shows(first, "3 runs")


def test_drop_when_the_visitor_leaves_and_returns_then_its_files_are_named_and_can_be_dropped_again(
    first, write
):
    file = write("c")
    held = drop_held(first, file)
    go(first, "Runs", "Leaderboard", "text=Who is best")
    expect(
        first.get_by_test_id("stAlert").filter(has_text="Could not be received: c.")
    ).to_be_visible()
    release(first, held)
    first.go_back()
    first.locator(DROPZONE).first.wait_for(state="attached")
    shows(first, "3 runs")
    upload(first, [file])
    shows(first, "4 runs")


def test_selection_when_settings_were_open_before_it_changed_then_is_what_was_pressed_last(
    server: str, page: Page, browser: Browser
):
    page.goto(f"{server}/selection?selection.find=aurora")
    look_at_settings(page)
    box = page.locator("[class*=st-key-choosing-] canvas").first
    keep = page.get_by_role("button", name="Keep only these runs")
    insist(
        lambda: box.click(position={"x": 15, "y": 15}, force=True),  # ticks all rows
        lambda: expect(keep).to_be_enabled(timeout=PATIENCE),
    )
    settle(page)
    keep.click()
    shows(page, "4 of 30 runs")
    with visitor(browser) as other:
        other.goto(f"{server}/selection?runs_only=krill,lumen")
        look_at_settings(other)
        other.get_by_role("button", name="Keep all", exact=True).click()
        shows(other, "30 runs")
        for tab, said in ((page, "4 of 30 runs"), (other, "\n30 runs")):
            go(tab, "Runs", "Topics", "text=How are scores spread over topics?")
            shows(tab, said)
            is_narrowed = expect(tab).to_have_url if tab is page else expect(tab).not_to_have_url
            is_narrowed(re.compile("runs_only"))


def look_at_settings(page: Page) -> None:
    """Open and close *Settings*: from then on the browser sends what its widgets had."""
    settings = page.get_by_test_id("stSidebar").get_by_role("button", name="Settings")
    field = page.get_by_label("Runs", exact=True)
    settings.wait_for()
    settle(page)
    insist(settings.click, lambda: expect(field).to_be_visible(timeout=PATIENCE))
    insist(
        lambda: page.keyboard.press("Escape"),
        lambda: expect(field).to_be_hidden(timeout=PATIENCE // 6),
    )
    settle(page)
