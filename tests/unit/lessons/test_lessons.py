"""Lessons: the numbers and claims of a file hold in its result, and a faulty file is
refused in words.
"""

import doctest
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from irmeval import lessons
from irmeval.cli.lesson import printed
from irmeval.core.errors import IrmevalError, ParamError, ReadError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Table
from irmeval.lessons import Claim, Lesson, prerequisites, reading, words
from irmeval.lessons.answers import answer_of
from irmeval.lessons.claims import Margin, can_hold
from irmeval.lessons.reading import CHARACTERS, CHOICES
from irmeval.metrics import METRICS, symbols
from tests.cases import SAMPLE, collection, drawn, read_once, tied_collection
from tests.conftest import ROOT

PARTS = ("Beginning", "Measures", "Unjudged documents", "Pools", "Decisions", "Judging", "Advanced")
WHOLE = (lessons.FOLDER / "ideal_rbp.toml").read_text(encoding="utf-8")
every = pytest.mark.parametrize("name", lessons.names())


def parsed(text: str) -> lessons.Lesson:
    return lessons.parse("mine.toml", text.encode())


@cache
def ideal() -> lessons.Answer:
    """That of a lesson that needs no collection."""
    return lessons.answer(parsed(WHOLE))


def test_lessons_when_listed_then_stand_in_the_order_of_the_course():
    told = [lessons.load(name) for name in lessons.names()]
    assert [PARTS.index(lesson.part) for lesson in told] == sorted(
        PARTS.index(lesson.part) for lesson in told
    )
    assert [lesson.place for lesson in told] == sorted({lesson.place for lesson in told})


def test_course_when_told_in_order_then_no_question_uses_a_word_that_is_not_explained_yet():
    course = [lessons.load(name) for name in lessons.names()]
    assert not [*_unexplained(course)]
    assert "tenth_left" in _unexplained(course[::-1])


def _unexplained(course: Iterable[Lesson]) -> Iterator[str]:
    """The lessons whose question or choices have a term of the glossary or a metric that
    neither they nor an earlier lesson adds.
    """
    explained = set[str]()
    for lesson in course:
        explained |= {word.lower() for word in lesson.adds}
        used = prerequisites.words_in(" ".join((lesson.question, *lesson.choices)), METRICS)
        if any(word.lower() not in explained for word in used):
            yield lesson.name


def test_course_when_told_in_order_then_a_lesson_needs_words_of_earlier_ones_alone():
    course = [lessons.load(name) for name in lessons.names()]
    needs, added = prerequisites.needed(course), set()
    for lesson, used in zip(course, needs, strict=True):
        assert {*used} <= added
        assert not {*used} & {*lesson.adds}
        added |= {*lesson.adds}
    assert [bool(used) for used in needs] == [False] + [True] * (len(course) - 1)


def test_course_of_the_guide_when_read_then_lists_what_each_lesson_needs_and_adds():
    course = [lessons.load(name) for name in lessons.names()]
    rows = [
        f"| `{lesson.name}` | {', '.join(used)} | {', '.join(lesson.adds)} |"
        for lesson, used in zip(course, prerequisites.needed(course), strict=True)
    ]
    guide = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")
    assert "\n".join(rows) in guide


@every
def test_formula_when_shown_then_each_of_its_symbols_is_explained(name):
    """What is left of a formula without its symbols, names of measures and operators."""
    lesson = lessons.load(name)
    left = re.sub(r"\\(mathrm|text)\{[^{}]*\}", " ", lesson.formula)
    for symbol, _ in sorted(lesson.explained, key=lambda pair: -len(pair[0])):
        left = left.replace(symbol, " ")
        left = left.replace(symbol.replace("(r)", ""), " ") if "(r)" in symbol else left
    left = re.sub(r"\\[a-z]+|\\[,;! ]|\b[rd]\b'?|_[rd]\b", " ", left, flags=re.I)
    assert re.findall(r"[A-Za-z]+", left) == []


