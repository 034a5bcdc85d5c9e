"""Lessons on the sample: what each claims is what the package computes there."""

import re

import pytest

from irmeval import lessons
from irmeval.lessons.reading import FIGURES, PLACE
from tests.cases import SAMPLE, read_once


@pytest.fixture(scope="module", params=lessons.names())
def answered(request) -> lessons.Answer:
    """A lesson's answer, for all who look at it one after the other."""
    return lessons.answer(lessons.load(request.param), read_once(*SAMPLE))


def test_claims_when_computed_on_the_sample_then_all_hold_and_every_number_has_its_place(answered):
    answer, lesson = answered, answered.lesson
    assert answer.holds, [answer.claim_text(claim) for claim in answer.failed]
    whole = [all(claim.holds(answer.numbers) for claim in claims) for claims in lesson.claims]
    assert whole == [choice == lesson.right for choice in range(1, len(lesson.choices) + 1)]
    assert not PLACE.search(answer.punch + answer.work)
    told = {*PLACE.findall(lesson.punch), *PLACE.findall(lesson.work)}
    claimed = {side for claims in lesson.claims for claim in claims for side in claim.sides}
    assert {*lesson.numbers} == told | claimed & {*lesson.numbers}
    assert told & claimed


def test_numbers_in_the_punch_line_when_read_then_are_written_as_computed_and_none_is_typed(answered):
    for place in PLACE.findall(answered.lesson.punch):
        assert answered.number_text(place) in answered.punch
    typed = re.findall(r"\d+\.\d+|\d+%", PLACE.sub("", answered.lesson.punch))
    given = [str(value) for value in vars(answered.lesson.params).values()]
    assert [text for text in typed if text.rstrip("%") not in " ".join(given)] == []


def test_chart_when_named_then_the_experiment_draws_it(answered):
    lesson, result = answered.lesson, answered.result
    charts = {chart.name: chart for chart in result.charts()}
    assert lesson.chart in FIGURES.get(lesson.experiment, ()) or charts[lesson.chart].draw().data
