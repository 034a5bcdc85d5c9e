"""Long texts and numbers in a link or a file are read in one pass, bounded, and refused
in a short line.
"""

import re
from collections import Counter

import pytest

from irmeval import IrmevalError, ParamError, ReadError, measure
from irmeval.collection.base import build
from irmeval.collection.team_names import read_teams, team_of
from irmeval.core import tables
from irmeval.core.registry import suggest_nearest
from irmeval.core.tables import escape_markdown
from irmeval.core.text import first_sentence
from irmeval.experiments.incompleteness import curves
from irmeval.experiments.learn import lab
from irmeval.lessons import exercises, words
from irmeval.metrics import METRICS, base, distinct
from irmeval.reading import parsing
from irmeval.reading.gain_maps import check_gains, parse_gains
from irmeval.reading.ir_metadata import END, LARGEST, START, read_header
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import parse_matrix
from irmeval.scoring.selection import Selection, select
from tests.cases import settled_run
from tests.conftest import ROOT

DIGITS = "1" * 5000
"""More than Python turns into a number."""
LONG = 200_000
FIELD = build(
    parsing.settled_qrels("q", b"7 0 a 1\n8 0 a 1\n10 0 a 1\n"),
    [settled_run("r", b"7 Q0 a 1 1 t\n")],
)


@pytest.mark.parametrize("part", [":", "a", ":a", "@", "@a", "@a-", "1", "www", " ", "*", "+-"])
def test_name_when_long_then_escaped_in_one_pass(part):
    assert escape_markdown(part * LONG + "x").endswith("x")
    assert first_sentence(part * LONG + "x").endswith("x")


def test_patterns_when_listed_then_all_that_read_what_others_wrote_are_tried_above():
    # compiled, or a constant that Python compiles at its first use
    compiled = [
        p.name
        for p in sorted((ROOT / "irmeval").rglob("*.py"))
        for _ in re.findall(r"re\.compile|re\.\w+\((?=MEASURE|_MAY|_ESC|pattern)", p.read_text())
    ]
    assert Counter(compiled) == Counter(
        [
            "base.py",
            "base.py",
            "base.py",
            "base.py",
            "claims.py",
            "exclusions.py",
            "cookies.py",
            "grade_maps.py",
            "hosts.py",
            "link.py",
            "simulation.py",
        ]
        + [
            "__init__.py",
            "__init__.py",
            "auditing.py",
            *["symbols.py"] * 2,
            "terminal.py",
            *["text.py"] * 3,
            "workspaces.py",
        ]
        + ["elements.py"] * 2
        # of words of a command, and of 64 digits at most
        + [*["habits.py"] * 2, "records.py"]
        + ["naming.py"] * 4
        + ["parallel.py"] * 2
        + ["reading.py"] * 3
        + ["words.py"] * 3
        + ["tables.py"] * 5
        + ["files.py", "files.py", *["named_columns.py"] * 3]
        + ["first_block.py"] * 4
        + [
            "text_layout.py",
            "text_layout.py",
            "text_layout.py",
            "run_scores.py",
        ]
        + ["lines.py"] * 3
        + ["features.py"] * 2
        + ["score_matrix.py"] * 3
    )


@pytest.mark.parametrize("part", ["\n", "<a>", "<a></a>", "<a></a>\n", "qid:", "1 qid:1 ", "# "])
@pytest.mark.parametrize("begin", ["<a>", "1 qid:1 "])
def test_text_when_its_description_or_features_are_long_then_read_in_one_pass(begin, part):
    with pytest.raises(ReadError):
        parsing.parse("f", (begin + part * LONG).encode(), "run")


@pytest.mark.parametrize("part", ["P@1", "@", "_", "1,", "@1,", " a", "{1,"])
def test_measures_when_long_in_one_word_then_separated_in_one_pass(part):
    with pytest.raises(IrmevalError):
        distinct("P" + part * 400 + "x!")


@pytest.mark.parametrize("part", ["map@", "_cut_", "a_", "@1", "epoch ", "train "])
def test_column_when_long_then_compared_with_names_of_measures_in_one_pass(part):
    text = f"topic,{part * 1000}x,b\n1,.5,.5\n".encode()
    (found,) = parsing.parse("scores.csv", text, "scores")
    assert len(found.topics) == 1


@pytest.mark.parametrize("part", ["all", "a", "_", "all of "])
def test_scores_when_a_topic_is_long_then_is_a_topic_unless_it_is_a_mean_of_topics(part):
    rows = f"topic,a,b\n1,0.5,0.25\n{(part * LONG)[:100_000]},0.5,0.25\n".encode()
    assert len(parse_matrix("scores.csv", rows).topics) == 1 + (part != "all of ")


@pytest.mark.parametrize("part", ["'", '"', "\\\\", "[", "{a: ", "x,", "a: ", "- ", "| ", "#"])
def test_header_when_a_line_is_long_then_is_read_in_one_pass_and_refused_in_a_line(part):
    for text in (
        f"a: {part * LARGEST}",
        f"a: [{part * LARGEST}",
        part * LARGEST,
        f"a: '{part * LARGEST}",
    ):
        with pytest.raises(ReadError) as refused:
            read_header("run", f"# {START}\n# {text}\n# b: *\n# {END}\n")
        assert len(str(refused.value)) < 400


def test_numbers_when_sought_in_a_long_text_then_are_in_one_pass():
    assert tables.NUMBER.fullmatch("1" * LONG)
    assert not tables.NUMBER.fullmatch("1" * LONG + "x")
    assert all(map(tables.NUMBER.fullmatch, ("12", "-0.25", "<0.0001", "< 0.001", "1e-05")))


