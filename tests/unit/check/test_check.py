"""The findings of a check, and its numbers by their definitions."""

import itertools
import json
import re
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeval import Collection, evaluate, measure, read_collection
from irmeval.check import LEVELS, CheckFinding, ScoredRuns, check, every_run, qrels_of
from irmeval.check.finding import worst_first
from irmeval.check.ranking import MEASURES, ranking_of, tie_range
from irmeval.check.standing import ladder
from irmeval.check.text_report import rank
from irmeval.collection.base import build
from irmeval.collection.joining import Index
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.faults import examine, examine_texts
from irmeval.reading.files import read_bytes
from irmeval.reading.parsing import settled_qrels
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Run
from tests.cases import settled_run

QRELS_TEXT = b"1 0 a 2\n1 0 b 1\n1 0 c 0\n1 0 d 0\n2 0 a 1\n2 0 b 0\n2 0 z -1\n3 0 a 0\n4 0 a 1\n"
MEASURED = ("AP", "nDCG@10", "RBP(p=0.8)")


def checked(text, *, measures=MEASURED, others=(), **policy):
    """The check of a run's text on the small qrels."""
    runs = [settled_run(f"r{i}", other) for i, other in enumerate(others)]
    field = ScoredRuns.of(build(settled_qrels("q", QRELS_TEXT), runs, **policy), measures)
    return check(examine("run", text), "run", field)


def said(found, subject):
    return [(one.level, one.what) for one in found.findings if one.subject == subject]


def lines(topic, *rows):
    return "".join(f"{topic} Q0 {d} {r} {s} t\n" for d, r, s in rows).encode()


GOOD = b"".join(lines(t, ("a", 1, 3), ("b", 2, 2), ("c", 3, 1)) for t in "1234")


def test_run_when_all_is_well_then_there_are_only_notes_on_what_is_judged():
    found = checked(GOOD)
    assert {one.level for one in found.findings} == {"note"}
    assert {one.subject for one in found.findings} == {
        "grades",
        "judgments",
        "judged",
        "bounds",
        "to judge next",
    }


