"""Lessons on the sample, on real collections and on made-up ones: their claims hold in
the figure beside them, or they say what holds, or that it is too close.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from irmeval import Collection, lessons
from irmeval.cli.lesson import printed
from irmeval.core.errors import IrmevalError
from irmeval.experiments import EXPERIMENTS
from irmeval.lessons import handout
from irmeval.lessons.answers import answer_of
from irmeval.lessons.reading import DECIDED, FIGURES, FILLED
from irmeval.lessons.words import PLACE
from irmeval.plots.canvas import Figure
from irmeval.plots.line_charts import BAND, LEADER
from irmeval.plots.projected import with_lines
from irmeval.scoring.selection import Selection, select
from irmeval.ui.widgets import ranked_list
from tests.cases import read_once
from tests.conftest import real
from tests.dashboard import fine, texts
from tests.madeup import made_up
from tests.pages.test_lessons_page import opened, shown, told

SAMPLE = "sample"
OTHERWISE = {
    "robust03": {"broken_top": 1},
    "trec-covid-rnd1": {
        "bompadas_three": 0,
        "bprefs_order": 0,
        "broken_top": 1,
        "order_is_not_value": 2,
        "two_judges": 2,
    },
    "few": {
        "bompadas_three": 0,
        "bprefs_order": 0,
        "good_judge": 3,
        "mean_scores": 0,
        "team_left_out": 0,
        "ten_documents": 0,
        "tenth_left": 0,
        "two_judges": 0,
        "whose_first": 0,
    },
    "many": {
        "bompadas_three": 3,
        "bprefs_order": 0,
        "good_judge": 3,
        "team_left_out": 0,
        "two_judges": 0,
        "whose_first": 0,
    },
}
"""Collection and lesson -> the choice that is right there, where it is another one than
on the sample, and 0 where none is. The lesson's page says so.
"""
NO_ANSWER = {("few", "ten_unjudged"), ("many", "ten_unjudged")}
"""Where a lesson has no numbers: no document was found by one team alone."""
NONE_RIGHT = {("few", "mean_scores")}
"""Where no claims hold, even without the margin."""
NO_LINES = {"lab", "rankings", "leave-one-out", "what-if", "gains", "audit", "fewer-topics"}
"""Experiments whose charts have no lines of measures."""
MADE_UP = {"few": 0.04, "many": 0.45}
"""Made-up collections, by the share of relevant documents."""
ON = [(SAMPLE, name) for name in lessons.names()]
TOPICS = {"robust03": "601-650"}
"""Collection -> those of its topics that are used, where all would take twice as long:
here the new ones of 2003.
"""
ON += [
    (where, name)
    for where in OTHERWISE
    for name in lessons.names()
    if lessons.load(name).data and (where, name) not in NO_ANSWER
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
    answer = told(name) if where == SAMPLE else answered_on(where, name)
    lesson = answer.lesson
    assert answer.right == OTHERWISE.get(where, {}).get(name, lesson.right), answer.numbers
    whole = [all(map(answer.claim_holds, claims)) for claims in lesson.claims]
    assert whole == [choice == answer.right for choice in range(1, len(lesson.choices) + 1)]
    too_close = not answer.right and (where, name) not in NONE_RIGHT
    assert bool(answer.close) is too_close
    assert answer.verdict.startswith("Too close here") is too_close
    assert (lesson.title in printed(answer)) is answer.holds
    assert [
        text
        for text in (answer.look, answer.punch, answer.work)
        if re.search(r"[{}|]|\bnan\b", text)
    ] == []
    assert [name for name in shown_numbers(lesson) if not is_drawn(answer, name)] == []


@pytest.mark.parametrize(("where", "name"), sorted(NO_ANSWER))
def test_lesson_when_a_collection_has_no_numbers_for_it_then_is_refused(where, name):
    with pytest.raises(IrmevalError):
        answered_on(where, name)


def answered_on(where: str, name: str) -> lessons.Answer:
    """A lesson's answer on a collection that is not the sample."""
    collection, lesson = selected(where), lessons.load(name)
    run = EXPERIMENTS[lesson.experiment]
    return answer_of(lesson, run(lesson.on(collection), lesson.measures, lesson.params))


