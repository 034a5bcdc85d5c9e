"""A collection with further judges: no score changes. Evaluated by another judge, it
equals a collection with that judge's qrels alone.
"""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given

import irmeval
from irmeval.core.errors import ParamError, ReadError, UnknownName
from irmeval.metrics import METRICS
from irmeval.reading.writing import write_qrels
from irmeval.scoring.selection import Selection, select, subset
from tests.cases import cases, collection, measures, read_once, written

EVERY = [measure for name in METRICS for measure in measures(name)]
ARRAYS = ("topic", "grade", "judgment_index", "rank", "start", "length")


def scores(c):
    return irmeval.evaluate(c, EVERY).values


def assert_same(one, other):
    """All that scores and pages can depend on."""
    assert (one.topics, one.runs, one.unknown) == (other.topics, other.runs, other.unknown)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    assert one.documents.equals(other.documents)
    for here, there in zip(one.outside[:2], other.outside[:2], strict=True):
        np.testing.assert_array_equal(here, there)
    assert one.outside.documents.equals(other.outside.documents)


@cache
def deep():
    """Lists of 400 documents, and two judges who know other parts of them, of other
    topics too.
    """
    rng = np.random.default_rng(7)
    documents = [f"D{i:03}" for i in range(400)]
    runs = {
        f"r{r}": {
            t: {d: float(s) for d, s in zip(documents, rng.random(400), strict=True)}
            for t in "12345"
        }
        for r in range(4)
    }

    def judged(topics, share):
        return {
            t: {d: int(rng.integers(-1, 4)) for d in documents if rng.random() < share}
            for t in topics
        }

    return runs, judged("1234", 0.3), judged("2345", 0.4)


@pytest.mark.parametrize("policy", [{}, {"negative": "nonrelevant"}, {"depth": 50}])
def test_scores_when_another_judge_joins_then_are_the_same_to_the_bit(policy):
    runs, own, other = deep()
    alone = irmeval.Collection.from_dicts(own, runs, **policy)
    both = alone.with_judgments("other", other)
    assert_same(both, alone)
    np.testing.assert_array_equal(scores(both), scores(alone))
    assert both.judges == ("qrels", "other")
    assert both.fingerprint != alone.fingerprint


@pytest.mark.parametrize("policy", [{}, {"negative": "nonrelevant"}, {"depth": 50}])
def test_collection_when_seen_by_another_judge_then_is_that_of_their_qrels(policy):
    runs, own, other = deep()
    both = irmeval.Collection.from_dicts(own, runs, **policy).with_judgments("other", other)
    theirs = irmeval.Collection.from_dicts(other, runs, **policy)
    seen = both.judged_by("other")
    assert seen.judges == ("other", "qrels")
    assert_same(seen, theirs)
    np.testing.assert_array_equal(scores(seen), scores(theirs))
    assert_same(seen.judged_by("qrels"), irmeval.Collection.from_dicts(own, runs, **policy))


@given(cases(), cases())
def test_collection_when_small_and_seen_by_another_judge_then_is_that_of_their_qrels(case, other):
    try:
        theirs = collection(other.judgments, case.rankings)
    except ReadError:  # no topic of theirs
        return
    both = case.collection().with_judgments("other", other.judgments)
    assert_same(both, case.collection())
    assert_same(both.judged_by("other"), theirs)


def test_collection_when_of_files_then_they_are_read_again_for_other_judges(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "p").write_text("1 0 z 2\n2 0 a 1\n")
    lines = [f"1 Q0 x{i} 0 {500 - i} r\n" for i in range(200)] + [
        "1 Q0 z 0 0 r\n",
        "2 Q0 a 0 1 r\n",
    ]
    (tmp_path / "r").write_text("".join(lines))
    both = irmeval.read_collection(tmp_path / "q", tmp_path / "r").with_judgments(
        "other", tmp_path / "p"
    )
    assert_same(both.judged_by("other"), irmeval.read_collection(tmp_path / "p", tmp_path / "r"))
    assert both.judged_by("other").rank.tolist() == [201, 1]
    (tmp_path / "r").write_text("".join(lines[1:]))
    with pytest.raises(ReadError, match="r: expected the file that was read first"):
        both.with_judgments("third", {"1": {"x5": 1}})


def test_judges_when_three_then_each_evaluates_as_alone_and_a_selection_keeps_them():
    runs, own, other = deep()
    third = {t: {d: 3 - max(g, 0) for d, g in grades.items()} for t, grades in own.items()}
    all_of_them = (
        irmeval.Collection.from_dicts(own, runs)
        .with_judgments("other", other, first="person")
        .with_judgments("third", third)
    )
    assert all_of_them.judges == ("person", "other", "third")
    for name, grades in (("person", own), ("other", other), ("third", third)):
        assert_same(all_of_them.judged_by(name), irmeval.Collection.from_dicts(grades, runs))
    few = select(all_of_them, Selection(topics_only="2,3", runs_only="r1,r3")).collection
    assert few.judges == all_of_them.judges
    for name, grades in (("person", own), ("other", other)):
        alone = select(
            irmeval.Collection.from_dicts(grades, runs),
            Selection(topics_only="2,3", runs_only="r1,r3"),
        ).collection
        np.testing.assert_array_equal(scores(few.judged_by(name)), scores(alone))
    later = select(
        irmeval.Collection.from_dicts(own, runs), Selection(topics_only="2,3", runs_only="r1,r3")
    ).collection
    later = later.with_judgments("other", other)
    np.testing.assert_array_equal(scores(later.judged_by("other")), scores(few.judged_by("other")))


