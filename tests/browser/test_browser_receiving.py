"""An upload of which a part does not come, in a browser."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route, expect

from tests.driving import DROPZONE, settle, upload, visitor


def test_files_when_one_does_not_come_then_it_is_named_and_all_are_read_once_it_came(
    server: str, page: Page, tiny: tuple[Path, Path]
):
    def cut(route: Route) -> None:  # as a proxy does that lets no large file through
        if "ideal" in (route.request.post_data or ""):
            route.fulfill(status=413)
        else:
            route.continue_()

    qrels, runs = tiny
    page.goto(f"{server}/collection")
    page.locator(DROPZONE).first.wait_for(state="attached")
    settle(page)
    page.route("**/_stcore/upload_file/**", cut)
    upload(page, [runs / "ideal"])
    expect(page.get_by_test_id("stAlert").first).to_contain_text("Could not be received: ideal.")
    settle(page)
    upload(page, [qrels, runs / "example"])
    expect(page.get_by_role("button", name="Read the 2 files received")).to_be_visible()
    expect(page.get_by_test_id("stAlert").first).to_contain_text("Could not be received: ideal.")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Sample collection")
    expect(page.get_by_test_id("stFileChip")).to_have_count(3)
    settle(page)
    page.unroute("**/_stcore/upload_file/**")
    upload(page, [runs / "ideal"])
    expect(page.get_by_test_id("stSidebar")).to_contain_text("2 runs")
    settle(page)
    expect(page.get_by_text("Could not be received")).to_have_count(0)


def test_files_when_the_line_is_slow_then_they_are_counted_and_alarm_comes_where_one_failed(
    server: str, page: Page, browser: Browser, tiny: tuple[Path, Path]
):
    qrels, runs = tiny
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:  # what is sent late, too, comes once the line is free
        if is_held:
            held.append(route)
        else:
            route.continue_()

    page.goto(f"{server}/collection")
    page.locator(DROPZONE).first.wait_for(state="attached")
    settle(page)
    page.route("**/_stcore/upload_file/**", hold)
    upload(page, [qrels, *runs.iterdir()])
    bar = page.get_by_test_id("stProgress")
    expect(bar).to_contain_text("0 of 4 files received")
    expect(bar).to_contain_text("The connection is slow; nothing has failed.")
    expect(page.get_by_text("Still to come")).to_be_visible()
    expect(page.get_by_test_id("stDataFrame")).to_have_count(0)
    with visitor(browser) as other:
        other.goto(f"{server}/collection")
        other.locator(DROPZONE).first.wait_for(state="attached")
        settle(other)
        other.route("**/_stcore/upload_file/**", lambda route: route.fulfill(status=413))
        upload(other, [runs / "ideal"])
        expect(other.get_by_test_id("stAlert").first).to_contain_text(
            "Could not be received: ideal."
        )
    expect(page.get_by_test_id("stAlert").filter(has_text="Could not")).to_have_count(0)
    held.pop(0).continue_()
    expect(bar).to_contain_text("1 of 4 files received")
    is_held = False
    for route in held:
        route.continue_()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
    settle(page)
    expect(page.get_by_test_id("stAlert").filter(has_text="Could not")).to_have_count(0)