def test_margin_when_numbers_are_closer_then_no_answer_is_right_and_the_numbers_are_too_close():
    result = ideal().result
    far, near = parsed(WHOLE), parsed(WHOLE.replace("formula = ", 'margin = "0.4"\nformula = ', 1))
    assert (answer_of(far, result).right, answer_of(far, result).close) == (2, 0)
    answer = answer_of(near, result)
    assert (answer.right, answer.close, answer.holds) == (0, 2, False)
    assert answer.verdict == "Too close here: the numbers differ by less than 0.4."
    assert "rbp_1 0.05 < rbp_10 0.40: too close" in printed(answer)
    assert lesson_title_in(answer) == ""
    share = parsed(WHOLE.replace("formula = ", 'margin = "90%"\nformula = ', 1))
    assert answer_of(share, result).verdict.endswith("less than 90% of the larger.")


def lesson_title_in(answer: lessons.Answer) -> str:
    return answer.lesson.title if answer.lesson.title in printed(answer) else ""


@pytest.mark.parametrize(
    ("sign", "holds"), [("<", False), (">", False), ("<=", True), (">=", False), ("=", False)]
)
def test_claim_when_its_numbers_are_within_the_margin_then_only_a_weak_one_holds(sign, holds):
    assert Claim("a", sign, "b").holds({"a": 0.5, "b": 0.52}, Margin(0.05)) is holds
    assert Claim("a", sign, "b").holds({"a": 0.5, "b": 0.52}, Margin(0.1, is_share=True)) is holds


@every
def test_lesson_when_it_needs_a_collection_then_its_answer_holds_by_a_margin(name):
    lesson = lessons.load(name)
    assert bool(lesson.margin.size) is lesson.data


def test_number_when_its_form_has_bars_then_is_written_without_its_sign():
    told = WHOLE.replace('form = ".0f"', 'form = "|.1f|"').replace(
        'where = { measure = "AP", R = 1 }', 'where = { measure = "AP", R = 1 }'
    )
    answer = answer_of(parsed(told), ideal().result)
    assert replace(answer, numbers={**answer.numbers, "ap_1": -1.0}).number_text("ap_1") == "1.0"


def test_lists_of_its_own_when_a_lesson_has_them_then_its_experiment_runs_on_them():
    answer = lessons.answer(lessons.load("tau_on_four"), read_once(*SAMPLE))
    assert answer.result.scores.runs == ("V", "X", "Y", "Z")
    assert answer.numbers == {"tau": pytest.approx(4 / 6), "pairs": 6, "opposed": 1}
    means = answer.result.scores.means
    assert means[0].tolist() == pytest.approx([(1 / 2 + 2 / 3 + 3 / 4) / 3, 1 / 3, 1 / 9, 1 / 12])


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('V = "0-1-1-1"', 'V = "0-1-u"', "lists.V: expected a list of judged documents"),
        ('V = "0-1-1-1"', 'V = "9"', "lists.V: expected a list, as in 0-1-0"),
        ('V = "0-1-1-1"', 'V = ""', "lists.V: expected a list of judged documents"),
        ('V = "0-1-1-1"', "V = 1", "lists.V: expected a text"),
        ("[lists]", '[lists]\nE = "1"\nF = "1"\nG = "1"', "lists: expected at most 6 lists"),
        (
            "[numbers.tau]",
            "[numbers.A-b]\n[numbers.tau]",
            "numbers.A-b: expected a table with a name of small letters, digits and _",
        ),
        ("right = 1", 'right = 1\nmargin = "x"', "margin: expected a text such as 0.05 or 20%"),
        ("right = 1", "right = 1\nmargin = 0.1", "margin: expected a text"),
        ("right = 1", "right = 1\nmissing = -1", "missing: expected a whole number"),
        ('adds = ["tau", "RR"]', "adds = [1]", "adds: expected a list of 0 to 10 texts"),
        (
            'adds = ["tau", "RR"]',
            'beside = "nope"',
            "beside: expected one of slope, scatter, lines",
        ),
    ],
)
def test_file_when_a_further_key_is_faulty_then_is_refused_by_its_key(before, after, why):
    text = (lessons.FOLDER / "tau_on_four.toml").read_text(encoding="utf-8")
    assert before in text
    with pytest.raises(ReadError, match=re.escape(why)):
        lessons.answer(parsed(text.replace(before, after)))