@pytest.mark.parametrize(
    ("text", "subject", "level", "what"),
    [
        (
            GOOD + b"5 Q0 a 1\n",
            "format",
            "error",
            "Line 13: expected 6 columns (topic Q0 document rank score tag), found 4: '5 Q0 a 1'.",
        ),
        (
            GOOD + b"1 Q0 a 4 0 t\n",
            "duplicates",
            "error",
            (
                "Line 13: expected each document once per topic, found 'a' of topic '1' again"
                " (first on line 1)."
            ),
        ),
        (
            GOOD + b"1 Q0 x 4 NaN t\n",
            "scores",
            "error",
            "Line 13: expected a score that is a number, found NaN.",
        ),
        (
            GOOD + b"1 Q0 x 4 nan t\n1 Q0 y 4 nan t\n",
            "scores",
            "error",
            "2 lines, the first line 13: expected a score that is a number, found NaN. Likewise"
            " line 14.",
        ),
        (
            lines("1", ("a", 1, 1)),
            "topics",
            "warning",
            "3 judged topics without a document: 2, 3, 4.",
        ),
        (GOOD + lines("77", ("a", 1, 1)), "topics", "note", "1 topic missing from the qrels: 77."),
        (
            lines("1", ("a", 1, 5), ("c", 2, 5)),
            "scores",
            "error",
            "The same score for all documents of 1 topic: 1.",
        ),
        (
            lines("1", ("a", 1, 5), ("b", 2, 5)),
            "scores",
            "note",
            "The same score for all documents of 1 topic: 1.",
        ),
        (
            lines("1", ("a", 1, 1), ("c", 2, 2)),
            "scores",
            "error",
            "Scores increase from line to line in 1 topic: 1.",
        ),
        (
            lines("1", ("a", 1, 1), ("b", 2, 2)),
            "scores",
            "note",
            "Scores increase from line to line in 1 topic: 1.",
        ),
        (
            lines("1", ("a", 1, "1e39"), ("b", 2, 2)),
            "scores",
            "note",
            "1 score infinite, or too large for 32 bits.",
        ),
        (
            lines("1", ("a", 2, 2), ("c", 1, 1)),
            "ranks",
            "error",
            (
                "In 1 topic the rank column contradicts the order by score: 1 neighbour outside"
                " ties, 0 within ties."
            ),
        ),
        (
            lines("1", ("a", 2, 2), ("b", 1, 1)),
            "ranks",
            "note",
            (
                "In 1 topic the rank column contradicts the order by score: 1 neighbour outside"
                " ties, 0 within ties."
            ),
        ),
        (
            lines("1", ("a", 1, 1), ("c", 2, 1), ("d", 3, 0)),
            "ranks",
            "warning",
            (
                "In 1 topic the rank column contradicts the order by score: 0 neighbours outside"
                " ties, 1 within ties."
            ),
        ),
        (
            lines("1", ("a", "x", 1)),
            "ranks",
            "note",
            "The rank column contains a value that is not a whole number: x.",
        ),
        (
            lines("1", ("a", 1, 0.123456789012), ("c", 2, 0.123456789011)),
            "precision",
            "warning",
            "1 pair of neighbours in 1 topic: scores equal in 32 bits, different in 64.",
        ),
        (
            lines("1", ("b", 1, 1), ("c", 2, 1), ("d", 3, 0)),
            "ties",
            "warning",
            "2 documents in 1 tie over 1 topic; the largest has 2.",
        ),
        (GOOD, "grades", "note", "1 of grade 2, 3 of grade 1, 4 of grade 0, 1 of grade -1."),
        (GOOD, "judgments", "note", "1 topic without a relevant document: 3."),
        (GOOD, "judgments", "note", "1 topic without a judged nonrelevant document: 4."),
        (
            lines("9", ("a", 1, 1)),
            "topics",
            "error",
            "Expected topics of the qrels, such as '1', found topics such as '9'.",
        ),
        (
            b"",
            "format",
            "error",
            "Expected lines of 6 columns (topic Q0 document rank score tag), found an empty file.",
        ),
        (b"\x89PNG\0", "format", "error", "Expected qrels, a run or scores, found an image."),
        (re.sub(rb"(?m)^(1 .*) t$", rb"\1 u", GOOD), "format", "note", "2 tags in one file: u, t."),
        (
            GOOD.rsplit(b"\n", 3)[0] + b"\n",
            "depth",
            "note",
            "1 to 3 documents per topic (median 3).",
        ),
    ],
)
def test_run_when_something_is_found_then_it_is_reported_with_its_level(text, subject, level, what):
    assert (level, what) in said(checked(text), subject)


def test_ranks_when_they_are_the_reverse_of_the_scores_then_these_are_taken_for_distances():
    (found,) = [
        one
        for one in checked(lines("1", ("c", 3, 9), ("b", 2, 5), ("a", 1, 1))).findings
        if one.subject == "ranks"
    ]
    assert found.level == "error"
    assert found.remedy.startswith("Scores increase with rank, as distances do")


def test_faults_when_there_are_several_then_the_sound_lines_are_still_checked():
    found = checked(b"junk\n" + GOOD + b"1 Q0 a 4 0 t\n")
    assert [one.subject for one in found.findings if one.level == "error"] == [
        "format",
        "duplicates",
    ]
    assert found.tables["Topics"]["documents"].tolist() == [3, 3, 3, 3]


def test_qrels_when_grades_are_fractions_then_every_such_line_is_counted():
    found = examine("q", b"1 0 a 0.5\n1 0 b 1\n1 0 c 1.5\n", "qrels")
    assert found.sound.documents.to_pylist() == ["b"]
    assert [(fault.lines, fault.first.line) for fault in found.faults.values()] == [(2, 1)]


# ---------------------------------------------------------------- ties


