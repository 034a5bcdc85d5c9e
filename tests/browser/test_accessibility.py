"""Every page in both themes, by the rules of axe-core for those who see or hear it
otherwise.

The walk over all pages takes longest of all tests in a browser. By its name this file
comes first, so that no worker waits for another at the end.
"""

import gzip
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from irmeval.ui.state.keys import FIRST
from irmeval.ui.widgets import menu
from tests.cases import SAMPLE
from tests.driving import DROPZONE, FRESH, PATIENCE, finish, go_beside, pick, settle, show

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
WALK = [
    (section, page)
    for section, of in menu.entries().items()
    for tabs in of.values()
    for page in tabs
]
SIGNS = {"glossary": ".index", "report": "h1"}
"""What is on a page once it is drawn, where that is no caption."""
FEW = "measures=AP&measures=Q'&curves.levels=100&curves.levels=10&topics_only=901-905&random_runs=8"
"""So little data and work that no page waits for its results, nor the rules for a long
table.
"""
WHOLE, MAIN = "html", "[data-testid=stMain]"
DRAWINGS = ".main-svg"
"""What Plotly draws has no roles, and colours that the rules cannot tell."""
NEW = """([place, drawings]) => {
    const seen = window.seen ??= new Set(), known = new Map([[null, []]]), found = new Set();
    const above = one => {
        if (!known.has(one)) {
            const {backgroundColor, backgroundImage, opacity} = getComputedStyle(one);
            const {color, background} = one.style;
            const looks = [backgroundColor, backgroundImage, opacity].join()
                .replace("rgba(0, 0, 0, 0),none,1", "");
            const classes = one.closest(".katex") ? []
                : [...one.classList].filter(name => !/^st|^e[0-9a-z]{6,}$/.test(name));
            const all = [...above(one.parentElement), looks, ...classes, color, background];
            known.set(one, [...new Set(all)]);
        }
        return known.get(one);
    };
    const kind = one => {
        const {color, fontSize, fontWeight} = getComputedStyle(one);
        const off = one.closest(":disabled, [aria-disabled=true]");
        const within = one.closest("[data-testid]")?.dataset.testid;
        return [one.tagName, within, color, fontSize, fontWeight, !off, ...above(one)].join();
    };
    const says = one => one.value || one.placeholder
        || [...one.childNodes].some(part => part.nodeType === 3 && part.data.trim());
    const look = {opacityProperty: true, visibilityProperty: true};
    for (const one of document.querySelectorAll(`${place} *`)) {
        const fresh = says(one) && !one.closest(drawings)
            && one.checkVisibility(look) && !seen.has(kind(one));
        one.toggleAttribute("data-new", fresh);
        if (fresh) found.add(kind(one));
    }
    found.forEach(one => seen.add(one));
    return found.size;
}"""
"""Marks what is written as nothing was on an earlier page, and says in how many ways:
in another colour or size, on another ground, in another thing of Streamlit's, or by
classes or styles of ours. The classes of KaTeX give formulas their shape, and no
colours.
"""
CHART = """export default ({element}) => ({
    $$typeof: Symbol.for("react.element"), type: "div", key: null, ref: null,
    props: {style: {height: JSON.parse(element.spec).layout.height}},
})"""
"""In place of Plotly's charts: as much room as each takes, and nothing in it."""
FITS = """([height, whole, bare, above, long]) => {
    const places = (names, of) => [
        ...document.querySelectorAll(`[data-testid=stMain] :is(${names})`)
    ].flatMap(of)
        .map(one => one.getBoundingClientRect()).filter(({height}) => height);
    const inLine = line => {
        const parts = places(`.${line}`, one => [...one.children]);
        return Math.max(...parts.map(({top}) => top))
            < Math.min(...parts.map(({bottom}) => bottom));
    };
    const lines = [...document.querySelectorAll("[data-testid=stMain] [class*=st-key-in_force]")];
    const lined = ({className}) => inLine(className.match(/st-key-in_force\\S*/)[0]);
    if (whole && !lines.every(lined)) return false;
    const cut = ({scrollWidth, clientWidth}) => scrollWidth > clientWidth;
    const alone = lines.filter(line => !line.querySelector(".st-key-runs_note"));
    if (whole && alone.some(line => [...line.querySelectorAll("p")].some(cut))) return false;
    const charts = "[data-testid=stElementContainer][class*=st-key-chart-], .stDataFrame, .lab,"
        + " .st-key-findings_list ol";
    const first = places(charts, one => one).sort((a, b) => a.top - b.top)[0];
    if (above) {
        const [stands] = places(above, one => one);
        const then = bare ? !first : first && first.top >= stands?.bottom && first.top <= height;
        return !!stands && stands.bottom <= height && then;
    }
    return first ? !bare && (whole && !long ? first.bottom : first.top) <= height : bare;
}"""
"""Whether what a page shows first, a chart, a table or its list, is within the window, or begins
there, as a long one may; of a bare page, whether there is none. Where something else
stands `above`, that must be whole, and what follows begins below it within the window.
In the wide window settings must stand in one line, and none of their texts be cut, except
beside a note on hidden runs.
"""
CUT = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap(plot => {
    const edge = plot.querySelector(".main-svg").getBoundingClientRect();
    const texts = [...plot.querySelectorAll(".main-svg text")];
    const box = text => text.getBoundingClientRect(), shown = texts.filter(text => box(text).width);
    const out = ({left, right, top, bottom}) =>
        left < edge.left - 1 || right > edge.right + 1
        || top < edge.top - 1 || bottom > edge.bottom + 1;
    const names = [...plot.querySelectorAll(".xtick text")].map(box).filter(({width}) => width);
    const covers = (a, b) => a !== b && a.left <= b.left && a.right > b.left + 3
        && a.bottom > b.top + 3 && b.bottom > a.top + 3;
    const over = names.filter(one => names.some(other => covers(other, one))).length;
    const left = shown.filter(text => out(box(text))).map(text => text.textContent);
    return [...left, ...over ? [`${over} names over others`] : []];
})"""
"""Texts of charts that leave their figure, and how many names below or above one cover
others.
"""
COVERED = """texts => {
    const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
    const over = (a, b) => a.left < b.right - 3 && b.left < a.right - 3
        && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return boxes.flatMap(([name, a], i) =>
        boxes.slice(i + 1).filter(([, b]) => over(a, b)).map(([other]) => `${name}: ${other}`));
}"""
"""Pairs of texts that cover one another by more than the space around their letters."""
OTHER = "title => document.title !== title"
"""Whether the page is another: each has a title of its own."""
FADE = "getComputedStyle(one, '::after').opacity"
"""How much of the fade at its right edge a table shows."""
JUDGES = ("audit", "judges", "systems", "holes")
BARE = {"lessons", "exercises", "glossary", "report", "across", *JUDGES}
"""Pages without chart or table: words alone, and what is yet to be made of results, of
several collections, or of a second judge.
"""
DROP = "[data-testid=stFileUploader]"
ABOVE = dict.fromkeys(("collection", *JUDGES), DROP)
"""What stands first on a page, above a chart or in place of one: where files are
dropped.
"""
LOOKED_AT = {"width": 1280, "height": 6000}
"""A window as wide as a small screen, so high that all of a page is in it."""
LONG = "papers"
"""The section of pages that open on a table of which no row is hidden."""
SIZES = ({"width": 1280, "height": 720}, 720, True), ({"width": 390, "height": 844}, 844, False)
"""Windows, the height of the first screen in each, and whether what is shown first is
whole on it.
"""
ON_PAPER = (
    ":is(button, input, textarea, [role=combobox], [role=radiogroup], .modebar,"
    " [data-testid=stSidebar], [data-testid=stHeader], video)"
)
"""What nobody can press there, and what is around a page."""
PRINTED = {"collection", "lab", "glossary"}
"""Pages of which a print is looked at; of pages with charts, `test_browser_keyboard`
looks at some.
"""
BROKEN = """async ([place, rules]) => {
    const moving = () => document.getAnimations()
        .filter(one => one.playState === "running"
            && Number.isFinite(one.effect.getComputedTiming().endTime));
    // what is only just drawn begins to fade with the next
    for (const frame of [1, 2]) await new Promise(requestAnimationFrame);
    while (moving().length) await Promise.allSettled(moving().map(one => one.finished));
    const how = {resultTypes: ["violations"], preload: false, ...rules && {runOnly: rules}};
    return (await axe.run(place, how)).violations
    .filter(({id, impact}) => ["serious", "critical"].includes(impact) || id === "heading-order")
    .flatMap(({id, nodes}) => nodes.map(node => `${id}: ${node.html}`));
}"""
"""Of a rule that is serious, or asks for headings in order: each place that breaks it,
once nothing fades in any more.
"""


def broken_rules(
    page: Page, *, rules: list[str] | None = None, **place: list[str] | list[list[str]]
) -> list[str]:
    """Where a place on the page breaks a rule of axe's, once the page is drawn. What is
    drawn anew is pale: if that begins while axe looks, it looks again.
    """
    found: list[str] = []
    for _ in range(3):
        settle(page)
        if not (found := page.evaluate(BROKEN, [place, rules])):
            break
    return found


def below_the_fold(
    page: Page, *, bare: bool = False, above: str = "", long: bool = False
) -> Iterator[int]:
    """Widths of the windows in which what a page shows first is not whole, or on a
    telephone or where it is `long` does not begin, on the first screen, below what
    stands `above` it. Words alone lie alike in any window: there is none to try.
    """
    sizes = [(LOOKED_AT, SIZES[0][1], True)] if bare and not above else SIZES
    for size, height, whole in sizes:
        page.set_viewport_size(size)
        try:
            page.wait_for_function(FITS, arg=[height, whole, bare, above, long], timeout=PATIENCE)
        except Error:
            yield size["width"]
    page.set_viewport_size(LOOKED_AT)
    # until then the menus are in the sidebar, as on a telephone
    page.get_by_test_id("stTopNavSection").first.wait_for()


def assert_prints_content_only(page: Page, name: str) -> None:
    page.emulate_media(media="print")
    expect(page.locator(ON_PAPER).filter(visible=True), name).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    charts = page.locator(".js-plotly-plot .main-svg")
    for event, shrink in (("beforeprint", charts.count()), ("afterprint", 0)):
        page.evaluate("(event) => window.dispatchEvent(new Event(event))", event)
        expect(page.locator(".js-plotly-plot .main-svg[viewBox]"), name).to_have_count(shrink)
    page.emulate_media(media="screen")


def test_pages_when_looked_at_in_either_theme_then_no_serious_rule_is_broken(server, page):
    """One after the other by the menus, as a reader walks, so that Streamlit's own
    scripts are loaded once. What is around a page is looked at with the first of each
    section. Colours are looked at where they are new, in both themes, the second of
    which stays for the next page. Charts are left out, which the rules can tell little
    of: another test looks at a page with them. All of a page is within the window: of
    colours beyond it the rules say nothing. What a page shows first is whole on a small
    screen, and begins on a telephone's, where a run is hidden too. Some pages are
    printed.
    """
    page.route(
        "**/PlotlyChart.*.js",
        lambda route: route.fulfill(content_type="text/javascript", body=CHART),
    )
    page.set_viewport_size(LOOKED_AT)
    page.goto(f"{server}/curves?{FEW}&runs=hide+krill")
    finish(page)  # a page that is picked before lacks measures in its address until the next press
    page.evaluate(AXE)
    page.evaluate("axe.configure({rules: [{id: 'color-contrast', selector: '[data-new]'}]})")
    broken, below, seen, themes = {}, set(), set(), ["light", "dark"]
    for section, name in WALK:
        # the first page stands at the root
        path, before = "" if name == FIRST else name, page.title()
        link = page.locator(
            f"[data-testid=stTopNavDropdownLink][href$='/{path}'], .st-key-tabs a[href='{path}']"
        )
        pick(
            page,
            section.capitalize(),
            link,
            lambda before=before: page.wait_for_function(OTHER, arg=before, timeout=PATIENCE),
        )
        page.wait_for_url(re.compile(rf"/{path}(\?|$)"))
        page.locator(
            f"{MAIN} {FRESH} {SIGNS.get(name, '[data-testid=stCaptionContainer]')}"
        ).first.wait_for(state="attached")
        finish(page)
        around = MAIN if section in seen else WHOLE
        new = page.evaluate(NEW, [around, DRAWINGS])
        broken[name, themes[0]] = broken_rules(page, include=[around], exclude=[[DRAWINGS]])
        if new:
            themes.reverse()
            page.emulate_media(color_scheme=themes[0])
            expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", themes[0])
            finish(page)  # its charts are drawn again
            page.evaluate(NEW, [around, DRAWINGS])
            broken[name, themes[0]] = broken_rules(
                page, rules=["color-contrast"], include=[around], exclude=[[DRAWINGS]]
            )
        assert page.title()
        if name not in menu.WITHOUT_MEASURES:
            page.wait_for_url(re.compile("measures=AP"))
        below |= {
            (name, width)
            for width in below_the_fold(
                page, bare=name in BARE, above=ABOVE.get(name, ""), long=section == LONG
            )
        }
        if name in PRINTED:
            assert_prints_content_only(page, name)
        assert page.get_by_role("alert").filter(has_text="error").count() == 0
        seen.add(section)
    assert {place: rules for place, rules in broken.items() if rules} == {}
    assert below == set()


def test_judges_pages_when_qrels_of_two_were_dropped_then_what_they_show_first_is_on_the_screen(
    server, page, tmp_path
):
    page.route(
        "**/PlotlyChart.*.js",
        lambda route: route.fulfill(content_type="text/javascript", body=CHART),
    )
    lines = [
        line.split() for line in gzip.decompress(Path(SAMPLE[0]).read_bytes()).decode().splitlines()
    ]
    for name, grades in {"a-language-model": "100", "a-second-assessor": "012"}.items():
        (tmp_path / name).write_text(
            "".join(f"{t} 0 {d} {grades[min(int(grade), 2)]}\n" for t, _, d, grade in lines)
        )
    page.goto(f"{server}/judges?{FEW}&other=From+files")
    page.get_by_role("button", name="Second judge").wait_for()
    finish(page)  # drawing closes what is open
    page.get_by_role("button", name="Second judge").click()
    page.locator(DROPZONE).last.set_input_files([*tmp_path.iterdir()])
    expect(page.get_by_test_id("stMain").get_by_text("a-second-assessor").first).to_be_attached()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    below = set()
    for name in ("Judges", "Systems", "Holes"):
        if name != "Judges":
            go_beside(page, name, f"[class*=st-key-chart-{name.lower()}]")
        below |= {(name, width) for width in below_the_fold(page)}
    assert below == set()


@pytest.mark.parametrize(
    ("path", "width"),
    [
        ("scorecard", 390),
        ("lessons?lesson=tenth_left&step=figure", 1280),
        ("lessons?lesson=tenth_left&step=figure", 390),
        ("lessons?lesson=ten_unjudged&step=figure", 390),
    ],
)
def test_charts_when_narrow_or_projected_then_no_text_leaves_its_figure_and_no_name_covers_another(
    server, page, path, width
):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{server}/{path}")
    page.locator(".js-plotly-plot .xtick text").first.wait_for(state="attached")
    finish(page)
    # a chart is drawn once more where its names need another place
    page.wait_for_function(f"() => !({CUT})().length")


def test_rankings_when_there_is_little_room_then_no_name_covers_another_and_what_is_cut_shows_it(
    server, page
):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server}/rankings?measures=AP&measures=Q&topics_only=901-905&rankings.view=Table")
    show(page, "chart-rankings-slope")
    sides = page.locator(".st-key-chart-rankings-slope .textpoint text")
    expect(sides.nth(40)).to_be_visible()
    finish(page)
    assert sides.evaluate_all(COVERED) == []
    show(page, "chart-rankings-lines")
    names = page.locator(".st-key-chart-rankings-lines g.xtick")
    expect(names.nth(14)).to_be_attached()
    finish(page)
    boxes = [box for name in names.all() if (box := name.bounding_box())]
    assert 7 <= len(boxes) < 15
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(boxes))
    page.evaluate(AXE)
    assert broken_rules(page, include=[MAIN], exclude=[[DRAWINGS]]) == []
    table = page.get_by_test_id("stDataFrame")
    page.set_viewport_size({"width": 280, "height": 844})
    page.wait_for_function(f"one => {FADE} === '1'", arg=table.element_handle())
    table.locator(".dvn-scroller").evaluate("one => one.scrollLeft = one.scrollWidth")
    page.wait_for_function(f"one => {FADE} === '0'", arg=table.element_handle())
    page.keyboard.press("Tab")
    link = page.get_by_test_id("stMain").get_by_test_id("stPageLink").get_by_role("link").first
    link.focus()
    expect(link).to_have_css("outline-style", "solid")
    page.set_viewport_size(LOOKED_AT)
    text = page.locator(f"{MAIN} [class*=st-key-in_force] [data-testid=stCaptionContainer] p").first
    for width, title in (("3rem", text.inner_text()), ("max-content", "")):
        text.evaluate("(one, width) => { one.style.width = width; }", width)
        text.dispatch_event("mouseover")
        expect(text).to_have_attribute("title", title)


def test_charts_when_the_device_gets_dark_or_light_then_they_do_too(server, page):
    page.goto(f"{server}/agreement?measures=AP&measures=Q")
    finish(page)
    for theme, paper in (("dark", "rgb(23, 22, 20)"), ("light", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=theme)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", paper)
        chart = page.locator(f"{FRESH} .js-plotly-plot .main-svg").first
        expect(chart).to_have_css("background-color", paper)


def test_switches_when_pressed_then_the_link_is_copied_and_the_theme_holds_on_every_page(
    server, page
):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{server}/report?measures=AP")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    expect(page).to_have_url(page.evaluate("navigator.clipboard.readText()"))
    settle(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="dark", exact=True).click()
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    page.goto(f"{server}/selection")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
