"""An upload of which a part does not come, in a browser."""

from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.driving import DROPZONE, settle, upload


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
