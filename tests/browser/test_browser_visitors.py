"""What a visitor has loaded stays theirs, in a browser: another tab, a new page, a
restart, a kill; and nobody else's.
"""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from signal import SIGKILL
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from irmeval.ui.state import cookies, home, store
from tests.driving import DRAWN, DROPZONE, LIMIT, finish, go, leave, plotted, settle, upload
from tests.serving import serving


@pytest.fixture
def profile(browser: Browser):
    """A browser of one visitor, whose cookies outlive its tabs."""
    context = browser.new_context()
    context.set_default_timeout(LIMIT)
    yield context
    context.close()


def opened(page: Page, url: str, says: str) -> Page:
    """A page in a tab, once its sidebar says something."""
    page.goto(url)
    expect(page.get_by_test_id("stSidebar")).to_contain_text(says)
    settle(page)
    return page


def drop(page: Page, tiny: tuple[Path, Path]) -> None:
    qrels, runs = tiny
    upload(page, [qrels, *runs.iterdir()])
    expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
    settle(page)


def kept(home: Path) -> list[str]:
    """Keys of the visitors of whom something is kept."""
    if not (path := home / "store" / store.DATABASE).exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        return [key for (key,) in db.execute("SELECT key FROM visitor")]


def test_visitor_when_the_server_is_killed_and_back_then_tab_and_visitor_have_all_and_nobody_else(
    profile, tmp_path, tiny, monkeypatch
):
    monkeypatch.setenv(home.HOME, str(tmp_path / "home"))
    served = "--", "--qrels", str(tiny[0]), "--runs", str(tiny[1] / "example")
    with serving(tmp_path / "log", *served, end=SIGKILL) as url:
        page = opened(profile.new_page(), f"{url}/collection", "1 run")
        assert not kept(tmp_path / "home")  # who loads nothing leaves nothing
        (cookie,) = [c for c in profile.cookies() if c["name"].startswith(cookies.COOKIE)]
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"], cookie["path"]) == (
            True,
            "Strict",
            False,
            "/",
        )
        # which would say that there is no such page, before any was drawn
        assert page.get_by_role("dialog").count() == 0
        drop(page, tiny)
        other = opened(profile.new_page(), f"{url}/report", "3 runs")
        profile.clear_cookies()  # now it is somebody else's
        opened(other, f"{url}/report", "1 run").close()
        profile.clear_cookies()
        profile.add_cookies([cookie])
    (key,) = kept(tmp_path / "home")
    assert cookie["value"] not in key
    paths = [*(tmp_path / "home" / "store").rglob("*")]
    assert not [path.name for path in paths if "example" in path.name or "qrels" in path.name]
    assert {oct(path.stat().st_mode)[-3:] for path in paths} == {"700", "600"}
    with serving(tmp_path / "again", *served, port=urlsplit(url).port):
        settle(page)  # the tab by itself
        expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
        opened(page, f"{url}/collection", "3 runs")
        expect(page.get_by_text("kept on this server for you alone, until 30 days")).to_be_visible()
        settle(page)
        page.get_by_role("button", name="Forget my data").click()
        expect(page.get_by_test_id("stSidebar")).to_contain_text("1 run")
        settle(page)
        assert not kept(tmp_path / "home")
        # and where nothing can be written any more, they are served from memory
        shutil.rmtree(tmp_path / "home")
        (tmp_path / "home").write_text("")  # nobody, root neither, can make a folder in it
        drop(page, tiny)
        expect(page.get_by_text("this server cannot write to its disk")).to_be_visible()
        page.reload()
        expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
        assert (tmp_path / "again").read_text().count("cannot be stored on disk") == 1


