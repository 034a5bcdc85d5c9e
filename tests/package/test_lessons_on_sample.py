"""Lessons on the sample: what each claims is what the package computes there, and what its page shows."""

import re

import pytest

from irmeval import lessons
from irmeval.lessons.reading import DECIDED, FIGURES, PLACE
from tests.dashboard import fine, texts
from tests.pages.test_lessons_page import opened, shown, told


@pytest.fixture(scope="module", params=lessons.names())
def answered(request) -> lessons.Answer:
    """A lesson's answer, for all who look at it one after the other; the page finds it computed."""
    return told(request.param)


def test_claims_when_computed_on_the_sample_then_all_hold_and_every_number_has_its_place(answered):
    answer, lesson = answered, answered.lesson
    assert answer.holds, [answer.claim_text(claim) for claim in answer.failed]
    whole = [all(claim.holds(answer.numbers) for claim in claims) for claims in lesson.claims]
    assert whole == [choice == lesson.right for choice in range(1, len(lesson.choices) + 1)]
    assert not PLACE.search(answer.punch + answer.work)
    told = {*PLACE.findall(lesson.punch), *PLACE.findall(lesson.work)} - {DECIDED}
    claimed = {side for claims in lesson.claims for claim in claims for side in claim.sides}
    assert {*lesson.numbers} == told | claimed & {*lesson.numbers}
    assert told & claimed


def test_numbers_in_the_punch_line_when_read_then_are_written_as_computed_and_none_is_typed(answered):
    for place in {*PLACE.findall(answered.lesson.punch)} - {DECIDED}:
        assert answered.number_text(place) in answered.punch
    typed = re.findall(r"\d+\.\d+|\d+%", PLACE.sub("", answered.lesson.punch))
    given = [str(value) for value in vars(answered.lesson.params).values()]
    assert [text for text in typed if text.rstrip("%") not in " ".join(given)] == []


def test_chart_when_named_then_the_experiment_draws_it(answered):
    lesson, result = answered.lesson, answered.result
    charts = {chart.name: chart for chart in result.charts()}
    assert lesson.chart in FIGURES.get(lesson.experiment, ()) or charts[lesson.chart].draw().data


def test_figure_when_nobody_has_chosen_then_is_not_shown_and_after_a_guess_is_beside_the_computed_answer(answered):
    lesson = answered.lesson
    app = fine(opened(lesson.name))
    assert not shown(app)
    assert len([button for button in app.button if button.key.startswith("guess-")]) == len(lesson.choices)
    app.button(key=f"guess-{lesson.right}").click().run()
    assert shown(fine(app))
    assert app.title[0].value == answered.punch
    assert "That is right" in texts(app)
