"""What waits does not move: nothing is painted again and again while a page comes."""

from tests.driving import LIMIT, READY, SIZE

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
    page.add_init_script(f"({MOVING})()")
    page.goto(f"{server}/matrix")
    page.wait_for_selector("[data-testid=stMain] .js-plotly-plot .main-svg", timeout=LIMIT)
    page.wait_for_selector(READY, timeout=LIMIT)
    waited, moved = page.evaluate("[window.waited, [...new Set(window.moved)]]")
    context.close()
    assert waited
    assert moved == []
