"""What is picked on a chart, in a real browser: a run is highlighted everywhere, topics are listed."""

import re

from playwright.sync_api import Page, expect

from irmeval.ui.widgets.browser import SCRIPT
from tests.driving import DRAWN, PATIENCE, box, go, insist, settle, visitor

FEW = "measures=AP&topics_only=901-920&random_runs=8"
MEANWHILE = "addEventListener('click', () => queueMicrotask(() => document.querySelector('h1').click()), {once: true})"
"""After the next click, before the server knows of it, a script presses something too, as the page does with a chart that is in view."""


def test_run_when_its_line_is_clicked_then_it_is_highlighted_on_other_pages_until_escape(server, page):
    page.goto(f"{server}/unjudged?{FEW}")
    page.wait_for_selector(DRAWN)
    settle(page)
    point = ".st-key-chart-unjudged-shares .scatterlayer .trace:nth-child(8) .point:nth-child(4)"
    insist(lambda: click(page, point), lambda: expect(page).to_have_url(re.compile(r"[?&]run=[\w-]+"), timeout=PATIENCE))
    run = page.url.split("run=")[1].split("&")[0]
    go(page, "Scores", "Topics", "text=By topic")
    expect(page.locator(".st-key-chart-topics-by-run").get_by_text(run, exact=True)).to_have_css("font-weight", "700")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("run=|view="))  # nor is the table open, as it was on the page before


def test_topics_when_a_box_is_drawn_around_their_bars_then_they_are_listed_and_can_be_worked_on_alone(server, page):
    page.goto(f"{server}/two-runs?{FEW}")
    page.wait_for_selector(".st-key-chart-two .point")
    settle(page)
    plot = page.locator(".st-key-chart-two .nsewdrag").first
    plot.scroll_into_view_if_needed()
    at = box(plot)
    page.mouse.move(at["x"] + 3, at["y"] + 3)
    page.mouse.down()
    page.mouse.move(at["x"] + at["width"] / 4, at["y"] + at["height"] - 3, steps=5)
    page.mouse.up()
    page.wait_for_selector("text=mean difference in AP")
    page.get_by_role("button", name="Use only these topics").click()
    expect(page).to_have_url(re.compile(r"topics_only=(?!901-920)\d+"))