def test_right_answers_when_lessons_are_told_in_their_order_then_are_spread_over_all_letters():
    right = [lessons.load(name).right for name in lessons.names()]
    counts = [right.count(choice) for choice in (1, 2, 3)]
    assert max(counts) - min(counts) <= 2
    assert all(len({*right[i : i + 3]}) > 1 for i in range(len(right) - 2))


@every
def test_lesson_when_told_on_a_collection_then_its_samples_are_those_of_the_page_of_its_experiment(
    name,
):
    lesson = lessons.load(name)
    if lesson.data:
        asked = asdict(lesson.params)
        page = {name: asked[name] for name in ("of", "by", "watch") if name in asked}
        usual = asdict(EXPERIMENTS[lesson.experiment].params(**page))
        points_of_a_line, judge, gains = {"budgets"}, {"cheap"}, {"own"}
        assert {
            param for param, value in asdict(lesson.params).items() if value != usual[param]
        } <= points_of_a_line | judge | gains


def test_number_when_looked_up_then_is_that_of_the_table_of_the_result():
    answer = lessons.answer(lessons.load("mean_scores"), tied_collection(*drawn(3, topics=5)))
    mean = answer.result.curve("mean")[:, 0]
    m = [str(measure) for measure in answer.result.measures].index("AP")
    assert answer.numbers["ap"] == pytest.approx(mean[m, -1] / mean[m, 0])


def test_lesson_when_it_rests_on_a_test_then_its_punch_names_it_and_without_one_cannot():
    lesson = lessons.load("power_and_topics")
    answer = lessons.answer(lesson, tied_collection(*drawn(3, topics=50)))
    assert f"differ significantly ({lesson.params.decided_by}); with" in answer.punch
    with pytest.raises(ReadError, match="work: expected names of .*, found 'decided_by'"):
        parsed(WHOLE.replace("is {rbp_1}, and", "is {decided_by}, and"))


def test_claims_when_they_do_not_hold_then_are_named_with_their_numbers():
    result = ideal().result
    answer = lessons.answer_of(
        parsed(WHOLE.replace('"ap_10 = 1"', '"ap_10 > rbp_10", "ap_10 > 1"')), result
    )
    assert (answer.right, answer.failed) == (0, (Claim("ap_10", ">", "1"),))
    assert answer.claim_text(answer.failed[0]) == "ap_10 1 > 1"


@pytest.mark.parametrize(("right", "why"), [(1, "rbp_1 0.05 = 1"), (3, "rbp_1 0.05 = 0.95")])
def test_lesson_when_what_it_says_is_right_does_not_follow_from_its_claims_then_is_refused(
    right, why
):
    with pytest.raises(ReadError) as refusal:
        lessons.answer(parsed(WHOLE.replace("right = 2", f"right = {right}")))
    said = f"mine.toml, right: expected 2, as its claims hold, found {right}, whose do not: {why}."
    assert str(refusal.value) == f"{said} Correct the claims or the right choice."


@pytest.mark.parametrize("name", ["nope", "", "Curves"])
def test_chart_when_the_experiment_has_none_of_that_name_then_the_lesson_is_refused(name):
    with pytest.raises(ReadError, match="mine.toml, chart: expected (one of curves|a text), found"):
        lessons.answer(parsed(WHOLE.replace('chart = "curves"', f'chart = "{name}"')))


@pytest.mark.parametrize(
    ("claims", "can"),
    [
        ("a < b, b < c", True),
        ("a < b, b < a", False),
        ("a <= b, b <= a", True),
        ("a <= b, b <= c, c < a", False),
        ("a = b, b = c, a > c", False),
        ("a = 1, b = 1, a < b", False),
        ("a > 0.5, b < .5, a < b", False),
        ("a > 0.5, b < 0.7, a < b", True),
        ("a >= 0, a <= -0, a = 0.0", True),
        ("a < 0, a > -0", False),
        ("a < -0, a > 0", False),
        ("a >= b, a < b", False),
        ("a >= b, b <= a", True),
        ("a < a", False),
        ("1 < a, a < 1.0", False),
    ],
)
def test_claims_when_read_together_then_it_is_known_whether_numbers_could_be_so(claims, can):
    assert can_hold([Claim(*claim.split()) for claim in claims.split(", ")]) == can


