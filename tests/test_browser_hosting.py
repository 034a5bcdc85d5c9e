"""The dashboard under a path and another name, as behind a proxy, in a browser."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from irmeval.ui import health, hosts
from tests.driving import DRAWN, go, settle, upload
from tests.serving import serving

NAME, PATH = "irmeval.example.org", "tools/irmeval"


def test_dashboard_when_under_a_path_and_an_allowed_name_then_links_pages_uploads_and_downloads_work(window, tmp_path, tiny, monkeypatch):
    qrels, runs = tiny
    monkeypatch.setenv(hosts.ALLOW, NAME)
    with serving(tmp_path / "log", path=PATH) as url:
        port = urlsplit(url).port
        page, errors = window, []
        page.on("pageerror", lambda error: errors.append(str(error)))
        own = f"http://{NAME}:{port}/{PATH}"
        page.goto(f"{own}/leaderboard?measures=P@10&measures=AP%27&rates=100&rates=10")  # of a server that has drawn no page yet
        page.wait_for_selector("text=Topic by topic")
        settle(page)
        assert page.get_by_role("dialog").count() == 0  # which would say that there is no such page
        for measure in ("P@10", "AP'"):
            expect(page.locator(".st-key-measures")).to_contain_text(measure)
        go(page, "Incompleteness", "Curves", DRAWN)
        page.goto(f"{own}/collection")
        page.get_by_test_id("stFileUploaderDropzoneInput").first.wait_for(state="attached")
        settle(page)
        upload(page, [qrels, *runs.iterdir()])
        expect(page.get_by_test_id("stSidebar")).to_contain_text("3 runs")
        settle(page)
        with page.expect_download() as started:
            page.get_by_test_id("stDownloadButton").get_by_role("button").first.click()
        assert Path(started.value.path()).stat().st_size
        assert _elsewhere(page) == "connect-src ws://elsewhere.example.org:1"
        assert page.goto(f"http://rebound.example.org:{port}/{PATH}/collection").status == 421
        assert not errors
        page.goto("about:blank")
        monkeypatch.setenv("STREAMLIT_SERVER_PORT", str(port))
        assert health.main() == 1  # nothing at the root
        monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", f"/{PATH}/")
        assert health.main() == 0


def _elsewhere(page: Page) -> str:
    """What the browser says of a websocket to another host."""
    return page.evaluate(
        """() => new Promise(said => {
            document.addEventListener('securitypolicyviolation', e => said(`${e.effectiveDirective} ${e.blockedURI}`.replace(/\\/$/, '')));
            new WebSocket('ws://elsewhere.example.org:1/').onopen = () => said('opened');
        })"""
    )


def test_health_when_nothing_answers_then_says_no(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "1")
    assert health.main() == 1
