"""What a reader sees first of each page when 126 runs are loaded: type that can be read,
names that can be told apart, and a chart in sight below few words.
"""

import gzip
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from irmeval.papers import PAPERS
from irmeval.ui.pages.paper import EXHIBITS
from tests.cases import SAMPLE
from tests.conftest import ROOT
from tests.driving import finish, visitor
from tests.serving import answering, free_port

RUNS = 126
TOPICS = [f"90{number}" for number in range(1, 7)]
DEPTH = 30
"""So few topics and documents that no page takes long."""
WINDOW = {"width": 1440, "height": 900}
LARGE = {"width": 1920, "height": 1080}
LEAST_TYPE = 10.0
"""Pixels."""
LEAST_CONTRAST = 4.5
LOOK = """() => {
    const main = document.querySelector("[data-testid=stMain]"), height = innerHeight;
    const box = one => one.getBoundingClientRect();
    const charts = [...main.querySelectorAll(".js-plotly-plot, [data-testid=stDataFrame], .lab")]
        .map(box).filter(({height}) => height).sort((a, b) => a.top - b.top);
    const first = charts[0];
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const hidden = ".js-plotly-plot, style, script, [aria-hidden=true],"
        + " details:not([open]) > :not(summary)";
    let words = 0, said = 0;
    while (first && walker.nextNode()) {
        const node = walker.currentNode, text = node.data.trim(), range = document.createRange();
        if (!text || node.parentElement.closest(hidden)) continue;
        range.selectNodeContents(node);
        const {width, top, bottom} = box(range), seen = node.parentElement.checkVisibility({
            opacityProperty: true, visibilityProperty: true});
        // a line of which half is cut is not read
        if (!width || !seen || bottom <= 0 || (top + bottom) / 2 >= height) continue;
        said += text.split(/\\s+/).length;
        if (bottom <= first.top) words += text.split(/\\s+/).length;
    }
    const rgb = color => color.match(/[\\d.]+/g).map(Number);
    const light = color => {
        const [r, g, b] = rgb(color).map(v => v / 255)
            .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const app = document.querySelector("[data-testid=stApp]");
    const page = light(getComputedStyle(app).backgroundColor);
    const small = [], pale = [];
    for (const text of main.querySelectorAll(".js-plotly-plot .main-svg text")) {
        const {width} = box(text), {fontSize, fill} = getComputedStyle(text);
        const hidden = text.closest("[style*='opacity: 0'], .hoverlayer");
        if (!width || !text.textContent.trim() || hidden) continue;
        if (parseFloat(fontSize) < LEAST_TYPE) small.push(`${text.textContent} ${fontSize}`);
        // a text in a cell or a bar has another ground
        if (text.closest(".hm, .heatmaplayer, .barlayer, .bars")) continue;
        const own = light(fill), ratio = (Math.max(own, page) + .05) / (Math.min(own, page) + .05);
        if (ratio < LEAST_CONTRAST) pale.push(`${text.textContent} ${ratio.toFixed(1)}`);
    }
    const alike = [];
    for (const axis of main.querySelectorAll(".xaxislayer-above, .yaxislayer-above")) {
        const names = [...axis.querySelectorAll("text")].map(text => text.textContent)
            .filter(name => name.includes("\\u2026"));
        alike.push(...names.filter((name, place) => names.indexOf(name) !== place));
    }
    const redrawn = [];
    for (const [place, plot] of main.querySelectorAll(".js-plotly-plot").entries()) {
        const {margin, _size} = plot._fullLayout;
        // as Plotly asks whether to draw all once more
        const short = [..."lrtb"].filter(side => Math.abs(_size[side] - margin[side]) > 1);
        redrawn.push(...short.map(side => [place, side, margin[side], _size[side]].join(" ")));
    }
    const inSight = first
        ? Math.max(0, Math.min(first.bottom, height) - Math.max(first.top, 0)) / height : 0;
    return {words, said, share: inSight, small, pale, alike, redrawn};
}""".replace("LEAST_TYPE", str(LEAST_TYPE)).replace("LEAST_CONTRAST", str(LEAST_CONTRAST))
"""Words above the first chart or table and on the whole first screen, the share of the
window's height that the chart takes, texts in charts that are too small, too pale, or
cut so that two look alike, and margins that Plotly widened, for which it draws a chart
twice: number of the chart, side, pixels given, and needed.
"""


FIRST = (
    "[data-testid=stMain] :is(.js-plotly-plot .main-svg, [data-testid=stDataFrame] canvas, .lab)"
)


class Screen(NamedTuple):
    """What the first screen of a page may have above its first chart or table, and must
    show of it.
    """

    words: int
    """above it, at most"""
    share: float
    """of the height of the window, at least"""
    said: int = 200
    """words in all, at most"""
    wide: float = 0.2
    """share of the height of a larger window, at least"""