HOSTILE = [
    "9" * 5000,
    "0x" + "f" * 5000,
    "1e999",
    "nan",
    "-1e15",
    "true",
    "1979-05-27",
    "[[[]]]",
    "{a = {a = 1}}",
    '"\\u0000\\u202e"',
    "''",
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: value[:12])
def test_value_of_any_key_when_hostile_then_is_taken_or_refused_in_one_line(value):
    for found in re.finditer(r"(?<== )[^\n=]+$|(?<=R = )\d+", WHOLE, re.MULTILINE):
        try:
            parsed(WHOLE[: found.start()] + value + WHOLE[found.end() :])
        except ReadError as error:
            assert re.match(r"mine.toml[^:]*: expected .*, found .*\.", str(error))
            assert len(str(error)) < 700


def test_files_when_some_cannot_be_read_then_those_alone_are_lost_each_by_its_name(
    monkeypatch, tmp_path
):
    (tmp_path / "whole.toml").write_text(WHOLE)
    (tmp_path / "digits.toml").write_text(WHOLE.replace("place = 160", f"place = {'9' * 5000}"))
    (tmp_path / "a_folder.toml").mkdir()
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    assert lessons.names() == ("whole", "a_folder", "digits")
    said = "digits.toml, place: expected numbers of at most 15 digits, found one of thousands"
    for name, why in (
        ("digits", said),
        ("a_folder", "a_folder.toml: expected a readable file, found a folder"),
    ):
        with pytest.raises(ReadError, match=why):
            lessons.load(name)


@pytest.mark.parametrize(
    "text",
    ["a." * 30_000 + "a = 1", "[" + "a . " * 15_000 + "a]", "x = { " + '"a".' * 15_000 + "a = 1 }"],
)
def test_key_when_it_has_very_many_parts_then_is_refused_before_it_is_parsed(text, monkeypatch):
    monkeypatch.setattr(reading.tomllib, "loads", None)
    with pytest.raises(
        ReadError, match="mine.toml, line 2: expected at most 100 dots, found [13][05],000"
    ):
        parsed("\n" + text)


