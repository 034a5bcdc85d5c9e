"""Lessons in a real browser: clicks to a punch line, arrow keys, a room that votes; every
lesson is told in test_lessons_claims.
"""

import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from irmeval import lessons
from tests.cases import SAMPLE, read_once
from tests.driving import FRESH, PATIENCE, box, insist, settle, window

TOLD = "tenth_left", "ideal_rbp"
"""One whose figure is a chart, one whose figure is of lists."""


def test_lessons_when_told_one_after_another_then_each_takes_three_clicks_and_arrow_keys_step(
    server, page
):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{server}/lessons")
    page.locator("[class*=st-key-open-] button").first.wait_for()
    settle(page)
    page.evaluate("window.clicks = 0; addEventListener('click', () => window.clicks++, true)")
    # for a moment the one before stands beside it
    title = page.get_by_test_id("stMain").locator("h1").last
    figure = page.locator(".js-plotly-plot .main-svg, .toy")
    for name in TOLD:
        answer = lessons.answer(lesson := lessons.load(name), read_once(*SAMPLE))
        page.evaluate("window.clicks = 0")
        page.locator(f".st-key-open-{name} button").click()
        expect(title).to_have_text(lesson.question)
        settle(page)
        assert figure.count() == 0
        page.locator(f".st-key-guess-{lesson.right} button").click()
        expect(title).to_have_text(answer.punch)
        expect(figure.first).to_be_visible()
        caption = (
            page.get_by_test_id("stMain")
            .get_by_test_id("stCaptionContainer")
            .filter(has_text=answer.look)
        )
        expect(caption).to_be_in_viewport(ratio=1)
        expect(page.locator(".st-key-asked")).to_contain_text(lesson.question)
        assert page.evaluate("window.clicks") <= 3
        expect(page).to_have_url(re.compile(f"lesson={name}&step=figure"))
        settle(page)
        page.locator(".st-key-lessons_all button").click()
        expect(page.locator(f".st-key-open-{name} button")).to_be_visible()
        settle(page)
    page.locator(".st-key-open-one_rank_down button").click()
    expect(page.locator(".st-key-guess-1")).to_be_visible()
    settle(page)
    insist(
        lambda: page.keyboard.press("ArrowRight"),
        lambda: expect(page.locator(".st-key-asked")).to_be_visible(timeout=PATIENCE // 6),
    )
    settle(page)
    page.locator(".st-key-lessons_all button").click()
    expect(page.locator(".st-key-open-ideal_rbp button")).to_be_visible()
    settle(page)
    page.locator(".st-key-open-ideal_rbp button").click()
    lesson = lessons.load("ideal_rbp")
    said = [lesson.question, lessons.answer(lesson).punch, "The formula at work", "Source"]
    expect(title).to_have_text(said[0])
    for key, steps in (
        ("ArrowRight", said[1:]),
        ("ArrowLeft", said[-2::-1]),
        ("PageDown", said[1:]),
        ("PageUp", said[-2::-1]),
        (" ", said[1:2]),
    ):
        for text in steps:
            settle(page)
            page.keyboard.press(key)
            expect(title).to_have_text(text)
    page.keyboard.press("b")
    expect(title).not_to_be_visible()
    page.keyboard.press("PageDown")
    expect(title).to_have_text(said[2])
    page.locator(".st-key-lessons_all button").click()
    expect(page.locator(".st-key-lesson_now")).to_be_visible()
    settle(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".st-key-lesson_bar")).to_be_visible()


def test_figure_when_on_a_projector_then_type_is_as_large_in_proportion_and_all_is_on_the_screen(
    server, page
):
    heights = []
    for width, height in (1280, 720), (1920, 1080):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{server}/lessons?lesson=ideal_rbp&step=figure")
        tick = page.locator(".ytick text").first
        expect(tick).to_be_visible()
        expect(
            page.get_by_test_id("stMain").get_by_test_id("stCaptionContainer").last
        ).to_be_in_viewport(ratio=1)
        settle(page)
        heights.append(box(tick)["height"] / height)
        assert box(page.locator(".js-plotly-plot .main-svg").first)["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert heights[0] == pytest.approx(heights[1], abs=0.003)
    assert heights[1] > 0.03


def test_room_when_ten_vote_at_once_then_all_count_hidden_until_shown_and_kept_after_a_reload(
    server, page, browser
):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server}/lessons?lesson=ideal_rbp")

    def press(key: str) -> None:
        page.locator(f".st-key-{key}{FRESH} button").first.click()

    expect(page.locator(".st-key-guess-3")).to_be_visible()
    settle(page)
    press("room_open")
    code = page.locator(".invite b").inner_text().replace(" ", "")
    with ExitStack() as stack:
        telephones = [stack.enter_context(window(browser)) for _ in range(10)]
        for telephone in telephones:
            telephone.set_viewport_size({"width": 390, "height": 844})
            telephone.goto(f"{server}/vote?room={code}")
        for i, telephone in enumerate(telephones):
            if i % 2:  # by the keyboard
                telephone.locator("button").nth(1).focus()
                telephone.keyboard.press("Enter")
            else:
                telephone.locator("button").nth(0).click(no_wait_after=True)
        for telephone in telephones:
            expect(telephone.locator("[aria-pressed=true]")).to_be_focused()
        assert telephones[0].evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.get_by_text("10 votes")).to_be_visible()
        assert page.locator(".votes i").count() == 0
        press("room_show")
        expect(page.locator(".votes .now + span")).to_have_text(["5", "5", "0"])
        for telephone in telephones:
            expect(telephone.get_by_text("Look at the screen")).to_be_visible()
        press("room_again")
        for telephone in telephones:
            expect(telephone.get_by_text("Vote again, after talking. Choose one.")).to_be_visible()
            telephone.locator("button").nth(1).click(no_wait_after=True)
        expect(page.get_by_text("10 votes")).to_be_visible()
        page.reload()
        expect(page.get_by_text("10 votes")).to_be_visible()
        settle(page)
        asked = page.locator(".st-key-asked")
        # just after a reload
        insist(
            lambda: page.keyboard.press("PageDown"),  # as a clicker does
            lambda: expect(asked).to_be_visible(timeout=PATIENCE // 6),
        )
        expect(asked).to_contain_text(
            "Before talking: A 5, B 5, C 0. Votes: A 0, B 10, C 0. The right answer is B"
        )
        settle(page)
        page.keyboard.press("ArrowLeft")
        press("room_end")
        for telephone in telephones:
            expect(telephone.get_by_text("it has ended")).to_be_visible()


def test_bars_when_columns_have_long_and_short_heads_then_all_are_on_one_scale(server, page):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server}/lessons?lesson=grades&step=figure")
    tracks = page.locator(".bars i")
    expect(tracks).to_have_count(9)
    settle(page)
    widths = tracks.evaluate_all(
        "tracks => tracks.map(track => track.getBoundingClientRect().width)"
    )
    assert max(widths) - min(widths) < 2
