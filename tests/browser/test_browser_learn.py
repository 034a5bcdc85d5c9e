"""The metric lab in a real browser: what a click changes and draws again."""

import re

from playwright.sync_api import expect

from irmeval.experiments.learn.lab import Params, lab
from tests.driving import FRAGMENT, FRESH, box, drawings, go, settle


def shown(page) -> dict[str, str]:
    """Title of each cell of the board -> the score in it."""
    return dict(
        page.evaluate(
            "[...document.querySelectorAll('.lab td[title]')].map(c => [c.title,"
            " c.querySelector('span').textContent])"
        )
    )


def expected(text: str, rest: str) -> dict[str, str]:
    result = lab(None, ["AP", "Q", "nDCG", "Bpref"], Params(text, rest))
    scores = {str(m): result.score(m) for m in result.measures}
    found = {
        f"{kind} {m}": s
        for m, pair in scores.items()
        for kind, s in zip(("raw", "condensed"), pair, strict=True)
    }
    return {name: f"{score:.4f}" for name, score in found.items() if score is not None}


def click(page, rank: int, option: str) -> None:
    page.locator(f"[class*=st-key-lab-at-{rank - 1}-]{FRESH}").get_by_role(
        "radio", name=option, exact=True
    ).click()


def test_lab_when_rows_are_edited_then_the_bench_alone_is_drawn_once_as_scored_and_in_the_address(
    server, page
):
    page.set_viewport_size({"width": 1280, "height": 720})
    drawn = drawings(page)
    page.goto(f"{server}/lab")
    page.wait_for_selector(".lab")
    settle(page)
    # on a projector, rows are in one line each, and all is within the screen
    rows = page.locator("[class*=st-key-lab-at-] [role=radiogroup]")
    expect(rows).to_have_count(8)
    boxes = [box(rows.nth(i)) for i in range(8)]
    others = [
        box(page.locator(at))
        for at in (
            ".lab",
            *(f".st-key-{key}" for key in ("lab-example", "lab-add", "lab-a", "lab-d")),
        )
    ]
    assert all(row["height"] < 40 for row in boxes)
    assert max(one["y"] + one["height"] for one in (boxes[-1], *others)) <= 720
    # what a click changes
    assert expected("0-3-x-1-0-x-2-0", "1").items() <= shown(page).items()
    drawn.clear()
    for rank, option, text in (
        (1, "1", "1-3-x-1-0-x-2-0"),
        (1, "2", "2-3-x-1-0-x-2-0"),
        (2, "↑", "3-2-x-1-0-x-2-0"),
        (3, "✕", "3-2-1-0-x-2-0"),
        (6, "✕", "3-2-1-0-x-0"),
    ):
        click(page, rank, option)
        expect(page.locator(".st-key-lab-list input")).to_have_value(text)
        settle(page)
    assert drawn == [FRAGMENT] * 5
    assert expected("3-2-1-0-x-0", "1-2").items() <= shown(page).items()
    expect(page).to_have_url(re.compile("list=3-2-1-0-x-0.*rest=1-2"))
    go(page, "Learn", "Lessons", "[class*=st-key-open-]")
    go(page, "Learn", "Metric lab", ".lab")
    expect(page.locator(".st-key-lab-list input")).to_have_value("3-2-1-0-x-0")