@pytest.mark.parametrize(
    ("before", "after", "key", "expected", "came"),
    [
        ("right = 2", "right = 9", "right", "a whole number from 1 to 3", "9"),
        ("right = 2", 'right = "2"', "right", "a whole number", "'2'"),
        ("question = ", "questoin = ", "questoin", "one of the keys", "'questoin'"),
        ('title = "RBP of an ideal list is below 1"', "", "title", "a text", "nothing"),
        ('title = "RBP of an ideal list is below 1"', 'title = " "', "title", "a text", "' '"),
        (
            'title = "RBP',
            'title = "' + "x" * CHARACTERS,
            "title",
            "at most 2,000 characters",
            "2,0",
        ),
        (
            'choices = ["1: the list is perfect", ',
            f"choices = {['x'] * (CHOICES + 1)} #",
            "choices",
            "a list of 2 to 6 texts",
            "['x'",
        ),
        ('"ideal-lists"', '"ideal-list"', "experiment", "one of collection", "'ideal-list'"),
        ('"ideal-lists"', '"judges"', "experiment", "one of collection", "'judges'"),
        (
            'measures = ["AP"]',
            'measures = ["APP"]',
            "measures",
            "names of measures",
            "unknown metric 'APP'",
        ),
        (
            "p = [0.5, 0.95]",
            "p = {}",
            "params",
            "parameters of ideal-lists",
            "p: expected at least one value",
        ),
        (
            "p = [0.5, 0.95]",
            "p = [5]",
            "params",
            "parameters of ideal-lists",
            "p: expected a value from 0.01",
        ),
        ("p = [0.5, 0.95]", "q = 1", "params.q", "one of the keys p, R", "'q'"),
        ("is {rbp_1}, and", "is {rpb}, and", "work", "names of [numbers.*] in braces", "'rpb'"),
        (
            "is {rbp_1}, and",
            "is {rbp_1 ! 1 ? a | b}, and",
            "work",
            "words after a comparison",
            "'rbp_1 ! 1'",
        ),
        (
            "is {rbp_1}, and",
            "is {rbp_1 < rpb ? a | b}, and",
            "work",
            "words after a comparison",
            "'rbp_1 < rpb'",
        ),
        (
            "is {rbp_1}, and",
            "is {rbp_1 < 1}, and",
            "work",
            "words after a comparison",
            "'{rbp_1 < 1}'",
        ),
        (
            'scene = "1-0-0-0-0"',
            'scene = "1-7"',
            "scene",
            "a list, as in 0-1-x",
            "list: expected 3, 2, 1",
        ),
        ('"rbp_1 < 1"', '"rbp_1 << 1"', "claims", "comparisons such as a < b", "'rbp_1 << 1'"),
        ('"rbp_1 < 1"', '"0 < 1"', "claims", "comparisons such as a < b", "'0 < 1'"),
        ('"rbp_1 < 1"', "1", "claims", "comparisons such as a < b", "1"),
        (
            '"rbp_1 < 1"',
            '"rbp_1 > ap_1"',
            "claims",
            "claims that can hold together, for choice 2",
            "'rbp_1 > ap_1; rbp_1 < 0.5",
        ),
        (
            ', ["rbp_1 = 0.95"]',
            "",
            "claims",
            "a list of claims for each of the 3 choices",
            "[['rbp_1 = 1'], ",
        ),
        (
            '["rbp_1 = 0.95"]',
            "[]",
            "claims",
            "a list of claims for each of the 3 choices",
            "[['rbp_1 = 1'], ",
        ),
        (
            '["rbp_1 = 0.95"]',
            '["rbp_1 = 1", "ap_1 > 0"]',
            "claims",
            "claims of which no two choices' can hold together",
            "those of 1 and 3",
        ),
        (
            "place = 160",
            "place = 0x" + "f" * 5000,
            "place",
            "a whole number",
            "a number of thousands",
        ),
        ("place = 160", f"place = {10**15}", "place", "a whole number", "1000000000000000"),
        ("R = 1 }", f"R = {10**15} }}", "numbers.rbp_1.where", "columns and values", "{'measure'"),
        (
            '"rbp_1 < 1"',
            '"__import__ < 1"',
            "claims",
            "comparisons such as a < b",
            "'__import__ < 1'",
        ),
        ('form = ".0f"', 'form = "1000000000f"', "numbers.ap_1.form", "as in .2f", "'1000000000f'"),
        ("R = 1 }", "R = [1] }", "numbers.rbp_1.where", "columns and values", "{'measure'"),
        ('column = "score"', "", "numbers.rbp_1.column", "a text", "nothing"),
    ],
)
def test_file_when_faulty_then_is_refused_with_its_name_the_key_what_was_expected_and_what_came(
    before, after, key, expected, came
):
    assert before in WHOLE
    with pytest.raises(ReadError) as refusal:
        parsed(WHOLE.replace(before, after))
    said = str(refusal.value)
    assert said.startswith(f"mine.toml, {key}: expected {expected}"), said
    assert f"found {came}" in said, said


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"title = ", "expected TOML"),
        (b"\xff", "UTF-8"),
        (b"#" * 70_000, "at most 65,536 bytes"),
        (b"a = " + b"[" * 5000, "within each other, too deep to be read"),
    ],
)
def test_file_when_it_is_no_lesson_at_all_then_is_refused_with_its_name(data, why):
    with pytest.raises(ReadError, match=f"mine.toml: .*{why}|mine.toml.*{why}"):
        lessons.parse("mine.toml", data)


@pytest.mark.parametrize(
    "function",
    [lessons.names, lessons.load, lessons.answer, lessons, prerequisites, words, symbols],
)
def test_public_name_when_its_example_is_followed_then_it_holds(function):
    found = doctest.DocTestParser().get_doctest(function.__doc__, {}, "lessons", "lessons", 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found)
    assert (failed, tried > 0) == (0, True)


def test_words_when_they_depend_on_a_number_then_follow_it_in_the_file_the_answer_and_the_command():
    told = WHOLE.replace(
        "is {rbp_1}, and",
        "is {rbp_1 < 0.1 and ap_1 = 1 ? low, {rbp_1} | ap_1 > 1 ? odd | high}, and",
    )
    assert "1 - 0.95 is low, 0.05, and" in lessons.answer_of(parsed(told), ideal().result).work
    other = parsed(told.replace("0.1 and", "0.01 and"))
    assert "1 - 0.95 is high, and" in lessons.answer_of(other, ideal().result).work
    assert other.said == (
        Claim("rbp_1", "<", "0.01"),
        Claim("ap_1", "=", "1"),
        Claim("ap_1", ">", "1"),
    )
    assert "rbp_1 0.05 < 0.01: does not hold" in printed(lessons.answer_of(other, ideal().result))