@cache
def selected(where: str) -> Collection:
    """A made-up collection; or a real one, or a part of it."""
    if where in MADE_UP:
        return made_up(MADE_UP[where])
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
        bars = ranked_list.figure(answer.result, answer.lesson.chart)
        number = replace(answer.lesson.numbers[name], form=".3f")
        places = [number.where, *([{**number.where, **number.less}] if number.less else [])]
        parts = {
            f"part_{i}": replace(number, where=where, less={}) for i, where in enumerate(places)
        }
        found = answer_of(replace(answer.lesson, numbers=parts, claims=()), answer.result)
        return all(found.number_text(part) in bars for part in parts)
    number, figures = answer.lesson.numbers[name], drawn_figures(answer)
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
        for figure in figures
        for trace in figure.data
        for axis in (trace.x, trace.y)
        for value in axis
        if isinstance(value, int | float)
    ]
    notes = [note.text for figure in figures for note in figure.layout.annotations]
    cells = [cell for f in figures for t in f.data if t.type == "heatmap" for cell in texts_of(t)]
    written = " ".join((*notes, *cells))
    return all(
        bare.number_text(part) in written
        or any(abs(value - point) < 1e-9 for point in points for value in (found, 100 * found))
        for part, found in bare.numbers.items()
    )


def drawn_figures(answer: lessons.Answer) -> list[Figure]:
    """The lesson's charts with its lines."""
    return [with_lines(chart.draw(), answer.lesson.lines) for chart in answer.charts]


def texts_of(heatmap: object) -> list[str]:
    """The texts in the cells of a heat map, without zeros before the point."""
    return [f"{value:.2f}" for row in heatmap.z for value in row]


def test_band_when_a_figure_has_one_then_the_lesson_says_what_it_is(answered):
    if answered.lesson.experiment != "lab":
        figures = drawn_figures(answered)
        bands = [t.name for f in figures for t in f.data if str(t.name).endswith(BAND)]
        assert bool(bands) is ("band" in answered.look.lower())


def test_line_when_it_is_drawn_then_a_choice_the_question_or_the_punch_line_names_it(answered):
    lesson = answered.lesson
    if lesson.experiment in NO_LINES or lesson.name == "power_and_topics":  # lines are shares
        return
    told_of = " ".join((lesson.question, *lesson.choices, answered.punch, answered.look)).lower()
    named = {
        str(trace.name).partition("(")[0].lower()
        for figure in drawn_figures(answered)
        for trace in figure.data
        if trace.name and not str(trace.name).endswith(BAND)
    }
    assert [name for name in named if name not in told_of] == []


def test_axis_when_lines_are_left_out_then_ends_close_above_the_highest_that_is_left(answered):
    if not answered.lesson.lines or answered.lesson.experiment in NO_LINES:
        return
    for figure in drawn_figures(answered):
        low, high = figure.layout.yaxis.range
        top = max(y for trace in figure.data for y in trace.y if y == y)
        assert low <= top <= high
        assert (top - low) / (high - low) > 0.85


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


def test_question_when_it_is_about_a_list_then_shows_it_with_what_it_lacks(answered):
    shown = ranked_list.scene(answered.lesson)
    assert bool(shown) is not answered.lesson.data
    assert ("retrieved" in shown) is bool(answered.lesson.scene)


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
    places = [value for one in answered.lesson.numbers.values() for value in one.where.values()]
    given = " ".join(map(str, [*vars(answered.lesson.params).values(), *places]))
    assert [text for text in typed if text.rstrip("%") not in given] == []


def test_chart_when_named_then_the_experiment_draws_it_with_the_lines_that_are_named(answered):
    lesson = answered.lesson
    if lesson.experiment == "lab":
        assert lesson.chart in FIGURES["lab"]
    elif lesson.lines:
        for figure in drawn_figures(answered):
            if figure.data[0].type == "heatmap":
                assert [*figure.layout.xaxis.ticktext] == [*lesson.lines.values()]
                continue
            drawn = {trace.name for trace in figure.data if not trace.name.endswith(BAND)}
            dropped = {shape.name for shape in figure.layout.shapes if shape.xref != "paper"}
            assert dropped <= {*lesson.lines, None, LEADER}
            labels = {note.text for note in figure.layout.annotations if not note.yshift}
            assert drawn == {*lesson.lines.values()}
            feet = [note.text for note in figure.layout.annotations if note.yshift]
            assert all(any(foot.startswith(f"{name} ") for name in drawn) for foot in feet)
            assert {re.sub(r" [\d.]+$| never$", "", label) for label in labels} == drawn


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
