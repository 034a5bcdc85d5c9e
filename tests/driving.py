"""Driving the dashboard in a real browser: Debian's Chromium through Playwright, and reading plots back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, Request, ViewportSize, expect, sync_playwright
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.serving import SECONDS

READY = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
DRAWN = ".js-plotly-plot .scatterlayer .trace"
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
NAMES = "--host-resolver-rules=MAP *.example.org 127.0.0.1"
"""These names are this machine's, to the browser."""
PAGE, FRAGMENT = "FINISHED_SUCCESSFULLY", "FINISHED_FRAGMENT_RUN_SUCCESSFULLY"
SIZE = ViewportSize(width=1400, height=1000)
"""Of a window, in pixels."""
LIMIT = 1000 * SECONDS
"""Of every wait, in milliseconds."""
expect.set_options(timeout=LIMIT)


@contextmanager
def chromium_browser(path: str) -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=[*FLAGS.split(), NAMES])
        yield launched
        launched.close()


@contextmanager
def window(browser: Browser) -> Iterator[Page]:
    """A window of the browser's, with storage and scripts of its own; in it nothing is slid or faded."""
    context = browser.new_context(viewport=SIZE, accept_downloads=True, reduced_motion="reduce")
    opened = context.new_page()
    opened.set_default_timeout(LIMIT)
    yield opened
    context.close()


@contextmanager
def visit(page: Page) -> Iterator[Page]:
    """A window for one visitor; afterwards there must have been no error in it, and no request beyond this machine. What they have
    stored is gone for the next one, who need not load and compile Streamlit's scripts again."""
    errors: list[str] = []

    def fail(error: Error) -> None:
        errors.append(str(error))

    def look(request: Request) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", request.url):
            errors.append(request.url)

    page.on("pageerror", fail)
    page.on("request", look)
    yield page
    leave(page)
    page.unroute_all()
    page.set_viewport_size(SIZE)
    page.emulate_media(color_scheme=None)
    page.remove_listener("pageerror", fail)
    page.remove_listener("request", look)
    assert not errors


@contextmanager
def visitor(browser: Browser) -> Iterator[Page]:
    """A visitor in a window of their own, whose browser has seen nothing yet."""
    with window(browser) as opened, visit(opened):
        yield opened


def leave(page: Page) -> None:
    """The visitor goes; the browser knows nothing of them."""
    if page.url.startswith("http"):
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.context.clear_cookies()
    page.goto("about:blank")


def settle(page: Page) -> None:
    """Until the script has run; comes after a wait for what is new."""
    page.wait_for_selector(READY)


def drawings(page: Page) -> list[str]:
    """How each run of the script ends from now on; that of a fragment ends otherwise than that of the page. Ask before the page is
    opened."""
    found: list[str] = []

    def note(frame: bytes | str) -> None:
        message = ForwardMsg.FromString(frame)
        if message.WhichOneof("type") == "script_finished":
            found.append(ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))

    page.once("websocket", lambda socket: socket.on("framereceived", note))
    return found


def go(page: Page, section: str, name: str, content: str) -> None:
    """To another page by the menus at the top, until some content of it is there."""
    page.get_by_test_id("stTopNavSection").filter(has_text=section).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name).click()
    page.wait_for_selector(content)
    settle(page)


def choose(page: Page, key: str, option: str) -> None:
    """Pick from a list that opens. Where the page is drawn again meanwhile, that closes it, and it is opened again."""
    wanted = page.get_by_role("option", name=option)
    for _ in range(SECONDS):
        page.locator(f".st-key-{key}").get_by_role("combobox").click()
        with suppress(Error):
            wanted.click(timeout=3000)
            return
    raise AssertionError(f"{option} cannot be picked")


def upload(page: Page, files: list[Path]) -> None:
    """Drop files on the page Collection."""
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(files)


def plotted(page: Page, chart: str) -> dict[str, list[float]]:
    """Name -> y of every line in a chart, as Plotly holds them."""
    plot = page.locator(f".st-key-{chart}[data-stale=false] .js-plotly-plot").filter(has=page.locator(".scatterlayer .trace"))
    plot.wait_for(state="attached")
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)  # until then there may be a part of the result alone
    settle(page)
    return dict(plot.evaluate("plot => plot._fullData.filter(t => t.mode === 'lines+markers').map(t => [t.name, Array.from(t.y)])"))
