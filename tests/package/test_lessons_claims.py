"""Lessons on the sample and on real collections: their claims hold in the figure beside
them, or they say what holds.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from irmeval import Collection, lessons
from irmeval.experiments import EXPERIMENTS
from irmeval.lessons import handout
from irmeval.lessons.answers import answer_of
from irmeval.lessons.reading import DECIDED, FIGURES, FILLED
from irmeval.lessons.words import PLACE
from irmeval.plots.line_charts import BAND
from irmeval.plots.projected import with_lines
from irmeval.scoring.selection import Selection, select
from irmeval.ui.widgets import ranked_list
from tests.cases import read_once
from tests.conftest import real
from tests.dashboard import fine, texts
from tests.pages.test_lessons_page import opened, shown, told

SAMPLE = "sample"
OTHERWISE = {
    ("robust03", "ten_unjudged"): 1,
    ("robust03", "broken_top"): 1,
    ("trec-covid-rnd1", "broken_top"): 1,
    ("trec-covid-rnd1", "two_judges"): 2,
}
"""Collection and lesson -> the choice that is right there, where it is another one than
on the sample. The lesson's page says so.
"""
ON = [(SAMPLE, name) for name in lessons.names()]
TOPICS = {"robust03": "601-650"}
"""Collection -> those of its topics that are used, where all would take twice as long:
here the new ones of 2003.
"""
ON += [
    (where, name)
    for where in ("robust03", "trec-covid-rnd1")
    for name in lessons.names()
    if lessons.load(name).data
]


@pytest.fixture(scope="module", params=lessons.names())
def answered(request) -> lessons.Answer:
    """A lesson's answer on the sample, for all who look at it one after the other; the
    page finds it computed.
    """
    return told(request.param)


@pytest.mark.parametrize(("where", "name"), ON)
def test_claims_when_computed_on_a_collection_then_one_choice_is_right_and_its_figure_shows_it(
    where, name
):
    if where == SAMPLE:
        answer = told(name)
    else:
        collection, lesson = selected(where), lessons.load(name)
        answer = answer_of(
            lesson,
            EXPERIMENTS[lesson.experiment](lesson.on(collection), lesson.measures, lesson.params),
        )
    lesson = answer.lesson
    assert answer.right == OTHERWISE.get((where, name), lesson.right), answer.numbers
    whole = [all(claim.holds(answer.numbers) for claim in claims) for claims in lesson.claims]
    assert whole == [choice == answer.right for choice in range(1, len(lesson.choices) + 1)]
    if where == SAMPLE:
        assert [
            answer.claim_text(claim) for claim in lesson.said if not claim.holds(answer.numbers)
        ] == []
    assert [
        text
        for text in (answer.look, answer.punch, answer.work)
        if re.search(r"[{}|]|\bnan\b", text)
    ] == []
    assert [name for name in shown_numbers(lesson) if not is_drawn(answer, name)] == []


@cache
def selected(where: str) -> Collection:
    """A real collection, or a part of it."""
    return select(
        read_once(real(where) / "qrels.txt", real(where) / "runs"),
        Selection(topics_only=TOPICS.get(where, "")),
    ).collection


def shown_numbers(lesson: lessons.Lesson) -> set[str]:
    """The numbers of the punch line, and of the claims of the choices."""
    claimed = {side for claims in lesson.claims for claim in claims for side in claim.sides}
    return ({*PLACE.findall(lesson.punch)} | claimed) & {*lesson.numbers}


def is_drawn(answer: lessons.Answer, name: str) -> bool:
    """Whether the lesson's figure shows a number, as a point (per cent or not) or as
    text; of a difference or a quotient, both parts.
    """
    if answer.lesson.experiment == "lab":
        return f"{answer.numbers[name]:.3f}" in ranked_list.figure(
            answer.result, answer.lesson.chart
        )
    number, figure = (
        answer.lesson.numbers[name],
        with_lines(answer.chart.draw(), answer.lesson.lines),
    )
    rows = [
        number.where,
        *({**number.where, **other} for other in (number.less, number.over) if other),
    ]
    parts = {
        f"{name}_{i}": replace(number, where=row, less={}, over={}) for i, row in enumerate(rows)
    }
    bare = answer_of(replace(answer.lesson, numbers=parts, claims=()), answer.result)
    points = [
        value
        for trace in figure.data
        for axis in (trace.x, trace.y)
        for value in axis
        if isinstance(value, int | float)
    ]
    written = " ".join(note.text for note in figure.layout.annotations)
    return all(
        bare.number_text(part) in written
        or any(abs(value - point) < 1e-9 for point in points for value in (found, 100 * found))
        for part, found in bare.numbers.items()
    )


def test_numbers_of_a_lesson_when_read_then_each_is_told_or_claimed(answered):
    lesson = answered.lesson
    used = {name for key in FILLED for name in PLACE.findall(getattr(lesson, key))} - {DECIDED}
    claims = [claim for claims in (*lesson.claims, lesson.said) for claim in claims]
    assert {*lesson.numbers} == used | {side for claim in claims for side in claim.sides} & {
        *lesson.numbers
    }
    assert used & shown_numbers(lesson)


def test_notebook_when_made_of_a_lesson_then_computes_it(answered):
    assert f"lessons.load('{answered.lesson.name}')" in handout.notebook([answered])


def test_question_when_it_is_about_a_list_then_shows_it(answered):
    assert bool(answered.lesson.scene) is not answered.lesson.data


def sentences(*texts: str) -> Iterator[str]:
    return (sentence for text in texts for sentence in re.split(r"(?<=[.?!:;]) ", text))


def test_texts_when_shown_then_no_sentence_is_long(answered):
    lesson = answered.lesson
    said = sentences(lesson.question, *lesson.choices, answered.look, answered.punch, answered.work)
    assert [sentence for sentence in said if len(sentence.split()) > 25] == []


def test_numbers_in_the_punch_line_when_read_then_are_written_as_computed_and_none_is_typed(
    answered,
):
    for place in {*PLACE.findall(answered.lesson.punch)} - {DECIDED}:
        assert answered.number_text(place) in answered.punch
    typed = re.findall(r"\d+\.\d+|\d+%", PLACE.sub("", answered.lesson.punch))
    given = [str(value) for value in vars(answered.lesson.params).values()]
    assert [text for text in typed if text.rstrip("%") not in " ".join(given)] == []


def test_chart_when_named_then_the_experiment_draws_it_with_the_lines_that_are_named(answered):
    lesson = answered.lesson
    if lesson.experiment == "lab":
        assert lesson.chart in FIGURES["lab"]
    else:
        drawn = {
            trace.name
            for trace in with_lines(answered.chart.draw(), lesson.lines).data
            if not trace.name.endswith(BAND)
        }
        assert drawn == {*lesson.lines.values()} if lesson.lines else drawn


def test_figure_when_nobody_has_chosen_then_is_not_shown_and_after_a_guess_is_beside_the_answer(
    answered,
):
    lesson = answered.lesson
    app = fine(opened(lesson.name))
    assert not shown(app)
    assert len([button for button in app.button if button.key.startswith("guess-")]) == len(
        lesson.choices
    )
    app.button(key=f"guess-{lesson.right}").click().run()
    assert shown(fine(app))
    assert app.title[0].value == answered.punch
    assert "That is right" in texts(app)
