"""While a page comes: nothing that waits is painted again and again, and no press is lost."""

import pytest
from playwright.sync_api import expect

from tests.driving import DRAWN, LIMIT, SIZE, finish

MOVING = """() => {
    window.moved = [];
    const look = () => {
        for (const one of document.getAnimations()) {
            const place = one.effect.target.closest(
                '[data-testid=stSkeleton], [data-testid=stProgress], .stElementContainer');
            const {duration} = one.effect.getComputedTiming();
            if (place && duration > 0 && one.playState === 'running')
                window.moved.push(place.dataset.testid);
        }
        if (document.querySelector('[data-testid=stSkeleton]')) window.waited = true;
        requestAnimationFrame(look);
    };
    look();
}"""
"""Look at every frame which skeletons, bars and parts of the page are being moved."""


def test_page_when_it_comes_then_nothing_that_waits_moves(browser, server):
    context = browser.new_context(viewport=SIZE, reduced_motion="no-preference")
    page = context.new_page()
    page.set_default_timeout(LIMIT)
    page.add_init_script(f"({MOVING})()")
    page.goto(f"{server}/matrix")
    page.wait_for_selector("[data-testid=stMain] .js-plotly-plot .main-svg")
    finish(page)
    waited, moved = page.evaluate("[window.waited, [...new Set(window.moved)]]")
    context.close()
    assert waited
    assert moved == []


MOVES = """() => addEventListener('pointerdown', () => {
    document.querySelector('[data-testid=stMainBlockContainer]').style.paddingTop = '400px';
}, {capture: true, once: true})"""
"""As a press begins, the page moves: what is above gets longer."""


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("Table", "[role=radio][aria-checked=true]"),
        ("Change", "[data-testid=stPopoverBody]"),
        ("Compare", "[role=switch]:checked"),
        ("Stability", "h1:has-text('Would other topics agree?')"),
    ],
)
def test_press_when_the_page_moves_before_it_ends_then_it_counts(server, page, name, does):
    page.goto(f"{server}/swap?measures=AP&measures=RR")
    page.wait_for_selector(f".st-key-chart-swap-rates {DRAWN}")
    finish(page)
    expect(page.locator(does)).to_have_count(0)
    page.evaluate(MOVES)
    page.get_by_test_id("stMain").get_by_text(name, exact=True).first.click()
    page.locator(does).first.wait_for(state="attached")