def test_runs_when_searched_and_hidden_then_every_page_and_a_new_visitor_with_the_address_see_the_others(server, page, browser):
    page.goto(f"{server}/rankings?{FEW}")
    page.wait_for_selector(DRAWN)
    settle(page)
    page.locator(".st-key-runs_listed summary").click()
    eyes = page.locator(".runs button[data-part=eye]")
    expect(eyes).to_have_count(8)
    run = eyes.first.get_attribute("data-run")
    eyes.first.focus()
    page.evaluate(MEANWHILE)
    page.keyboard.press("Enter")
    note = page.locator(".st-key-runs_note").get_by_text(re.compile(r"^\d+ of 8 runs? (is|are) drawn$"))
    expect(note).to_have_text("7 of 8 runs are drawn")
    expect(eyes.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(eyes.nth(1)).to_be_focused()
    field = page.locator(".st-key-show input")
    field.fill(f"/^({run}|{eyes.nth(1).get_attribute('data-run')})$/")
    field.press("Enter")
    expect(note).to_have_text("1 of 8 runs is drawn")
    go(page, "Scores", "Topics", "text=By topic")
    expect(note).to_have_text("1 of 8 runs is drawn")
    other = browser.new_context().new_page()
    other.goto(page.url)
    expect(other.locator(".st-key-runs_note")).to_contain_text("1 of 8 runs is drawn")
    other.context.close()
    page.locator(".st-key-runs_all").get_by_role("button").first.click()
    expect(note).to_have_count(0)
    expect(page).not_to_have_url(re.compile("show=|hidden="))


def click(page: Page, point: str) -> None:
    """A point of a chart, which Plotly must have seen the mouse on before."""
    page.locator(point).first.scroll_into_view_if_needed()
    at = box(page.locator(point).first)
    page.mouse.move(at["x"], at["y"] + at["height"] / 2)
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.wait_for_selector(".hoverlayer .hovertext", timeout=PATIENCE)
    page.mouse.down()
    page.mouse.up()


def test_chart_when_in_view_and_the_visitor_moves_then_it_takes_the_place_of_its_picture_and_keeps_the_focus(server, browser):
    with visitor(browser, moves=False) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{server}/rankings")
        expect(page.locator(".still")).to_have_count(3)
        settle(page)
        lines = page.locator(".st-key-chart-rankings-lines")
        assert not lines.count()
        page.get_by_role("button", name="Show the chart").first.focus()
        expect(lines.get_by_role("button", name="Fullscreen", exact=True)).to_be_focused()
        assert not page.locator("[class*=st-key-chart-rankings-s]").count()
        with page.expect_download() as started:  # of a chart that is not there yet
            page.locator("[data-save=chart-rankings-slope][data-image=svg]").press("Enter")
        assert started.value.suggested_filename == "rankings-slope.svg"
        page.locator("[data-save=chart-rankings-scatter]").first.scroll_into_view_if_needed()
        page.wait_for_selector(".st-key-chart-rankings-scatter .main-svg", state="attached")
        page.wait_for_selector(".still", state="detached")  # one after the other, all that are seen
        go(page, "Scores", "Topics", ".still")
        page.set_viewport_size({"width": 390, "height": 844})  # where a picture would be small
        page.wait_for_selector(".main-svg", state="attached")


def test_pictures_when_they_were_there_before_the_script_and_nothing_else_comes_then_become_charts_too(page):
    page.set_content("""<div data-test-script-state=notRunning data-testid=stMain><div class=st-key-still-chart-a>
        <img class=still width=99 height=99><button onclick="pressed = true">Show the chart</button></div></div>""")
    page.evaluate(f"() => {{{SCRIPT}}}")
    page.evaluate("document.querySelector('button').dispatchEvent(new WheelEvent('wheel', {bubbles: true}))")
    page.wait_for_function("window.pressed")


def test_picture_when_its_chart_is_being_drawn_then_stays_behind_it_until_it_is(page):
    page.set_content("""<div data-test-script-state=notRunning data-testid=stMain><div id=block><div><div class=st-key-still-chart-a>
        <img class=still width=99 height=99 src=data:,picture>
        <button onclick="block.innerHTML = '<p class=st-key-chart-a></p>'">Show the chart</button></div></div></div></div>""")
    page.evaluate(f"() => {{{SCRIPT}}}")
    page.evaluate("block.dispatchEvent(new WheelEvent('wheel', {bubbles: true}))")
    page.wait_for_selector(".st-key-chart-a", state="attached")
    block = page.locator("#block")
    expect(block).to_have_css("background-image", 'url("data:,picture")')
    page.evaluate("document.querySelector('.st-key-chart-a').innerHTML = '<svg class=main-svg></svg>'")
    expect(block).to_have_css("background-image", "none")


def test_pictures_when_a_choice_follows_a_movement_at_once_then_they_wait_for_it_as_their_press_would_swallow_it(browser):
    with visitor(browser, moves=False) as page:
        page.set_content("""<div data-test-script-state=notRunning data-testid=stMain><div class=st-key-still-chart-a>
            <img class=still width=99 height=99><button onclick="order.push('chart')">Show the chart</button></div>
            <p id=choice onclick="order.push('choice')">Choice</p></div>""")
        page.evaluate(f"() => {{window.order = []; {SCRIPT}}}")
        page.evaluate("new Promise(resolve => new IntersectionObserver(resolve).observe(document.querySelector('.still')))")
        page.wait_for_function("performance.now() > 2100")  # from when on pictures are pressed
        order = page.evaluate(
            """() => {
                const choice = document.querySelector('#choice');
                for (const sign of ['pointermove', 'pointerdown']) choice.dispatchEvent(new PointerEvent(sign, {bubbles: true}));
                choice.click();
                return [...order];
            }"""
        )
        assert order == ["choice"]
        page.wait_for_function("order.length == 2")


def test_picture_when_a_visitor_presses_a_button_just_after_it_presses_its_own_then_both_are_done(server, browser):
    with visitor(browser, moves=False) as page:
        page.goto(f"{server}/unjudged?measures=AP&topics_only=901-905&random_runs=8&trials=2")
        add, still = page.get_by_role("button", name="Add to report"), page.locator(".still")
        expect(add).to_be_visible()
        settle(page)
        page.evaluate(
            """([add]) => document.addEventListener("click", ({isTrusted}) => {
                if (!isTrusted) queueMicrotask(() => add.click());  // before the browser is idle, when Streamlit sends what is pressed
            }, {once: true, capture: true})""",
            [add.element_handle()],
        )
        still.first.scroll_into_view_if_needed()
        page.mouse.move(*[page.viewport_size[side] / 2 for side in ("width", "height")])
        expect(page.get_by_test_id("stTopNavSection").last).to_have_text("Report (1)")
        expect(still).to_have_count(0)
        page.wait_for_selector(DRAWN)
