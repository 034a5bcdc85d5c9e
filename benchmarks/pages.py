"""How long a browser takes for each page of a collection, beside a page of one line: a fresh visit, a press in the menu, a first move.

    python benchmarks/pages.py QRELS RUNS [PAGE...] [--times N]

Each page is opened once before, so that its result is computed. Then all pages and the page of one line are opened in turns. Two times are
taken, each beside that of the page of one line: by the clock, until the pictures of the first charts or a table are there; and processor
seconds of the browser's main thread until it rests, which do not depend on other work of the machine. On a page that asks before it
computes, the button counts as the content, and its line ends in "asks first". The size in kB and the number of elements are the same at
every visit. At last the visitor moves the mouse: seconds until a chart answers; none where a chart is there before. Progress goes to
standard error, a line per page.
"""

import argparse
import json
import math
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
"""Visits of each page, and presses, unless told."""
SIZE = ViewportSize(width=1280, height=720)
LINE = """import streamlit as st

def other(): st.title("Another line")
def one(): st.title("One line")
st.navigation({"First": [st.Page(other, default=True)], "Second": [st.Page(one)]}, position="top").run()
"""
WITHOUT_CHARTS = ("collection", "check", "selection", "lessons", "lab", "catalogue", "glossary", "report")
TITLE, TABLE = "[data-testid=stMain] h1", "[data-testid=stDataFrameResizable]"
PICTURE, ASKS = f"{STILL}, {TABLE}", "[data-testid=stMain] [class*=st-key-compute-] button"
UNWATCHED = "--js-flags=--no-enable-lazy-source-positions"
"""A browser that is driven has an inspector, for which it reads a function again wherever one throws: .45 s of what loads Plotly, which no
visitor waits for. With this flag it does not."""
MOVE = "() => document.querySelector('[data-testid=stMain]').dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))"
LIVE = "() => !!document.querySelector('[data-testid=stMain] .js-plotly-plot .main-svg')"
SEEN = f"() => !({LIVE})() && [...document.querySelectorAll('{STILL}')].some(one => one.getBoundingClientRect().top < innerHeight)"
"""Whether pictures alone are there, one of them on the first screen: those below it are charts only once they come into view."""
LONGEST = 300_000
"""Milliseconds that a page may take to compute, or to ask."""
REST, FEW = 0.4, 0.02
"""Seconds of the clock, in which a main thread that rests uses fewer of the processor."""
TIMES_LINE, ALONE = ("first", "CPU", "press", "press CPU"), ("kB", "elements", "move")
"""What is printed beside the page of one line, and what is as it is."""
PRESS = "() => document.querySelector('a[data-testid=stTopNavDropdownLink][href$=\"/%s\"]').click()"


def used(devtools: CDPSession) -> float:
    """Processor seconds of the main thread so far."""
    seconds: float = next(m["value"] for m in devtools.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    return seconds


def rest(page: Page, devtools: CDPSession) -> float:
    """Processor seconds of the main thread once it has nothing to do and waits for nothing."""
    quiet, before = 0, used(devtools)
    while quiet < 2:
        time.sleep(REST)
        waits = not page.locator(READY).count() or page.get_by_role("button", name="Stop").count()
        quiet, before = (0 if waits or used(devtools) - before > FEW else quiet + 1), used(devtools)
    return before


@contextmanager
def watched(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """A visitor with an empty cache who does not move, and the counter of their browser's processor time."""
    with visitor(browser, moves=False) as page:
        page.set_viewport_size(SIZE)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, devtools


def content_of(browser: Browser, url: str) -> str:
    """What shows that a page is computed: pictures or a table, or the button of a page that asks before it computes."""
    with watched(browser) as (page, devtools):
        page.goto(url, wait_until="commit")
        page.wait_for_selector(f"{PICTURE}, {ASKS}", state="attached", timeout=LONGEST)
        rest(page, devtools)
        return PICTURE if page.locator(PICTURE).count() else ASKS


def visit(browser: Browser, url: str, content: str) -> dict[str, float]:
    """Seconds from a new visitor's request until some content is painted; processor seconds until the browser rests; size of the page;
    seconds from a first move to a chart, if there is one."""
    sizes: list[int] = []
    with watched(browser) as (page, devtools):
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))))
        page.add_init_script(f"({FRAMES})({json.dumps({'first': content})})")
        page.goto(url, wait_until="commit")
        page.wait_for_selector(content, state="attached")
        processor = rest(page, devtools)
        elements, painted = page.evaluate("[document.getElementsByTagName('*').length, window.seen.first]")
        found = {"first": painted / 1000, "CPU": processor, "kB": sum(sizes) / 1000, "elements": elements}
        return found | ({"move": page.evaluate(SOON, [MOVE, LIVE]) / 1000} if page.evaluate(SEEN) else {})