PAGES = {
    "curves": Screen(65, 0.4, 125),
    "leaderboard": Screen(32, 0.49, 55, 0.49),
    "two-runs": Screen(42, 0.49, 76, 0.49),
    "matrix": Screen(38, 0.65, 38, 0.6),
    "topics": Screen(36, 0.7, 36, 0.7),
    "power": Screen(40, 0.49, 60, 0.49),
    "reproduction": Screen(36, 0.49, 88, 0.49),
    "agreement": Screen(42, 0.4, 95),
    "rankings": Screen(52, 0.55, 75),
    "stability": Screen(65, 0.4, 140),
    "swap": Screen(55, 0.4, 95),
    "variance": Screen(65, 0.4, 90),
    "gains": Screen(68, 0.4, 105),
    "parameters": Screen(70, 0.5, 95),
    "scorecard": Screen(52, 0.4, 135),
    "leave-one-out": Screen(58, 0.6, 66),
    "unjudged": Screen(58, 0.4, 120),
    "what-if": Screen(62, 0.55, 70),
    "judge-next": Screen(58, 0.4, 130),
    "judgments-needed": Screen(60, 0.4, 120),
    "estimates": Screen(60, 0.6, 66),
    "topics-needed": Screen(34, 0.49, 48, 0.49),
    "orders": Screen(32, 0.49, 50, 0.49),
    "judges": Screen(38, 0.49, 56, 0.49),
    "audit": Screen(40, 0.49, 66, 0.49),
    "systems": Screen(42, 0.49, 60, 0.49),
    "holes": Screen(45, 0.49, 58, 0.49),
    "collection": Screen(54, 0.49, 66, 0.49),
    "selection": Screen(28, 0.49, 48, 0.49),
    "check": Screen(74, 0.3, 195, 0.4),
    "lab": Screen(60, 0.2, 265),
    "top-heaviness": Screen(50, 0.4, 85),
    "swap-property": Screen(52, 0.4, 110),
    "catalogue": Screen(35, 0.4, 100),
    "findings": Screen(75, 0.6, 90),
    "ahlgren-gronqvist-2008": Screen(70, 0.6, 130),
    "bompada-2007": Screen(70, 0.55, 150),
    "sakai-2007-bpref": Screen(73, 0.6, 90),
    "sakai-2007-reliability": Screen(73, 0.6, 90),
    "sakai-kando-2008": Screen(73, 0.6, 90),
}


def changed(lines: list[list[str]], draw: random.Random) -> list[list[str]]:
    """A ranked list in which some documents have changed places."""
    order = sorted(range(len(lines)), key=lambda place: place + draw.gauss(0, 4))
    return [lines[place] for place in order]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[str]:
    """The address of a dashboard on the sample's judgments and 126 runs: those of the
    sample and changed copies of them, on few topics.
    """
    folder, draw = tmp_path_factory.mktemp("many"), random.Random(5)
    (runs := folder / "runs").mkdir()
    files = sorted(Path(SAMPLE[1]).iterdir())
    for number in range(RUNS):
        file, copy = files[number % len(files)], number // len(files)
        name = file.name.removesuffix(".gz") + (f"_changed_{copy}" if copy else "")
        with gzip.open(file, "rt") as read:
            rows = [line.split() for line in read]
        written = []
        for topic in TOPICS:
            listed = [row for row in rows if row[0] == topic][:DEPTH]
            for rank, row in enumerate(changed(listed, draw) if copy else listed):
                written.append(f"{topic} Q0 {row[2]} {rank + 1} {DEPTH - rank} {name}\n")
        (runs / name).write_text("".join(written))
    with gzip.open(SAMPLE[0], "rt") as read:
        judged = [line for line in read if line.split()[0] in TOPICS]
    (folder / "qrels.txt").write_text("".join(judged))
    port = free_port()
    command = ["-m", "irmeval", "serve", str(folder / "qrels.txt"), str(runs), "--port", str(port)]
    environment = os.environ | {"HOME": str(folder), "IRMEVAL_HOME": str(folder)}
    with answering(port, command, folder / "log", ROOT, environment) as url:
        yield url


@pytest.fixture(scope="module")
def reader(browser, many: str) -> Iterator[Page]:
    """A window of one visitor for all pages."""
    with visitor(browser) as page:
        page.set_viewport_size(WINDOW)
        yield page


def agree(reader: Page) -> None:
    """Have the page go on where it asks: on a machine under load work may take minutes."""
    go_on = reader.get_by_role("button", name="Go on", exact=True)
    reader.locator(FIRST).or_(go_on).first.wait_for()
    finish(reader)
    if go_on.count():
        go_on.click()
        expect(go_on).to_have_count(0)


@pytest.mark.parametrize(("name", "screen"), PAGES.items())
def test_first_screen_when_126_runs_are_loaded_then_it_is_read_at_a_glance(
    many, reader, name, screen
):
    judged = "?other=Simulated" if name in ("audit", "judges", "systems", "holes") else ""
    reader.goto(f"{many}/{name}{judged}")
    reader.wait_for_selector("[data-testid=stMain] h1")
    agree(reader)
    reader.wait_for_selector(FIRST)
    finish(reader)
    found = reader.evaluate(LOOK)
    faults = ("small", "pale", "alike", "redrawn")
    assert {kind: found[kind] for kind in faults} == {kind: [] for kind in faults}
    assert found["words"] <= screen.words
    assert found["said"] <= screen.said
    assert found["share"] >= screen.share
    reader.set_viewport_size(LARGE)
    try:
        reader.wait_for_function(f"least => ({LOOK})().share >= least", arg=screen.wide)
    finally:
        reader.set_viewport_size(WINDOW)


