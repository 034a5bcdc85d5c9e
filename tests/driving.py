"""Driving the dashboard in a real browser: Debian's Chromium through Playwright, and
reading plots back.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import (
    Browser,
    Error,
    FloatRect,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.serving import NAME, SECONDS

READY = (
    '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
    '[data-test-script-state="notRunning"]'
    ':has([data-testid="stMain"] [data-testid="stElementContainer"])'
)
"""A page that is drawn: a browser that has only just connected also runs no script."""
DONE = f"{READY}:not(:has([class*=st-key-stop-]))"
"""No work of the page, or of one before, goes on either."""
IDLE = """() => new Promise(done =>
    requestAnimationFrame(() => requestIdleCallback(done, {timeout: 5000})))"""
"""What was sent is drawn: a chart is after its page. A browser in which nothing happens
calls nobody idle, until it has drawn once more.
"""
FRESH = "[data-stale=false]:not([data-retained])"
"""What this run of the script has drawn: an old copy may stand beside it meanwhile, some
of which Streamlit retains without calling them stale."""
DROPZONE = "[data-testid=stFileUploaderDropzoneInput]"
DRAWN = ".js-plotly-plot .scatterlayer .trace"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)
NAMES = f"--host-resolver-rules=MAP *.example.org 127.0.0.1, MAP {NAME} 127.0.0.1"
"""These names are this machine's, to the browser."""
PAGE, FRAGMENT = "FINISHED_SUCCESSFULLY", "FINISHED_FRAGMENT_RUN_SUCCESSFULLY"
SIZE = ViewportSize(width=1400, height=1000)
"""Of a window, in pixels."""
LIMIT = 1000 * SECONDS
"""Of every wait, in milliseconds."""
PATIENCE = 60_000
"""Of a wait after which something is done again."""
expect.set_options(timeout=LIMIT)


@contextmanager
def chromium_browser(path: str, *flags: str) -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=path, args=[*FLAGS.split(), NAMES, *flags]
        )
        yield launched
        launched.close()


@contextmanager
def window(browser: Browser) -> Iterator[Page]:
    """A window of the browser's, with storage and scripts of its own; in it nothing is
    slid or faded.
    """
    context = browser.new_context(viewport=SIZE, accept_downloads=True, reduced_motion="reduce")
    opened = context.new_page()
    opened.set_default_timeout(LIMIT)
    yield opened
    context.close()


@contextmanager
def visit(page: Page) -> Iterator[Page]:
    """A window for one visitor; afterwards there must have been no error in it, and no
    request beyond this machine. What they have stored is gone for the next one, who
    need not load and compile Streamlit's scripts again.
    """
    errors: list[str] = []

    def fail(error: Error) -> None:
        errors.append(str(error))

    def look(request: Request) -> None:
        if not re.match(
            rf"(https?|wss?)://(127\.0\.0\.1|{re.escape(NAME)})[:/]|data:|blob:", request.url
        ):
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


def settle(page: Page, state: str = READY) -> None:
    """Until the script has run; comes after a wait for what is new: a press that was
    only just sent has changed nothing yet.
    """
    page.wait_for_selector(state)
    page.evaluate(IDLE)
    page.wait_for_selector(state)


def finish(page: Page) -> None:
    """Until all work of the page is done: before, there may be a part of its result,
    and the next one makes what is there pale.
    """
    settle(page, DONE)


def drawings(page: Page) -> list[str]:
    """How each run of the script ends from now on; that of a fragment ends otherwise
    than that of the page. Ask before the page is opened.
    """
    found: list[str] = []

    def note(frame: bytes | str) -> None:
        message = ForwardMsg.FromString(frame)
        if message.WhichOneof("type") == "script_finished":
            found.append(ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))

    page.once("websocket", lambda socket: socket.on("framereceived", note))
    return found


def insist(act: Callable[[], object], seen: Callable[[], object]) -> None:
    """Do something, and again until it is seen to have been done: what is clicked just
    when a page is drawn anew is lost. Both wait for `PATIENCE` at most.
    """
    for _ in range(LIMIT // PATIENCE - 1):
        with suppress(Error, AssertionError):
            act()
            seen()
            return
    act()
    seen()


def pick(page: Page, section: str, link: Locator, seen: Callable[[], object]) -> None:
    """Pick a page from the menus at the top."""

    def act() -> None:
        if not link.is_visible():
            page.get_by_test_id("stTopNavSection").filter(has_text=section).click(timeout=PATIENCE)
        link.click(timeout=PATIENCE)

    insist(act, seen)


def go(page: Page, section: str, name: str, content: str) -> None:
    """To another page by the menus at the top, until some content of it is there."""
    link = page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name)
    pick(page, section, link, lambda: page.wait_for_selector(content, timeout=PATIENCE))
    settle(page)


def go_beside(page: Page, name: str, content: str) -> None:
    """To a page of the same entry of the menus."""
    link = page.locator(".st-key-tabs a").filter(has_text=name)
    insist(
        lambda: link.click(timeout=PATIENCE),
        lambda: page.wait_for_selector(content, timeout=PATIENCE),
    )
    settle(page)


def choose(page: Page, key: str, option: str) -> None:
    """Pick from a list that opens. Where the page is drawn again meanwhile, that closes
    it, and it is opened again.
    """
    opens = page.locator(f".st-key-{key}").get_by_role("combobox")
    insist(
        lambda: opens.click(timeout=PATIENCE),
        lambda: page.get_by_role("option", name=option).click(timeout=PATIENCE // 3),
    )


def box(of: Locator) -> FloatRect:
    """Where something is in the window, once it is there: a page may be drawn anew."""
    while not (found := of.bounding_box()):
        expect(of).to_be_visible()
    return found


def upload(page: Page, files: list[Path], place: str = ".st-key-uploads") -> None:
    """Drop files on the page Collection, or at a place on another."""
    page.locator(f"{place} {DROPZONE}").set_input_files(files)


def show(page: Page, chart: str) -> None:
    """Scroll to the chart whose key begins so, until it is drawn."""
    place = page.locator(f"[class*=st-key-{chart}]").first
    insist(
        lambda: place.evaluate("one => one.scrollIntoView({block: 'center'})", timeout=PATIENCE),
        lambda: expect(page.locator(f"[class*=st-key-{chart}] .main-svg").first).to_be_attached(
            timeout=PATIENCE // 6
        ),
    )


def plotted(page: Page, chart: str) -> dict[str, list[float]]:
    """Name -> y of every line in a chart, as Plotly holds them."""
    show(page, chart)
    plot = page.locator(f".st-key-{chart}{FRESH} .js-plotly-plot").filter(
        has=page.locator(".scatterlayer .trace")
    )
    plot.wait_for(state="attached")
    finish(page)
    return dict(
        plot.evaluate(
            "plot => plot._fullData.filter(t => t.mode === 'lines+markers').map(t => [t.name,"
            " Array.from(t.y)])"
        )
    )
