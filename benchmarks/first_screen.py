"""How long a visitor waits in a real browser, beside a page of one line on the same machine at the same time."""

import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.driving import DRAWN, chromium_browser, settle, visitor
from tests.serving import serving

TIMES = 7
BASE = "a page of one line"
EARLY = ".st-key-above img"
"""The picture of the first screen's charts, which comes before all else."""
STILL = ".still"
"""The picture of a chart, until the visitor moves."""
LINE = 'import streamlit as st\n\nst.write("One line")\n'
SOON = """([start, changed]) => new Promise(done => {
    const begun = performance.now(), state = eval(changed), before = state();
    eval(start)();
    const look = () => {
        const now = state();
        if (now && now !== before || performance.now() - begun > 300000) done(performance.now() - begun);
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
        if (Object.keys(window.seen).length < Object.keys(contents).length) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
"""Note when each of some contents was painted first: at the frame after the one that it came with. Later frames are left to the page, which
else would seem to work for as long as somebody looks."""
GRADE = "() => [...document.querySelectorAll('[class*=lab-at-0-][data-stale=false] button')].find(b => b.textContent === '%s').click()"
SCORE = """() => document.querySelector('.lab td[title="raw AP"] span')?.textContent"""
OPTION = "() => [...document.querySelectorAll('[role=option]')].find(o => o.textContent === \"%s\").click()"
CELLS = """() => {
    const plot = document.querySelector('.st-key-chart-matrix[data-stale=false] .js-plotly-plot');
    return plot?.querySelector('.heatmaplayer image') && plot._fullData?.[0].z;
}"""


def opened(browser: Browser, url: str, contents: dict[str, str]) -> dict[str, float]:
    """Milliseconds from a new visitor's request to the first frame that shows each of some contents."""
    with visitor(browser) as page:
        page.add_init_script(f"({FRAMES})({json.dumps(contents)})")
        page.goto(url, wait_until="commit")
        page.wait_for_selector([*contents.values()][-1])
        settle(page)
        seen: dict[str, float] = page.evaluate("window.seen")
    return seen


def lab(page: Page, i: int) -> float:
    """Change the grade of the first document."""
    taken: float = page.evaluate(SOON, [GRADE % "10"[i % 2], SCORE])
    settle(page)
    return taken


def matrix(page: Page, i: int) -> float:
    """Choose a measure that was not tested before, until its matrix is drawn."""
    measure = ("nDCG", "nDCG'", "Q", "Q'", "Bpref", "AP'", "RBP(p=0.95)")[i]
    page.locator(".st-key-matrix-measure").get_by_role("combobox").click()
    page.get_by_role("option", name=measure, exact=True).wait_for()
    taken: float = page.evaluate(SOON, [OPTION % measure, CELLS])
    settle(page)
    return taken


def on(browser: Browser, url: str, content: str, act: Callable[[Page, int], float]) -> list[float]:
    """Repeat an action on one page."""
    with visitor(browser) as page:
        page.goto(url)
        page.wait_for_selector(content)
        settle(page)
        return [act(page, i) for i in range(TIMES)]


def main() -> None:
    chromium = shutil.which("chromium") or sys.exit("needs chromium on the PATH")
    with tempfile.TemporaryDirectory() as folder, chromium_browser(chromium) as browser:
        script = Path(folder, "line.py")
        script.write_text(LINE)
        with serving(Path(folder, "log"), script=str(script)) as line, serving(Path(folder, "logs")) as url:
            firsts = {
                "the picture of the first screen": EARLY,
                "the page with its own pictures": STILL,
                "charts that answer the mouse": DRAWN,
            }
            waits: dict[str, list[float]] = {}
            for _ in range(TIMES):  # in turns, so that all have it alike
                seen = opened(browser, line, {BASE: "[data-testid=stMarkdown]"}) | opened(browser, url, firsts)
                for what, taken in seen.items():
                    waits.setdefault(what, []).append(taken)
            waits |= {
                "a click in the lab": on(browser, f"{url}/lab", "[class*=st-key-lab-at-7-] button", lab),
                "another measure's matrix": on(browser, f"{url}/matrix", f".st-key-chart-matrix {DRAWN}", matrix),
            }
    base = statistics.median(waits[BASE])
    print(f"{'until there is':30} {'median ms':>10} {'fastest':>8} {'slowest':>8} {'of a line':>10}")
    for what, times in waits.items():
        median = statistics.median(times)
        print(f"{what:30} {median:10.0f} {min(times):8.0f} {max(times):8.0f} {median / base:10.2f}")


if __name__ == "__main__":
    main()