@st.composite
def tied_runs(draw):
    """Small lists of few score levels, on the small qrels."""
    text = b""
    for topic in "12":
        documents = draw(st.lists(st.sampled_from("abcdxz"), min_size=1, max_size=4, unique=True))
        text += lines(
            topic, *((d, i, draw(st.sampled_from([1, 2]))) for i, d in enumerate(documents, 1))
        )
    return text


def every_order(run, index, policy):
    """Means of the tie measures under every way to break the ties of each topic."""
    ranking = ranking_of(run, index, "trec_eval")
    groups = [np.flatnonzero(ranking.group == g) for g in np.unique(ranking.group)]
    found = []
    for one in itertools.product(*(itertools.permutations(g) for g in groups)):
        sequence = np.array(list(itertools.chain(*one)))
        found.append(
            evaluate(ranking.collection(policy, ranking.judgment_index[sequence]), MEASURES).means[
                :, 1
            ]
        )
    return np.array(found)


@settings(max_examples=25)
@given(tied_runs(), st.sampled_from([2, 1000]))
def test_tie_range_when_every_order_is_tried_then_worst_expected_and_best_are_theirs(text, depth):
    index, policy = Index(settled_qrels("q", QRELS_TEXT)), Policy(depth=depth)
    run = settled_run("run", text)
    table = tie_range(ranking_of(run, index, "trec_eval"), policy)
    tried = every_order(run, index, policy)
    for column, expected in (
        ("worst", tried.min(axis=0)),
        ("expected", tried.mean(axis=0)),
        ("best", tried.max(axis=0)),
    ):
        np.testing.assert_allclose(table[column], expected, rtol=0, atol=1e-12, err_msg=column)
    scored = evaluate(build(index.qrels, [run], depth=depth), MEASURES).means[:, 0]
    np.testing.assert_allclose(table["as scored"], scored, rtol=0, atol=1e-15)


def test_tie_range_when_scores_tie_only_in_32_bits_then_only_that_order_has_one():
    text = lines("1", ("c", 1, 0.123456789012), ("a", 2, 0.123456789011))
    index = Index(settled_qrels("q", QRELS_TEXT))
    ranges = [
        tie_range(ranking_of(settled_run("r", text), index, order), Policy(order=order))[
            "range"
        ].max()
        for order in ("trec_eval", "double")
    ]
    assert ranges[0] > 0 == ranges[1]


# ---------------------------------------------------------------- beside others


@pytest.mark.parametrize("name", ["AP", "nDCG", "Bpref", "P@2"])
def test_bounds_when_documents_are_unjudged_then_are_those_of_what_if(name):
    text = b"".join(lines(t, ("u", 1, 3), ("a", 2, 2), ("z", 3, 1)) for t in "12")
    others = [lines("1", ("a", 1, 2), ("b", 2, 1))]
    (told,) = said(checked(text, measures=[name], others=others), "bounds")
    whole = build(
        settled_qrels("q", QRELS_TEXT), [settled_run("r0", others[0]), settled_run("run", text)]
    )
    row = EXPERIMENTS["what-if"](whole, [name]).to_frame("runs").set_index("run").loc["run"]
    where = "down to rank 2" if name == "P@2" else "in its lists"
    assert told[1].startswith(
        f"{name} {row.score:.4f}: between {row.bound_low:.4f} and {row.bound_high:.4f}, whatever"
        " grades "
    )
    holes = 2 if name == "P@2" else 4
    assert told[1].endswith(f"{count_noun(holes, 'unjudged document')} {where} have.")


@pytest.mark.parametrize("name", ["RBP_residual(p=0.8)", "AP(rel=9)"])
def test_bounds_when_a_measure_has_none_then_are_left_out(name):
    assert said(checked(lines("1", ("u", 1, 2)), measures=[name]), "bounds") == []