@pytest.mark.parametrize("part", ["{", "{a", "{a ? ", "}", "|", "?{"])
def test_words_of_a_lesson_when_long_then_filled_in_one_pass(part):
    assert words.fill(part * LONG, str, bool) == part * LONG
    assert words.conditions(part * LONG) == ()


@pytest.mark.parametrize("part", ["a?", "?#", "#", "a?#0"])
def test_code_of_a_solution_when_a_line_is_long_then_only_its_beginning_is_read(part):
    assert len(exercises.check(part * LONG).who) <= exercises.LONGEST


def test_marks_when_sought_in_a_long_text_then_are_in_one_pass():
    assert tables.MARKED.sub("", "1" * LONG) == "1" * LONG
    assert tables.MARKED.sub(r"\1<\2>", "0.12^ab and -3.4^c") == "0.12<ab> and -3.4<c>"


@pytest.mark.parametrize(
    "refused",
    [
        lambda: measure("A" + " " * 1000 + "("),
        lambda: measure("nDCG" * LONG),
        lambda: distinct("AP," * LONG),
        lambda: distinct(",x(" * 60),
        lambda: measure("AP(" + "x" * 190 + ")"),
        lambda: measure("x" * 200),
        lambda: measure("nDCG(gains={" + ",1:1" * 45 + ")"),
        lambda: measure("nDCG(gains={" + "," * 180 + ")"),
        lambda: measure("x" * 190 + "-l" + "1" * 5),
        lambda: measure(f"P@{'1' * 190}"),
        lambda: measure(10**5000),
        lambda: curves.Params(gold="A" + " " * 1000 + "("),
        lambda: Selection(best_by="A" + " " * 1000 + "("),
        lambda: Selection(best_by="zzz"),
        lambda: Selection(topics_only="1" * LONG),
        lambda: Selection(team_rule=DIGITS),
        lambda: Selection(top_runs=DIGITS),
        lambda: Policy(depth=10**5000),
        lambda: Policy(depth=DIGITS),
        lambda: Policy(order="x" * LONG),
        lambda: lab.Params(list="x-" * LONG),
        lambda: lab.Params(list="y" * 5000),
        lambda: parse_gains(f"{DIGITS}:1"),
        lambda: parse_gains("x" * LONG),
        lambda: parse_gains("1:" + "1" * LONG),
        lambda: parse_gains("1" * 4000 + ":1," + "1" * 4000 + ":1"),
        lambda: check_gains({10**5000: -1}),
        lambda: METRICS["x" * LONG],
        lambda: read_teams("t", b"run,team\n" + b"x" * LONG + b",t\n"),
        lambda: read_teams("t", b"run," + b"x" * 100_000 + b"\n"),
        lambda: read_teams("t", b"run,team\n" + b"x" * 100_000 + b"\n"),
        lambda: settled_run("r", b"1 Q0 a 1 " + b"1" * 5000 + b"x t\n"),
        lambda: parsing.settled_qrels("q", f"1 0 a {DIGITS}\n".encode()),
        lambda: select(FIELD, Selection(topics_only=DIGITS)),
        lambda: select(FIELD, Selection(topics_only=f"{DIGITS}-{DIGITS}")),
        lambda: select(FIELD, Selection(topics_only="²-³")),
        lambda: select(FIELD, Selection(topics_only="٧-٨")),
    ],
)
def test_text_when_too_long_or_no_number_then_refused_in_a_short_line(refused):
    with pytest.raises(IrmevalError) as caught:
        refused()
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)
    assert all(len(quoted) <= 90 for quoted in re.findall("'[^']*'", str(caught.value)))


def test_measure_when_as_long_as_may_be_then_read():
    text = "AP(rel=" + "0" * 191 + "2)"
    assert len(text) == base.LONGEST
    assert measure(text) == "AP(rel=2)"
    with pytest.raises(ParamError, match="at most 200 characters, found 201"):
        measure(" " + text)


def test_best_by_when_another_name_of_a_measure_then_the_same_selection():
    assert Selection(best_by="map") == Selection()


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("07-8", ("7", "8")),
        (f"8-{DIGITS}", ("8", "10")),
        ("0-9,0-9", ("7", "8")),
        ("", ("7", "8", "10")),
        (" , ", ("7", "8", "10")),
    ],
)
def test_topics_when_stretches_of_numbers_are_asked_for_then_those_inside_are_kept(text, topics):
    assert select(FIELD, Selection(topics_only=text)).collection.topics == topics


@pytest.mark.parametrize(
    ("rule", "team"),
    [
        ("²", "ab"),
        ("٢", "ab²c"),
        (DIGITS, "ab²c"),
        ("0" * 5000 + "2", "ab"),
        ("000", "ab²c"),
        ("", "ab²c"),
    ],
)
def test_team_when_the_rule_is_in_odd_digits_then_never_a_traceback(rule, team):
    assert team_of("ab²c", rule) == team


def test_nearest_when_a_name_is_long_then_only_its_beginning_is_compared(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "irmeval.core.registry.difflib.get_close_matches",
        lambda word, *more, **options: asked.append(word) or [],
    )
    suggest_nearest("x" * LONG, METRICS)
    assert len(asked[0]) <= 80


def test_teams_when_a_field_is_long_then_refused_with_the_file():
    with pytest.raises(ReadError, match=r"^teams\.csv: expected comma-separated text"):
        read_teams("teams.csv", b"run,team\n" + b"x" * 200_000 + b",t\n")
