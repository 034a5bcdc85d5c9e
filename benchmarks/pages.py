"""How long a browser takes for each page of a collection, beside a page of one line: a fresh visit, and a press in the menu.

    python benchmarks/pages.py QRELS RUNS [PAGE...]

Each page is opened once before, so that its result is there; then all are opened in turns with the page of one line. By the clock, until
there are pictures of a page's first charts, and until there is a chart or table that answers the mouse; and seconds of processor time of
the browser's main thread until it rests, which say the same on a busy machine. All beside the page of one line.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, CDPSession, Page, ViewportSize

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.first_screen import FRAMES, SOON, STILL
from irmeval.experiments.story import STORY
from tests.driving import READY, chromium_browser, visitor
from tests.serving import serving

TIMES = 5
SIZE = ViewportSize(width=1280, height=720)
LINE = """import streamlit as st

def other(): st.title("Another line")
def one(): st.title("One line")
st.navigation({"First": [st.Page(other, default=True)], "Second": [st.Page(one)]}, position="top").run()
"""
WITHOUT_CHARTS = ("collection", "check", "selection", "lessons", "lab", "catalogue", "glossary", "report")
TITLE, TABLE = "[data-testid=stMain] h1", "[data-testid=stDataFrameResizable]"
CHART = f"[data-testid=stMain] :is(.js-plotly-plot .main-svg, {TABLE})"
PICTURE = f"{STILL}, {TABLE}"
REST, FEW = 0.4, 0.02
"""Seconds of the clock, in which a main thread that rests uses fewer of the processor."""
PRESS = "() => document.querySelector('a[data-testid=stTopNavDropdownLink][href$=\"/%s\"]').click()"


def used(devtools: CDPSession) -> float:
    """Seconds of processor time that the main thread has used so far."""
    seconds: float = next(m["value"] for m in devtools.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    return seconds


def rest(page: Page, devtools: CDPSession) -> float:
    """What the main thread has used once it has nothing to do, and waits for nothing."""
    quiet, before = 0, used(devtools)
    while quiet < 2:
        time.sleep(REST)
        waits = not page.locator(READY).count() or page.get_by_role("button", name="Stop").count()
        quiet, before = (0 if waits or used(devtools) - before > FEW else quiet + 1), used(devtools)
    return before


@contextmanager
def watched(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """A visitor whose browser has seen nothing, and what counts its processor time."""
    with visitor(browser) as page:
        page.set_viewport_size(SIZE)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, devtools


def visit(browser: Browser, url: str, contents: dict[str, str]) -> dict[str, float]:
    """Seconds from a new visitor's request until each of some contents is painted, and the processor's until all rests."""
    with watched(browser) as (page, devtools):
        page.add_init_script(f"({FRAMES})({json.dumps(contents)})")
        page.goto(url, wait_until="commit")
        page.wait_for_selector([*contents.values()][-1], state="attached")
        processor = rest(page, devtools)
        seen: dict[str, float] = page.evaluate("window.seen")
    return {what: milliseconds / 1000 for what, milliseconds in seen.items()} | {"CPU": processor}


def presses(browser: Browser, url: str, away: str, pages: dict[str, tuple[str, str]]) -> dict[str, list[dict[str, float]]]:
    """Of a visitor who comes to each page (address -> its section and content) from the same one by the menu: the same numbers."""
    taken: dict[str, list[dict[str, float]]] = {page: [] for page in pages}
    with watched(browser) as (page, devtools):
        page.goto(f"{url}/{away}")
        page.wait_for_selector(TITLE)
        for i in range(TIMES + 1):  # the first time scripts are loaded
            for name, (section, content) in pages.items():
                rest(page, devtools)
                page.get_by_test_id("stTopNavSection").filter(has_text=section).click()
                page.locator(f"a[href$='/{name}']").wait_for()
                before = used(devtools)
                wait: float = page.evaluate(
                    SOON, [PRESS % name, f"() => location.pathname.endsWith('/{name}') && !!document.querySelector('{content}')"]
                )
                if i:
                    taken[name].append({"press": wait / 1000, "press CPU": rest(page, devtools) - before})
                page.go_back()
                page.wait_for_selector(content, state="detached")
    return taken


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    qrels, runs, *asked = sys.argv[1:]
    sections = {page: section.capitalize() for section, pages in STORY.items() for page in pages if page not in WITHOUT_CHARTS}
    sections = {page: sections[page] for page in asked or sections}
    chromium = shutil.which("chromium") or sys.exit("needs chromium on the PATH")
    with tempfile.TemporaryDirectory() as folder, chromium_browser(chromium) as browser:
        script, logs = Path(folder, "line.py"), (Path(folder, name) for name in "ab")
        script.write_text(LINE)
        data = ("--", "--qrels", qrels, "--runs", runs)
        with serving(next(logs), script=str(script)) as line, serving(next(logs), *data) as url:
            taken: dict[str, list[dict[str, float]]] = {page: [] for page in ["", *sections]}
            for i in range(TIMES + 1):  # the first time there are no results
                for page in taken:
                    contents = {"first": PICTURE, "live": CHART} if page else {"first": TITLE, "live": TITLE}
                    found = visit(browser, f"{url}/{page}" if page else line, contents)
                    taken[page] += [found] * (i > 0)
            # the first page of all has no name in its address by which a press could be seen to arrive
            pressed = presses(browser, url, "report", {page: (section, CHART) for page, section in sections.items() if page != "curves"})
            pressed[""] = presses(browser, line, "", {"one": ("Second", "h1#one-line")})["one"]
    medians = {
        page: {what: median(t[what] for t in of) for of in (taken[page], pressed.get(page, ())) for what in (of[0] if of else ())}
        for page in taken
    }
    print(f"{'times a page of one line':24}" + "".join(f"{what:>12}" for what in medians[""]))
    for page, of in medians.items():
        shown = {what: f"{value:.2f} s" if not page else f"{value / medians[''][what]:.2f}" for what, value in of.items()}
        print(f"{page or 'a page of one line':24}" + "".join(f"{text:>12}" for text in shown.values()))


if __name__ == "__main__":
    main()