def test_judge_next_when_listed_then_residuals_add_up_to_what_rbp_can_gain_from_them():
    text = b"".join(lines(t, ("u", 1, 3), ("a", 2, 2), ("v", 3, 1)) for t in "124")
    table = checked(text).tables["To judge next"]
    assert table["document"].tolist()[:3] == ["u", "u", "u"]
    assert table["topic"].tolist()[:3] == ["1", "2", "4"]
    assert table["residual"].sum() == pytest.approx(3 * 0.2 * (1 + 0.8**2) / 4, rel=1e-12)


def test_judge_next_when_others_are_loaded_then_what_no_other_run_has_is_told_apart():
    # z: in the pool of topic 2, not judged
    text = b"".join(lines(t, ("u", 1, 4), ("a", 2, 3), ("v", 3, 2), ("z", 4, 1)) for t in "12")
    other = lines("1", ("v", 1, 9)) + lines("2", ("a", 1, 9), ("z", 2, 8)) + lines("4", ("u", 1, 9))
    found = checked(text, others=[other, GOOD, other])
    table = found.tables["To judge next"].set_index(["topic", "document"])["other runs"]
    assert table.to_dict() == {
        ("1", "u"): 0,
        ("2", "u"): 0,
        ("1", "v"): 2,
        ("2", "v"): 0,
        ("1", "z"): 0,
        ("2", "z"): 2,
    }
    (line,) = [one for one in found.findings if one.subject == "to judge next"]
    assert "4 of them (0.1" in line.meaning


def test_same_run_when_a_document_or_a_rank_differs_then_is_not_told():
    other = GOOD.replace(b"1 Q0 c 3 1 t", b"1 Q0 y 3 1 t")
    swapped = GOOD.replace(b"1 Q0 b 2 2 t", b"1 Q0 b 2 0 t")
    renamed = GOOD.replace(b" t\n", b" tag\n").replace(b" 3 1 ", b" 3 0.5 ")
    assert (
        said(
            checked(GOOD, others=[other, swapped, GOOD.replace(b"4 Q0 a 1 3 t\n", b"")]), "same run"
        )
        == []
    )
    outside = GOOD.replace(b" c ", b" y ")
    assert said(checked(outside, others=[outside.replace(b" y ", b" x ")]), "same run") == []
    assert said(checked(GOOD, others=[other, renamed]), "same run")[0][1].startswith(
        "Identical to r1: "
    )


def test_standing_when_runs_are_loaded_then_places_and_differences_are_theirs():
    worse = b"".join(lines(t, ("c", 1, 3), ("b", 2, 2), ("a", 3, 1)) for t in "1234")
    found = checked(GOOD, others=[worse, GOOD, worse, worse])
    places = found.tables["Places"]
    assert places["place"].tolist() == [1, 1, 1]
    assert places["of"].tolist() == [5, 5, 5]
    assert places["shared with"].tolist() == [1, 1, 1]
    [standing] = [finding for finding in found.findings if finding.subject == "standing"]
    assert "shared with 1 other)" in standing.what
    told = (
        "By AP, none of 3 runs below differs significantly, 1 run has the same mean (paired"
        " bootstrap, all pairs at once, p < 0.05)."
    )
    assert standing.meaning == told
    assert said(found, "same run") == [
        ("warning", "Identical to r1: same documents at the same ranks on every topic.")
    ]
    ladder = found.tables["Standing"]
    assert ladder["this run"].sum() == 1
    equal = ladder[ladder["run"] == "r1"].iloc[0]
    assert (equal["difference"], equal["p"]) == (0, 1)
    assert ladder["difference"][ladder["run"] == "r0"].item() == pytest.approx(-7 / 12)
    assert np.isnan(ladder["p"][ladder["this run"]].item())


