"""How long a browser takes for each page of a collection, beside a page of one line: a
fresh visit, and a press in the menu.

    python benchmarks/pages.py QRELS RUNS [PAGE...] [--times N]

Each page is opened once before, so that its result is computed. Then all pages and the
page of one line are opened in turns. Two times are taken, each beside that of a page of
one line with one chart: by the clock, until a chart that answers the mouse or a table
is there; and processor seconds of the browser's main thread until it rests, which
depend less on other work of the machine. On a page that asks before it computes, the
button counts as the content, and its line ends in "asks first". The size in kB and the
number of elements are the same at every visit. Progress goes to standard error, a line
per page.
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

from irmeval.experiments.story import STORY
from tests.driving import READY, chromium_browser, visitor
from tests.serving import serving

TIMES = 5
"""Visits of each page, and presses, unless told."""
SIZE = ViewportSize(width=1280, height=720)
LINE = """import streamlit as st

def draw(name):
    st.title(name)
    st.plotly_chart({"data": [{"x": [0, 1], "y": [0, 1]}]}, key=name)
def other(): draw("other")
def one(): draw("one")
st.navigation({"First": [st.Page(other, default=True)], "Second": [st.Page(one)]}, \
position="top").run()
"""
WITHOUT_CHARTS = (
    "collection",
    "check",
    "selection",
    "lessons",
    "lab",
    "catalogue",
    "glossary",
    "findings",
    "across",
    "report",
    "exercises",
    "audit",
    "judges",
    "systems",
    "holes",
)
"""Pages without any, or without any for one judge."""
TITLE, TABLE = "[data-testid=stMain] h1", "[data-testid=stDataFrameResizable]"
LIVE = f"[data-testid=stMain] .js-plotly-plot .main-svg, {TABLE}"
ASKS = "[data-testid=stMain] [class*=st-key-compute-] button"
UNWATCHED = "--js-flags=--no-enable-lazy-source-positions"
"""A browser that is driven has an inspector, for which it reads a function again
wherever one throws: .45 s of what loads Plotly, which no visitor waits for. With this
flag it does not.
"""
SOON = """([start, changed]) => new Promise(done => {
    const begun = performance.now(), state = eval(changed), before = state();
    eval(start)();
    const look = () => {
        const now = state();
        if (now && now !== before || performance.now() - begun > 300000) \
done(performance.now() - begun);
        else requestAnimationFrame(look);
    };
    look();
})"""
"""Do something; milliseconds until what is looked at has changed."""
FRAMES = """contents => {
    const there = new Set();
    window.seen = {};
    const look = now => {
        for (const [what, content] of Object.entries(contents)) {
            if (there.has(what)) window.seen[what] ??= now;
            else if (document.querySelector(content)) there.add(what);
        }
        if (Object.keys(window.seen).length < Object.keys(contents).length) \
requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
"""Note when each of some contents was painted first: at the frame after the one that it
came with. Later frames are left to the page, which else would seem to work for as long
as somebody looks.
"""
LONGEST = 300_000
"""Milliseconds that a page may take to compute, or to ask."""
REST, FEW = 0.4, 0.02
"""Seconds of the clock, in which a main thread that rests uses fewer of the
processor.
"""
TIMES_LINE, ALONE = ("first", "CPU", "press", "press CPU"), ("kB", "elements")
"""What is printed beside the page of one line, and what is as it is."""
PRESS = "() => document.querySelector('a[data-testid=stTopNavDropdownLink][href$=\"/%s\"]').click()"


def used(devtools: CDPSession) -> float:
    """Processor seconds of the main thread so far."""
    seconds: float = next(
        m["value"]
        for m in devtools.send("Performance.getMetrics")["metrics"]
        if m["name"] == "TaskDuration"
    )
    return seconds


def rest(page: Page, devtools: CDPSession) -> float:
    """Processor seconds of the main thread once it has nothing to do and waits for
    nothing.
    """
    quiet, before = 0, used(devtools)
    while quiet < 2:
        time.sleep(REST)
        waits = not page.locator(READY).count() or page.get_by_role("button", name="Stop").count()
        quiet, before = (0 if waits or used(devtools) - before > FEW else quiet + 1), used(devtools)
    return before


@contextmanager
def watched(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """A visitor with an empty cache and the counter of their browser's processor
    time.
    """
    with visitor(browser) as page:
        page.set_viewport_size(SIZE)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, devtools


def content_of(browser: Browser, url: str) -> str:
    """What shows that a page is computed: a chart or a table, or the button of a page
    that asks before it computes.
    """
    with watched(browser) as (page, devtools):
        page.goto(url, wait_until="commit")
        page.wait_for_selector(f"{LIVE}, {ASKS}", state="attached", timeout=LONGEST)
        rest(page, devtools)
        return LIVE if page.locator(LIVE).count() else ASKS


def visit(browser: Browser, url: str, content: str) -> dict[str, float]:
    """Seconds from a new visitor's request until some content is painted; processor
    seconds until the browser rests; size of the page.
    """
    sizes: list[int] = []
    with watched(browser) as (page, devtools):
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))),
        )
        page.add_init_script(f"({FRAMES})({json.dumps({'first': content})})")
        page.goto(url, wait_until="commit")
        page.wait_for_selector(content, state="attached")
        processor = rest(page, devtools)
        elements, painted = page.evaluate(
            "[document.getElementsByTagName('*').length, window.seen.first]"
        )
        return {
            "first": painted / 1000,
            "CPU": processor,
            "kB": sum(sizes) / 1000,
            "elements": elements,
        }