def presses(browser: Browser, url: str, away: str, pages: dict[str, tuple[str, str]], times: int) -> dict[str, list[dict[str, float]]]:
    """The same numbers for a visitor who opens each page (address -> its section and content) from one page by the menu."""
    taken: dict[str, list[dict[str, float]]] = {page: [] for page in pages}
    with watched(browser) as (page, devtools):
        page.goto(f"{url}/{away}")
        page.wait_for_selector(TITLE)
        for i in range(times + 1):  # the first time scripts are loaded
            for name, (section, content) in pages.items():
                rest(page, devtools)
                page.get_by_test_id("stTopNavSection").filter(has_text=section).click()
                page.locator(f"a[href$='/{name}']").wait_for()
                before = used(devtools)
                wait: float = page.evaluate(
                    SOON, [PRESS % name, f"() => location.pathname.endsWith('/{name}') && !!document.querySelector('{content}')"]
                )
                tell(f"press {i} of {times}" if i else "first press", name, wait / 1000)
                if i:
                    taken[name].append({"press": wait / 1000, "press CPU": rest(page, devtools) - before})
                page.go_back()
                page.wait_for_selector(content, state="detached")
    return taken


def tell(what: str, page: str, seconds: float) -> None:
    """Report the progress of the benchmark."""
    print(f"{what}: {page or 'a page of one line'}, {seconds:.2f} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("pages", nargs="*", metavar="page", help="by default all with charts")
    parser.add_argument("--times", type=int, default=TIMES, metavar="N", help=f"visits of each page, and presses (default {TIMES})")
    given = parser.parse_args()
    sections = {page: section.capitalize() for section, pages in STORY.items() for page in pages if page not in WITHOUT_CHARTS}
    sections = {page: sections[page] for page in given.pages or sections}
    chromium = shutil.which("chromium") or sys.exit("needs chromium on the PATH")
    with tempfile.TemporaryDirectory() as folder, chromium_browser(chromium, UNWATCHED) as browser:
        script, logs = Path(folder, "line.py"), (Path(folder, name) for name in "ab")
        script.write_text(LINE)
        data = ("--", "--qrels", given.qrels, "--runs", given.runs)
        with serving(next(logs), script=str(script)) as line, serving(next(logs), *data) as url:
            visit(browser, line, TITLE)
            contents = {}
            for page in sections:  # the first time there are no results
                begun = time.monotonic()
                contents[page] = content_of(browser, f"{url}/{page}")
                tell("first opening", page, time.monotonic() - begun)
            taken: dict[str, list[dict[str, float]]] = {page: [] for page in ["", *sections]}
            for i in range(given.times):
                for page in taken:
                    taken[page].append(visit(browser, f"{url}/{page}" if page else line, contents.get(page, TITLE)))
                    tell(f"visit {i + 1} of {given.times}", page, taken[page][-1]["first"])
            # the first page of all has no name in its address by which a press could be seen to arrive
            by_menu = {page: (section, contents[page]) for page, section in sections.items() if page != "curves"}
            pressed = presses(browser, url, "report", by_menu, given.times)
            pressed[""] = presses(browser, line, "", {"one": ("Second", "h1#one-line")}, given.times)["one"]
    medians = {page: middles(taken[page]) | middles(pressed.get(page, [])) for page in taken}
    print(f"a page of one line: {medians['']}", f"{'':20}" + "".join(f"{what:>12}" for what in TIMES_LINE + ALONE), sep="\n")
    for page in sections:
        own = {what: value / medians[""][what] if what in TIMES_LINE else value for what, value in medians[page].items()}
        asks = "  asks first" * (contents[page] == ASKS)
        print(f"{page:20}" + "".join(f"{own.get(what, math.nan):12.2f}" for what in TIMES_LINE + ALONE) + asks)


def middles(taken: list[dict[str, float]]) -> dict[str, float]:
    """Medians over several visits or presses. A value that one of them lacks has no median."""
    return {what: median(of[what] for of in taken) for what in (taken[0] if taken else ()) if all(what in of for of in taken)}


if __name__ == "__main__":
    main()