def test_ladder_when_seen_from_either_run_of_a_pair_then_is_mirrored_without_0_where_they_differ():
    rng = np.random.default_rng(2)
    qrels = {str(t): {f"d{i}": int(i < 3) for i in range(12)} for t in range(30)}
    runs = {
        name: {
            t: {d: float(skill * grade + rng.random()) for d, grade in judged.items()}
            for t, judged in qrels.items()
        }
        for name, skill in (("poor", 0.0), ("good", 0.7), ("fair", 0.2), ("fair2", 0.25))
    }
    field = ScoredRuns.of(Collection.from_dicts(qrels, runs), ["AP"])
    ladders = {
        name: ladder(field, i).set_index("run") for i, name in enumerate(field.collection.runs)
    }
    pairs = [(ladders[a].loc[b], ladders[b].loc[a]) for a, b in itertools.permutations(ladders, 2)]
    for there, back in pairs:
        assert (there["difference"], there["low"], there["high"], there["p"]) == (
            -back["difference"],
            -back["high"],
            -back["low"],
            back["p"],
        )
        assert there["low"] <= there["difference"] <= there["high"]
        assert (there["low"] > 0 or there["high"] < 0) == (there["p"] < 0.05)
    assert 0 < sum(there["p"] < 0.05 for there, _ in pairs) < len(pairs)


def test_far_off_when_a_topic_is_unlike_the_others_then_it_is_named():
    failing = GOOD.replace(b"1 Q0 a 1 3", b"1 Q0 x 1 3").replace(b"1 Q0 b 2 2", b"1 Q0 y 2 2")
    found = checked(failing, others=[GOOD] * 5)
    assert ("warning", "Far below in 1 topic (1).") in said(found, "topics far off")


def test_judged_when_less_than_any_other_then_is_still_a_note_and_said_of_all_runs_at_once():
    unknown = b"".join(lines(t, ("u", 1, 3), ("v", 2, 2), ("a", 3, 1)) for t in "1234")
    found = checked(unknown, others=[GOOD, GOOD])
    assert {
        level
        for subject in ("judged", "to judge next", "bounds")
        for level, _ in said(found, subject)
    } == {"note"}
    assert said(found, "unjudged") == said(checked(GOOD, others=[GOOD, unknown]), "unjudged")


def test_unjudged_when_a_tenth_of_a_top_is_then_a_note_has_the_widest_bounds():
    unknown = b"".join(lines(t, ("u", 1, 3), ("v", 2, 2), ("a", 3, 1)) for t in "1234")
    (found,) = [
        one
        for one in checked(GOOD, others=[GOOD, unknown], measures=["P@3"]).findings
        if one.subject == "unjudged"
    ]
    assert found.level == "note"
    # a alone is a third; topic 3 has no score if both are not relevant, and then the others' mean
    # is 1
    assert "All 3 runs have more than a tenth unjudged" in found.meaning
    assert (
        "Whatever grades these have down to rank 3, r1 scores 0.3333 to 1.0000 by P@3, the widest"
        " range." in found.meaning
    )


def test_depth_when_lists_are_shorter_than_others_then_its_effect_is_what_they_would_lose_there():
    short = b"".join(lines(t, ("c", 1, 3)) for t in "1234")
    others = [
        GOOD,
        b"".join(lines(t, ("a", 1, 9), ("c", 2, 8), ("b", 3, 7)) for t in "1234"),
        short,
    ]
    (depth,) = [one for one in checked(short, others=others).findings if one.subject == "depth"]
    # cut at rank 1, topic 1 loses half (b at rank 2) or a third (b at rank 3); no other topic loses
    # anything
    assert (depth.level, depth.effect) == ("warning", pytest.approx((1 / 2 + 1 / 3) / 2 / 3))
    assert checked(GOOD, others=others).only({"depth"}).findings == ()


def test_topics_when_some_are_missing_then_the_effect_is_the_mean_without_them_less_the_mean():
    (missing,) = checked(GOOD[: GOOD.index(b"4 Q0")]).only({"topics"}).findings
    # topic 3 has no relevant document, and no score
    assert (missing.level, missing.effect) == ("warning", pytest.approx(1 - 2 / 3))