def test_files_when_the_server_is_killed_as_they_are_sent_then_the_page_says_so_and_takes_them_anew(
    profile, tmp_path, tiny, monkeypatch
):
    monkeypatch.setenv(home.KEEP, "off")  # the server knows nothing of the tab that comes back
    page, on_their_way = profile.new_page(), []
    with serving(tmp_path / "log", end=SIGKILL) as url:
        opened(page, f"{url}/collection", "Sample collection")
        upload(page, [tmp_path / "log"])  # is no run, and refused
        expect(page.get_by_test_id("stAlert").filter(has_text="line 1")).to_be_visible()
        expect(page.get_by_test_id("stFileChip")).to_have_count(0)
        settle(page)
        page.route("**/_stcore/upload_file/**", lambda route: on_their_way.append(route))
        with page.expect_request("**/_stcore/upload_file/**"):
            pick_files(page, tiny)
    expect(page.get_by_test_id("stApp")).not_to_have_attribute(
        "data-test-connection-state", "CONNECTED"
    )
    for route in on_their_way:
        route.continue_()
    page.unroute("**/_stcore/upload_file/**")
    chip = page.get_by_test_id("stFileChip").first
    expect(chip).to_have_attribute("aria-invalid", "true")
    says = "e => getComputedStyle(e, '::after').content + getComputedStyle(e).fontSize"
    assert chip.get_by_role("alert").evaluate(says) == '"Did not arrive. Drop it again."0px'
    with serving(tmp_path / "again", port=urlsplit(url).port):
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-connection-state", "CONNECTED"
        )
        pick_files(page, tiny)
        expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
        expect(page.get_by_test_id("stFileChip")).to_have_count(0)
        settle(page)
        pick_files(page, tiny)  # and the next are taken as ever
        expect(page.get_by_test_id("stSidebar")).to_contain_text("example and others (2)")
        settle(page)


def pick_files(page: Page, tiny: tuple[Path, Path]) -> None:
    """As a visitor does, who may pick the same files again: a browser says nothing to a
    page of what its input holds already.
    """
    with page.expect_file_chooser() as chooser:
        page.locator(".st-key-uploads [data-testid=stFileUploaderDropzone]").get_by_role(
            "button"
        ).last.click()
    chooser.value.set_files([tiny[0], *tiny[1].iterdir()])


def test_address_when_gone_back_to_or_opened_by_another_visitor_then_shows_own_settings_and_data(
    server, page, tiny
):
    page.goto(f"{server}/collection?measures=AP&measures=Q")
    page.locator(DROPZONE).first.wait_for(state="attached")
    settle(page)
    drop(page, tiny)
    go(page, "Incompleteness", "Curves", DRAWN)
    finish(page)
    page.get_by_role("button", name="Change", exact=True).click()
    trials = page.get_by_label("Trials", exact=True)
    trials.fill("12")
    trials.press("Enter")
    expect(page).to_have_url(re.compile(r"\.trials=12"))
    in_force = page.locator(".st-key-in_force-page")
    expect(in_force).to_contain_text("12 trials")
    finish(page)
    page.keyboard.press("Escape")
    ours = plotted(page, "chart-curves-tau")
    curves = page.url
    go(page, "Runs", "Leaderboard", "text=Who is best")
    expect(page).to_have_url(
        re.compile(
            r"/leaderboard\?measures=AP&measures=Q&data=[0-9a-f]{8}\.3x4\.example-and-others$"
        )
    )
    leaderboard = page.url
    settle(page)  # what a page still sends goes into the address that one has gone back to
    for _ in range(2):
        page.go_back()
        expect(in_force).to_contain_text("12 trials")
        settle(page)
        expect(page).to_have_url(curves)
        page.go_forward()
        page.get_by_role("heading", name="Who is best, by which measure?").wait_for()
        settle(page)
        expect(page).to_have_url(leaderboard)
    leave(page)  # and another visitor comes
    page.goto(curves)
    expect(page.get_by_role("heading", name="This link was made for other data")).to_be_visible()
    settle(page)
    assert not page.locator(DRAWN).count()
    upload(page, [tiny[0], *tiny[1].iterdir()])
    expect(in_force).to_contain_text("12 trials")
    settle(page)
    assert plotted(page, "chart-curves-tau") == ours
    expect(page).to_have_url(curves)
