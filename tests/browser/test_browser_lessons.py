"""Lessons in a real browser: how many clicks it takes to a punch line, and the arrow keys; every lesson is told in test_lessons_page."""

from playwright.sync_api import expect

from irmeval import lessons
from tests.cases import SAMPLE, read_once
from tests.driving import settle

TOLD = "ap_collapses", "ideal_rbp"
"""One whose figure is a chart, one whose figure is of lists."""


def test_lessons_when_told_one_after_the_other_then_each_takes_three_clicks_at_most_and_arrow_keys_step(server, page):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{server}/lessons")
    page.locator("[class*=st-key-open-] button").first.wait_for()
    settle(page)
    page.evaluate("window.clicks = 0; addEventListener('click', () => window.clicks++, true)")
    title = page.get_by_test_id("stMain").locator("h1").last  # for a moment the one before stands beside it
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
        assert page.evaluate("window.clicks") <= 3
        assert f"lesson={name}&step=figure" in page.url
        settle(page)
        page.locator(".st-key-lessons_all button").click()
        expect(page.locator(f".st-key-open-{name} button")).to_be_visible()
        settle(page)
    page.locator(".st-key-open-ideal_rbp button").click()
    lesson = lessons.load("ideal_rbp")
    said = [lesson.question, lessons.answer(lesson).punch, "The formula at work", "Where it comes from"]
    expect(title).to_have_text(said[0])
    for key, steps in (("ArrowRight", said[1:]), ("ArrowLeft", said[-2::-1])):
        for text in steps:
            settle(page)
            page.keyboard.press(key)
            expect(title).to_have_text(text)