def test_findings_when_sorted_then_errors_come_first_and_of_each_level_the_largest_effect():
    effects = [
        ("note", 0.0),
        ("warning", 0.02),
        ("error", 0.1),
        ("warning", -0.3),
        ("error", 0.0),
        ("note", -0.01),
    ]
    found = worst_first(
        CheckFinding(level, "ranks", "", "", "", effect) for level, effect in effects
    )
    assert [(one.level, one.effect) for one in found] == [
        *(
            ("error", 0.1),
            ("error", 0.0),
            ("warning", -0.3),
            ("warning", 0.02),
            ("note", -0.01),
            ("note", 0.0),
        )
    ]


@pytest.mark.parametrize("order", ["double", "rank", "file"])
def test_check_when_lists_are_ordered_otherwise_then_scores_are_those_of_the_order(order):
    text = lines("1", ("c", 2, 3), ("a", 1, 2)) + lines("2", ("a", 1, 1))
    found = checked(text, order=order)
    expected = evaluate(
        build(settled_qrels("q", QRELS_TEXT), [settled_run("r", text)], order=order), ["AP"]
    ).means.item()
    assert found.tables["Topics"]["AP"].mean() == pytest.approx(expected, abs=1e-15)


# ---------------------------------------------------------------- files


def test_files_when_all_are_runs_of_a_collection_then_each_is_held_against_the_others(tiny):
    qrels, runs = tiny
    found = [*every_run.check_files(qrels, [runs], [measure("AP")], Policy()).each]
    assert [one.name for one in found] == ["example", "ideal", "short"]
    scores = evaluate(read_collection(qrels, runs), ["AP"])
    for one in found:
        assert len(one.tables["Standing"]) == 3
        assert one.tables["Places"]["score"].item() == scores.means[0, scores.runs.index(one.name)]


def test_files_when_negative_grades_count_as_nonrelevant_then_such_documents_are_judged(tmp_path):
    (tmp_path / "q").write_bytes(QRELS_TEXT)
    (tmp_path / "r").write_bytes(lines("2", ("z", 1, 2), ("a", 2, 1)))
    bounds = {}
    for negative in ("unjudged", "nonrelevant"):
        (found,) = every_run.check_files(
            tmp_path / "q", [tmp_path / "r"], [measure("RR")], Policy(negative=negative)
        ).each
        assert found.tables["Topics"]["unjudged in top 10"].sum() == (negative == "unjudged")
        assert len(found.tables["To judge next"]) == (negative == "unjudged")
        bounds[negative] = said(found, "bounds")
    assert bounds["unjudged"]
    assert not bounds["nonrelevant"]


def test_command_when_the_first_measure_is_undefined_everywhere_then_the_run_is_still_checked(
    tiny, nothing, run_command
):
    for arguments in (
        [*tiny, "-m", "AP(rel=9)", "-m", "AP"],
        [*nothing["nothing relevant"], "-m", "AP"],
    ):
        assert "standing:" in run_command("check", *arguments, "--tables").out


def test_command_when_a_run_is_given_for_qrels_then_its_first_line_is_named(tiny, run_command):
    said = run_command("check", tiny[1] / "ideal", tiny[1], status=2).err
    assert "ideal: expected qrels, found what looks like a TREC run" in said


def test_command_when_there_is_an_error_then_exits_1_and_for_warnings_0(
    tiny, tmp_path, run_command
):
    qrels, runs = tiny
    assert run_command("check", qrels, runs / "ideal").out.startswith("ideal: no error, ")
    assert (
        "warning  short: topics: 2 judged topics without a document: 3, 4. [AP +"
        in run_command("check", qrels, runs).out
    )
    (tmp_path / "twice").write_bytes((runs / "ideal").read_bytes() * 2)
    assert (
        "error    twice: duplicates: "
        in run_command("check", qrels, runs, tmp_path / "twice", status=1).out
    )