def test_grades_when_mapped_or_relevant_from_another_then_the_judge_evaluates_by_them():
    runs, own, other = deep()
    c = irmeval.Collection.from_dicts(own, runs)
    coarse = c.with_judgments("other", other, map={3: 1, 2: 1, 1: 0})
    strict = c.with_judgments("other", other, relevant=2)
    by_hand = {
        t: {d: {3: 1, 2: 1, 1: 0}.get(g, g) for d, g in grades.items()}
        for t, grades in other.items()
    }
    np.testing.assert_array_equal(
        scores(coarse.judged_by("other")), scores(irmeval.Collection.from_dicts(by_hand, runs))
    )
    by_hand = {t: {d: 0 if g == 1 else g for d, g in grades.items()} for t, grades in other.items()}
    np.testing.assert_array_equal(
        scores(strict.judged_by("other")), scores(irmeval.Collection.from_dicts(by_hand, runs))
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[str, str]:
    """Qrels and runs of a small collection."""
    return written(tmp_path_factory.mktemp("collection"), 1)


def test_fingerprint_when_anything_of_another_judge_changes_then_it_changes(files):
    c = read_once(*files)
    made = [
        c,
        c.with_judgments("a", "simulated:strict,0.3,1"),
        c.with_judgments("b", "simulated:strict,0.3,1"),
        c.with_judgments("a", "simulated:strict,0.3,2"),
        # the same grades, of a file
        c.with_judgments("a", irmeval.simulated(irmeval.read_qrels(files[0]), "strict", 0.3, 1)),
        c.with_judgments("a", "simulated:strict,0.3,1", relevant=2),
        c.with_judgments("a", "simulated:strict,0.3,1", map={7: 1}),  # what nobody gave
        c.with_judgments("a", "simulated:strict,0.3,1", first="person"),
    ]
    assert len({each.fingerprint for each in made}) == len(made)


def test_judges_when_they_cannot_join_then_it_is_said_in_words():
    runs, own, other = deep()
    c = irmeval.Collection.from_dicts(own, runs)
    with pytest.raises(ParamError, match="'qrels' exists already"):
        c.with_judgments("qrels", other)
    with pytest.raises(ParamError, match="name of 1 to 100 characters"):
        c.with_judgments("", other)
    with pytest.raises(ParamError, match="level: expected at least 1"):
        c.with_judgments("other", other, relevant=0)
    with pytest.raises(UnknownName, match="there is qrels alone"):
        c.judged_by("other")
    with pytest.raises(UnknownName, match="unknown judge 'othr'; nearest: other"):
        c.with_judgments("other", other).judged_by("othr")
    with pytest.raises(ParamError, match="can no longer be joined with other judgments"):
        replace(c, source=None).with_judgments("other", other)
    one = subset(c, np.arange(4), np.array([0]))
    with pytest.raises(ParamError, match="other has judged none of the selected topics"):
        one.with_judgments("other", {"9": {"D001": 1}})
    few = select(c.with_judgments("other", other), Selection(topics_only="1")).collection
    with pytest.raises(ParamError, match="other has judged none of the selected topics"):
        few.judged_by("other")


@pytest.mark.usefixtures("files_read_once")
def test_command_when_another_judge_evaluates_then_scores_are_by_their_grades(
    files, tmp_path, run_command
):
    strict = irmeval.simulated(irmeval.read_qrels(files[0]), "strict", 0.5, 3)
    names = [strict.topics[t] for t in strict.topic]
    (tmp_path / "strict").write_text(
        write_qrels(names, strict.documents.to_pylist(), strict.grade.tolist())
    )
    given = [*files, "-m", "AP", "-m", "nDCG@10"]
    others = ["--other", "made=simulated:strict,0.5,3", "--other", f"read={tmp_path / 'strict'}"]

    ran = partial(run_command, "evaluate")
    by_hand = ran(tmp_path / "strict", *given[1:]).out
    assert ran(*given, *others).out == ran(*given).out != by_hand
    assert (
        ran(*given, *others, "--judge", "made").out
        == ran(*given, *others, "--judge", "read").out
        == by_hand
    )
    coarse = ran(*given, *others, "--judge", "read", "--map", "read=3:1,2:1").out
    assert coarse != by_hand
    assert "qrels 800 documents, made 800 documents, read 800 documents" in ran(*given, *others).err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--judge", "x"], "unknown judge 'x'"),
        (
            ["--other", "made=simulated:strict", "--judge", "mad"],
            "unknown judge 'mad'; nearest: made",
        ),
        (
            ["--other", "made=simulated:strict", "--relevant", "mad=2"],
            "unknown judge 'mad'; nearest: made",
        ),
        (["--other", "a=nowhere.txt"], "nowhere.txt"),
    ],
)
@pytest.mark.usefixtures("files_read_once")
def test_command_when_a_judge_cannot_evaluate_then_one_line_says_so(
    files, flags, says, run_command
):
    assert says in run_command("leaderboard", *files, "-m", "AP", *flags, status=2).err


def test_check_when_given_another_judge_then_says_that_it_has_no_use_for_them(files, run_command):
    said = run_command("check", *files, "--other", "a=simulated:strict", status=2).err
    assert "check: uses the files as they are. Leave out --other and --judge." in said
