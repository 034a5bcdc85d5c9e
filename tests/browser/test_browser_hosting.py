"""The dashboard under a path and another name, as behind a proxy, in a browser: whom it
asks, under which names it answers, and whether it says it is well. That links, pages,
uploads and downloads work there, other tests in a browser say: they go to the same
server.
"""

from urllib.parse import urlsplit

from playwright.sync_api import Page

from irmeval.ui.server import health
from tests.driving import READY
from tests.serving import NAME, PATH


def test_dashboard_when_under_a_path_and_a_name_then_asks_and_answers_no_other_and_says_it_is_well(
    server, window, monkeypatch
):
    port = urlsplit(server).port
    assert server == f"http://{NAME}:{port}/{PATH}"
    window.goto(f"{server}/_stcore/health")
    assert _elsewhere(window) == "connect-src ws://elsewhere.example.org:1"
    assert window.goto(f"http://rebound.example.org:{port}/{PATH}/collection").status == 421
    window.goto("about:blank")
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", str(port))
    assert health.main() == 1  # nothing at the root
    monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", f"/{PATH}/")
    assert health.main() == 0


def _elsewhere(page: Page) -> str:
    """What the browser says of a websocket to another host."""
    return page.evaluate("""() => new Promise(said => {
            document.addEventListener('securitypolicyviolation', e => said(
                `${e.effectiveDirective} ${e.blockedURI}`.replace(/\\/$/, '')));
            new WebSocket('ws://elsewhere.example.org:1/').onopen = () => said('opened');
        })""")


def test_page_when_it_is_opened_then_asks_nothing_in_vain_and_has_its_cookie_before_it_connects(
    server, page
):
    refused, asked = [], []
    page.on("response", lambda answer: answer.ok or refused.append(answer.url))
    page.on("response", lambda answer: "_stcore" in answer.url and asked.append(answer.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.goto(f"{server}/collection")
    page.wait_for_selector(READY)
    assert refused == []
    *before, connected = asked
    # a visitor's cookie comes with the second
    assert sorted(before) == [f"{server}/_stcore/{name}" for name in ("health", "host-config")]
    assert connected == f"ws{server.removeprefix('http')}/_stcore/stream"


def test_health_when_nothing_answers_then_says_no(monkeypatch):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "1")
    assert health.main() == 1