def test_command_when_runs_have_findings_in_common_then_these_are_said_once_before_those_of_a_run(
    tiny, run_command
):
    text = run_command("check", *tiny, "--verbose").out
    assert text.count("of grade 2") == 1
    parts = (
        "All 3 runs:",
        "Of 3 runs, none has errors and 2 have warnings.",
        "example: no error",
        "warning  ",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_command_when_nothing_more_is_asked_for_then_notes_are_counted_else_told_by_check_or_run(
    tiny, run_command
):
    brief = run_command("check", *tiny).out
    assert "short: topics: 2 judged topics without a document: 3, 4." in brief
    assert "bounds: " not in brief
    assert "Notes of runs: " in brief
    only = run_command("check", *tiny, "--only", "bounds", "--only", "to-judge-next").out
    assert "note     short: bounds: " in only
    assert "topics: " not in only
    alone = run_command("check", *tiny, "--run", "short").out
    assert alone.startswith("short: no error, 2 warnings and ")
    assert "Nothing to report: format, duplicates, " in alone
    assert "ideal: no error" in run_command("check", *tiny, "--verbose").out


def test_command_when_a_check_or_a_run_is_left_out_then_status_and_files_are_those_of_the_rest(
    tiny, tmp_path, run_command
):
    (tmp_path / "twice").write_bytes((tiny[1] / "ideal").read_bytes() * 2)
    run_command("check", *tiny, tmp_path / "twice", status=1)
    run_command("check", *tiny, tmp_path / "twice", "--only", "ties")
    run_command("check", *tiny, tmp_path / "twice", "--run", "short")
    text = run_command(
        "check", *tiny, "--run", "ideal", "--run", "short", "--only", "topics", "--format", "json"
    ).out
    assert [
        (one["name"], {found["subject"] for found in one["findings"]}) for one in json.loads(text)
    ] == [
        ("ideal", set()),
        ("short", {"topics"}),
    ]


def test_command_when_a_run_is_not_there_then_the_nearest_is_named(tiny, run_command):
    assert "ideal" in run_command("check", *tiny, "--run", "ideel", status=2).err


@pytest.mark.parametrize("order", ["trec_eval", "rank"])
def test_checks_when_made_together_then_each_is_as_if_it_were_made_alone(tiny, order):
    qrels, folder = tiny
    measures, policy = [measure("AP"), measure("nDCG@10")], Policy(order=order)
    for one in every_run.check_files(qrels, [folder], measures, policy).each:
        others = read_collection(
            qrels, [path for path in folder.iterdir() if path.stem != one.name], order=order
        )
        ((_, examined),) = examine_texts(one.file, read_bytes(Path(one.file)))
        alone = check(examined, one.name, ScoredRuns.of(others, measures))
        assert alone.findings == one.findings
        assert [*alone.tables] == [*one.tables]
        for title, frame in alone.tables.items():
            pd.testing.assert_frame_equal(frame, one.tables[title], check_exact=True)


def test_command_when_json_is_asked_for_then_it_holds_findings_and_tables(
    tiny, tmp_path, run_command
):
    qrels, runs = tiny
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b\x08")
    text = run_command(
        "check",
        qrels,
        runs / "ideal",
        tmp_path / "bad.gz",
        "--format",
        "json",
        "-m",
        "P@2",
        status=1,
    ).out
    bad, good = json.loads(text)
    assert (good["name"], good["level"]) == ("ideal", "note")
    assert good["measure"] == "P@2"
    assert {"level", "subject", "what", "meaning", "remedy", "effect"} == set(good["findings"][0])
    assert "P@2" in good["tables"]["Topics"][0]
    assert bad["findings"][0]["what"] == "Expected a whole gzip file, found a truncated one."


def test_command_when_junit_is_asked_for_then_errors_fail_and_the_rest_is_said(
    tiny, tmp_path, run_command
):
    qrels, runs = tiny
    (tmp_path / "<b>&").write_text("1 Q0 a 1\n")
    text = run_command("check", qrels, runs, tmp_path / "<b>&", "--format", "junit", status=1).out
    suites = ElementTree.fromstring(text)
    assert len(suites) == 4
    (odd,) = [suite for suite in suites if suite.get("name").endswith("<b>&")]
    assert int(suites.get("failures")) == len(suites.findall(".//failure")) > 0
    assert (
        int(suites.get("tests"))
        == len(suites.findall(".//testcase"))
        > len(suites.findall(".//system-out"))
        > 0
    )
    assert "a run, found what looks like TREC qrels" in odd.find(".//failure").get("message")


def test_command_when_sarif_is_asked_for_then_has_what_the_standard_asks_and_names_file_and_line(
    tiny, tmp_path, run_command
):
    qrels, runs = tiny
    bad = tmp_path / "a b&"
    bad.write_text("1 Q0 a 1 2.0 t\n1 Q0 a 1\n")
    text = run_command("check", qrels, runs, bad, "--format", "sarif", status=1).out
    log = json.loads(text)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["tool"]["driver"]["name"]
    assert len(rules) == len({*rules})
    places = {(result["level"], *_place(result)) for result in run["results"]}
    for result in run["results"]:
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert not set(_place(result)[0]) & set(" <>&")
    assert ("error", quote(bad.as_posix()), 2) in places
    checks = every_run.check_files(
        qrels, [runs, bad], [measure("AP"), measure("nDCG"), measure("RBP(p=0.95)")], Policy()
    ).each
    assert len(run["results"]) == sum(len(found.findings) for found in checks)


def _place(result):
    (location,) = result["locations"]
    place = location["physicalLocation"]
    return place["artifactLocation"]["uri"], place.get("region", {}).get("startLine")


def test_command_when_the_qrels_cannot_be_used_then_exits_2(tiny, tmp_path, run_command):
    (tmp_path / "q").write_bytes(b"\0")
    run_command("check", tmp_path / "q", tiny[1], status=2)


def check_real(folder: Path) -> list:
    return [
        *every_run.check_files(
            folder / "qrels.txt", [folder / "runs"], [measure("AP")], Policy()
        ).each
    ]


@pytest.fixture(scope="module")
def covid(trec_covid):
    return check_real(trec_covid)


def test_covid_when_checked_then_the_run_with_rising_scores_is_first_and_no_movement_is_a_note(
    covid,
):
    assert [(check.name, round(finding.effect, 3)) for check, finding in rank(covid)[:2]] == [
        ("SFDC-23April-run2", 0.151),
        ("UB_NLP_RUN_1", -0.046),
    ]
    ranks = [
        finding
        for one in covid
        for finding in one.findings
        if finding.subject == "ranks" and finding.level != "error"
    ]
    assert {finding.level for finding in ranks} == {"note"}


def test_real_runs_when_checked_then_fewer_than_one_in_five_have_a_warning(covid, robust03):
    for found in (covid, check_real(robust03)):
        assert 5 * sum(one.count("warning") > 0 for one in found) < len(found)
        assert {
            finding.subject for one in found for finding in one.findings if finding.level != "note"
        }.isdisjoint({"judged", "to judge next", "bounds", "unjudged"})


def test_covid_when_ties_are_broken_in_all_orders_then_the_score_is_between_the_ends(covid):
    official = [one.tables["Ties"] for one in covid]
    assert all(
        (t["worst"] <= t["expected"] + 1e-12).all() and (t["expected"] <= t["best"] + 1e-12).all()
        for t in official
    )
    assert all(
        (t["worst"] <= t["as scored"] + 1e-12).all() and (t["as scored"] <= t["best"] + 1e-12).all()
        for t in official
    )


def test_qrels_of_when_taken_from_a_collection_then_joins_the_same(tiny):
    collection = read_collection(*tiny)
    again = Index(qrels_of(collection))
    run = settled_run("r", (tiny[1] / "example").read_bytes())
    assert isinstance(run, Run)
    lists = again.join(run, Policy())
    first = collection.runs.index("example") * 4
    np.testing.assert_array_equal(
        lists.judgment_index,
        collection.judgment_index[collection.start[first] : collection.start[first + 4]],
    )