def test_number_when_its_row_has_the_most_of_a_column_then_is_found_there():
    told = WHOLE.replace(
        'where = { measure = "RBP(p=0.95)", R = 10 }',
        'where = { measure = "RBP(p=0.95)", R = "most" }',
    )
    assert lessons.answer_of(parsed(told), ideal().result).numbers["rbp_10"] == pytest.approx(
        1 - 0.95**100
    )


def test_name_when_there_is_no_such_lesson_then_the_nearest_is_named():
    with pytest.raises(UnknownName, match="unknown lesson 'ideal_rpb'; nearest: ideal_rbp"):
        lessons.load("ideal_rpb")
    with pytest.raises(UnknownName):
        lessons.load("../lessons/ideal_rbp")


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (
            'table = "scores"',
            'table = "score"',
            "this result has no table 'score'; nearest: scores",
        ),
        ("R = 1 }", "R = 7 }", "expected one row with measure RBP(p=0.95), R 7, found 0"),
        (
            'column = "score"',
            'column = "sore"',
            "expected one of the columns measure, R, score, found 'sore'",
        ),
        ('column = "score"', 'column = "measure"', "expected a number in measure, found"),
    ],
)
def test_number_when_the_table_lacks_it_then_says_so(before, after, why):
    with pytest.raises(IrmevalError, match=re.escape(why)):
        lessons.answer(parsed(WHOLE.replace(before, after)))


def test_answer_when_the_data_cannot_have_it_then_is_refused_and_not_made_up():
    tiny = collection({"1": {"a": 1, "b": 0}}, {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}})
    with pytest.raises(
        ParamError, match="expected at least 2 runs and 2 topics with a score for every run"
    ):
        lessons.answer(lessons.load("power_and_topics"), tiny)


def test_number_when_a_difference_or_a_quotient_then_is_of_the_cells_and_not_divided_by_zero():
    told = WHOLE.replace(
        'where = { measure = "RBP(p=0.95)", R = 10 }',
        'where = { measure = "RBP(p=0.95)", R = 10 }\nMORE',
    )
    changed = {
        more: parsed(told.replace("MORE", f"{more} = {{ R = 1 }}")) for more in ("less", "over")
    }
    result = EXPERIMENTS["ideal-lists"](None, parsed(WHOLE).measures, parsed(WHOLE).params)
    of = {more: answer_of(lesson, result).numbers["rbp_10"] for more, lesson in changed.items()}
    assert of == {
        "less": pytest.approx(1 - 0.95**10 - 0.05),
        "over": pytest.approx((1 - 0.95**10) / 0.05),
    }
    cells = Table(
        "scores",
        "Scores",
        lambda: pd.DataFrame({"measure": "RBP(p=0.95)", "R": [1, 10], "score": [0.0, 0.5]}),
    )
    nothing = {
        name: number
        for name, number in parsed(told.replace("MORE", "over = { R = 1 }")).numbers.items()
        if name == "rbp_10"
    }
    with pytest.raises(ParamError, match="rbp_10: expected a number in score, found none"):
        answer_of(
            replace(parsed(WHOLE), numbers=nothing, claims=()),
            SimpleNamespace(tables=lambda: [cells], charts=result.charts),
        )


@pytest.mark.parametrize(
    ("sign", "same", "less"), [("<", 0, 1), (">", 0, 0), ("<=", 1, 1), (">=", 1, 0), ("=", 1, 0)]
)
def test_claim_when_its_numbers_are_the_same_or_one_is_less_then_its_sign_says_whether_it_holds(
    sign, same, less
):
    result = ideal().result
    for left, right, holds in (
        ("ap_1", "1", same),
        ("ap_1", "ap_10", same),
        ("rbp_1", "rbp_10", less),
    ):
        asked = replace(parsed(WHOLE), right=1, claims=((Claim(left, sign, right),),))
        assert answer_of(asked, result).holds is bool(holds)