def presses(
    browser: Browser, url: str, away: str, pages: dict[str, tuple[str, str]], times: int
) -> dict[str, list[dict[str, float]]]:
    """The same numbers for a visitor who opens each page (address -> its section and
    content) from one page by the menu.
    """
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
                    SOON,
                    [
                        PRESS % name,
                        (
                            f"() => location.pathname.endsWith('/{name}') &&"
                            f" !!document.querySelector('{content}')"
                        ),
                    ],
                )
                tell(f"press {i} of {times}" if i else "first press", name, wait / 1000)
                if i:
                    taken[name].append(
                        {"press": wait / 1000, "press CPU": rest(page, devtools) - before}
                    )
                page.go_back()
                page.wait_for_selector(content, state="detached")
    return taken


def tell(what: str, page: str, seconds: float) -> None:
    """Report the progress of the benchmark."""
    print(f"{what}: {page or 'a page of one line'}, {seconds:.2f} s", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("pages", nargs="*", metavar="page", help="by default all with charts")
    parser.add_argument(
        "--times",
        type=int,
        default=TIMES,
        metavar="N",
        help=f"visits of each page, and presses (default {TIMES})",
    )
    given = parser.parse_args()
    sections = {
        page: section.capitalize()
        for section, of in STORY.items()
        for pages in of.values()
        for page in pages
    }
    sections = {
        page: sections[page] for page in given.pages or sections if page not in WITHOUT_CHARTS
    }
    in_menu = {next(iter(pages)) for of in STORY.values() for pages in of.values()}
    chromium = shutil.which("chromium") or sys.exit("needs chromium on the PATH")
    with tempfile.TemporaryDirectory() as folder, chromium_browser(chromium, UNWATCHED) as browser:
        script, logs = Path(folder, "line.py"), (Path(folder, name) for name in "ab")
        script.write_text(LINE)
        data = ("--", "--qrels", given.qrels, "--runs", given.runs)
        with serving(next(logs), script=str(script)) as line, serving(next(logs), *data) as url:
            visit(browser, line, LIVE)
            contents = {}
            for page in sections:  # the first time there are no results
                begun = time.monotonic()
                contents[page] = content_of(browser, f"{url}/{page}")
                tell("first opening", page, time.monotonic() - begun)
            taken: dict[str, list[dict[str, float]]] = {page: [] for page in ["", *sections]}
            for i in range(given.times):
                for page in taken:
                    taken[page].append(
                        visit(browser, f"{url}/{page}" if page else line, contents.get(page, LIVE))
                    )
                    tell(f"visit {i + 1} of {given.times}", page, taken[page][-1]["first"])
            # the first page of all has no name in its address by which a press could be seen to
            # arrive
            by_menu = {
                page: (section, contents[page])
                for page, section in sections.items()
                if page in in_menu - {"curves"}
            }
            pressed = presses(browser, url, "report", by_menu, given.times)
            pressed[""] = presses(
                browser, line, "", {"one": ("Second", ".st-key-one .main-svg")}, given.times
            )["one"]
    medians = {page: middles(taken[page]) | middles(pressed.get(page, [])) for page in taken}
    print(
        f"a page of one line: {medians['']}",
        f"{'':20}" + "".join(f"{what:>12}" for what in TIMES_LINE + ALONE),
        sep="\n",
    )
    for page in sections:
        own = {
            what: value / medians[""][what] if what in TIMES_LINE else value
            for what, value in medians[page].items()
        }
        asks = "  asks first" * (contents[page] == ASKS)
        print(
            f"{page:20}"
            + "".join(f"{own.get(what, math.nan):12.2f}" for what in TIMES_LINE + ALONE)
            + asks
        )


def middles(taken: list[dict[str, float]]) -> dict[str, float]:
    """Medians over several visits or presses. A value that one of them lacks has no
    median.
    """
    return {
        what: median(of[what] for of in taken)
        for what in (taken[0] if taken else ())
        if all(what in of for of in taken)
    }


if __name__ == "__main__":
    main()