def test_exhibits_when_a_paper_has_31_findings_then_are_less_than_two_windows_down(many, reader):
    reader.goto(f"{many}/sakai-kando-2008")
    reader.wait_for_selector(FIRST)
    finish(reader)
    heading = reader.get_by_role("heading", name=EXHIBITS, exact=True)
    assert heading.evaluate("here => here.getBoundingClientRect().top") < 2 * WINDOW["height"]


TELEPHONE = {"width": 390, "height": 844}
OVERLAPS = """() => {
    const links = [...document.querySelectorAll("[class*=st-key-next-] p")]
        .map(text => [text.textContent, text.getBoundingClientRect()]);
    return links.filter(([, box], place) => box.left < 0 || box.right > innerWidth
        || (place && box.top < links[place - 1][1].bottom)).map(([text]) => text);
}"""
"""Texts of the row *Next* that cover the one before, or leave the window."""


@pytest.mark.parametrize("name", ["scorecard", "agreement", "rankings", "swap"])
def test_next_steps_when_a_telephone_wraps_them_then_none_covers_another(many, reader, name):
    reader.set_viewport_size(TELEPHONE)
    try:
        reader.goto(f"{many}/{name}")
        finish(reader)
        reader.wait_for_selector("[class*=st-key-next-] p")
        assert reader.evaluate(OVERLAPS) == []
    finally:
        reader.set_viewport_size(WINDOW)


BELOW_ONE_LINE = """() => {
    const box = one => one.getBoundingClientRect(), found = [];
    for (const row of document.querySelectorAll("[class*=st-key-title-]")) {
        const title = row.querySelector("h2"), save = row.querySelector("button[data-save]");
        if (title && save && box(save).top >= box(title).bottom) found.push(title.textContent);
    }
    const tabs = [...document.querySelectorAll(".st-key-tabs a")].map(tab => [tab, box(tab)]);
    for (const [tab, one] of tabs)
        if (tabs.some(([, other]) => other.top > one.top && other.top < one.bottom))
            found.push(tab.textContent);
    return found;
}"""
"""Titles of charts whose buttons have a row of their own, and tabs that cover the row
below them.
"""


@pytest.mark.parametrize("name", ["unjudged", "matrix", "power", "sakai-2007-bpref"])
def test_telephone_when_rows_are_short_then_titles_keep_their_buttons_and_tabs_apart(
    many, reader, name
):
    reader.set_viewport_size(TELEPHONE)
    try:
        reader.goto(f"{many}/{name}")
        reader.wait_for_selector(f"{FIRST}:visible")
        finish(reader)
        assert reader.evaluate(BELOW_ONE_LINE) == []
    finally:
        reader.set_viewport_size(WINDOW)


def test_findings_when_opened_on_a_telephone_then_are_a_list_of_whole_sentences(many, reader):
    reader.set_viewport_size(TELEPHONE)
    try:
        reader.goto(f"{many}/sakai-2007-bpref")
        items = reader.locator(".st-key-findings_list li")
        items.first.wait_for()
        finish(reader)
        expect(items).to_have_count(len(PAPERS["sakai-2007-bpref"].findings))
        expect(reader.locator(".st-key-findings_table")).to_be_hidden()
        cut = "items => items.filter(one => one.scrollWidth > one.clientWidth).length"
        assert items.evaluate_all(cut) == 0
        items.first.locator("summary").click()
        expect(items.first.get_by_text("published: ")).to_be_visible()
        reader.set_viewport_size(WINDOW)
        expect(reader.locator(".st-key-findings_table")).to_be_visible()
        expect(items.first).to_be_hidden()
    finally:
        reader.set_viewport_size(WINDOW)


def test_curves_when_opened_on_a_telephone_then_most_of_the_chart_is_on_its_first_screen(
    many, reader
):
    reader.set_viewport_size(TELEPHONE)
    try:
        reader.goto(f"{many}/curves")
        reader.wait_for_selector(FIRST)
        finish(reader)
        found = reader.evaluate(LOOK)
        assert found["share"] >= 0.4
        assert found["redrawn"] == []
    finally:
        reader.set_viewport_size(WINDOW)


def test_question_when_the_window_is_narrow_then_its_lists_show_their_words_whole(many, reader):
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.value)"
    lists = reader.locator(".st-key-question input")
    try:
        reader.goto(f"{many}/curves")
        finish(reader)
        for width in (360, 390, 450, 520, 640):
            reader.set_viewport_size({"width": width, "height": 844})
            finish(reader)
            assert (width, lists.evaluate_all(cut)) == (width, [])
        expect(lists).to_have_count(2)
    finally:
        reader.set_viewport_size(WINDOW)