def test_command_when_a_lesson_is_named_then_prints_question_answer_numbers_and_source(run_command):
    listed = run_command("lesson").out
    assert [line.split()[0] for line in listed.splitlines()] == [*lessons.names()]
    assert [name for name in lessons.names() if lessons.load(name).title in listed] == []
    said = run_command("lesson", "ideal_rbp").out
    for text in (
        "What is the RBP of this list, with p = 0.95?",
        "* B: Less than 1: it is 1 - p",
        "rbp_1 = 0.05",
        "rbp_1 0.05 < 1: holds",
        "rbp_1 0.05 = 0.95: does not hold",
        "Table 1",
    ):
        assert text in said


def test_care_when_judges_do_not_err_then_agree_and_the_more_they_err_the_less():
    c = read_once(*SAMPLE)
    judges = {"of": "care", "by": "judge=lenient,strict,noisy,binary"}
    how = {"levels": (0, 20, 50), "trials": 1, "watch": ("order", "kappa")}
    result = EXPERIMENTS["curves"](c, ["AP"], **judges, **how)
    tau, kappa = result.values["tau"], result.values["kappa"]
    assert np.all(tau[..., 0, :] == 1)
    assert np.all(kappa[..., 0, :] == 1)
    assert np.all(np.diff(kappa[..., 0], axis=-1) < 0)
    assert tau[0, 3] == pytest.approx(1)  # who knows only relevant and not gives AP the same


def test_topics_when_all_are_taken_then_power_is_of_the_test_on_all_and_falls_with_them():
    c = read_once(*SAMPLE)
    how = {"of": "topics", "levels": (10, 50, 500), "watch": ("pairs",)}
    result = EXPERIMENTS["curves"](c, ["AP"], trials=3, **how)
    assert result.levels == (50, 10)
    whole, power = EXPERIMENTS["matrix"](c, ["AP"]), result.values["power"][0, 0]
    assert power[0] == pytest.approx([whole.power[0]] * 3)
    assert np.all(power[1] < power[0])


def test_lesson_of_the_guide_when_saved_then_is_told():
    guide = re.search(
        r"```toml\n(.*?)```", (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8"), re.DOTALL
    )
    answer = lessons.answer(lessons.parse("first_rank.toml", guide[1].encode()))
    assert answer.punch == "AP is 0.50."


def test_lesson_when_it_is_on_data_then_its_answer_needs_a_margin_and_runs_are_not_its_choices():
    for name in lessons.names():
        lesson = lessons.load(name)
        # what follows from a lesson's own lists is exact
        assert bool(lesson.margin.size) == lesson.data, name
        assert not {*lesson.lists} & {*"ABCDE"[: len(lesson.choices)]}, name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "My lesson.toml",
            "My lesson.toml: expected a name of small letters, digits and _, found 'My lesson'."
            " Rename the file.",
        ),
        (
            "ideal_rbp.toml",
            "ideal_rbp.toml: expected a name of its own, found that of another lesson, ideal_rbp."
            " Rename the file.",
        ),
        ("mine.txt", "expected a folder with lessons, *.toml, found none."),
    ],
)
def test_folder_when_a_lesson_cannot_be_served_then_is_refused(name, why, tmp_path):
    (tmp_path / name).write_text(WHOLE)
    with pytest.raises(ReadError, match=re.escape(why)):
        reading.serve_folder(str(tmp_path))


@pytest.mark.parametrize("count", [0, reading.NUMBERS + 1])
def test_file_when_it_has_no_numbers_or_too_many_then_is_refused(count):
    text = WHOLE[: WHOLE.index("[numbers.")] + "[numbers]\n"
    numbers = "".join(f'[numbers.n{i}]\ncolumn = "score"\n' for i in range(count))
    said = f"numbers: expected 1 to {reading.NUMBERS} tables [numbers.NAME], found {count}"
    with pytest.raises(ReadError, match=re.escape(said)):
        parsed(text + numbers)


def test_package_when_it_has_no_lessons_then_is_refused():
    with pytest.raises(
        ReadError,
        match=r"irmeval.lessons.words: expected a folder with lessons, \*.toml, found none.",
    ):
        reading.add_folder(words)
