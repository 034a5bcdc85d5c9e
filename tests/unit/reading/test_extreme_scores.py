"""Scores near the limits of floating-point numbers: results are right or refused in
words, and NumPy warns of nothing.
"""

import numpy as np
import pytest

import irmeval
from irmeval import ParamError, ReadError, UnknownName
from irmeval.collection.base import build
from irmeval.collection.team_names import LARGEST, read_teams
from irmeval.core.registry import check_known
from irmeval.experiments import EXPERIMENTS
from irmeval.reading import parsing, score_matrix
from irmeval.reductions import REDUCTIONS, reduce
from tests.cases import settled_run
from tests.small_work import small

ON_MATRICES = [name for name, experiment in EXPERIMENTS.items() if experiment.matrix]


def table(scores: np.ndarray) -> bytes:
    rows = "".join(f"{t},{','.join(map(repr, row))}\n" for t, row in enumerate(scores.tolist()))
    return f"topic,a,b,c,d\n{rows}".encode()


@pytest.mark.parametrize("score", ["1e31", "-1e31", "1e308", "-1.7e308"])
def test_matrix_when_a_score_is_beyond_what_can_be_computed_with_then_refused_with_its_line(score):
    with pytest.raises(
        ReadError,
        match=(
            rf"^m, line 3: expected a score of at most 1e\+30 in absolute value, found '{score}'."
            r" Scale the scores."
        ),
    ):
        score_matrix.parse_matrix("m", f"a,b\n1,2\n3,{score}\n".encode())


@pytest.mark.parametrize(
    "choices",
    [[1e30, -1e30, 3e29], [5e-324, 1e-320, 0.0], [1e30, 5e-324, -1e-300]],
    ids=["huge", "tiny", "both"],
)
@pytest.mark.parametrize("name", ON_MATRICES)
def test_experiment_when_scores_are_extreme_then_all_of_its_result_is_made_without_a_warning(
    name, choices
):
    scores = np.random.default_rng(1).choice(choices, (12, 4))
    experiment = EXPERIMENTS[name]
    result = experiment(score_matrix.parse_matrix("m", table(scores)), params=small(experiment))
    assert result.headline()
    assert all(len(one.make().columns) for one in result.tables())
    assert all(chart.draw().data for chart in result.charts())


@pytest.mark.parametrize("order", ["trec_eval", "double"])
def test_run_when_scores_are_extreme_then_lists_are_in_their_order(order):
    ranked = [f"d{n}" for n in range(8)]
    scores = [1.7e308, 1e308, 3e38, 1.0, 0.0, -1e-320, -1.0, -1e308]
    text = "".join(f"1 Q0 {d} 1 {s!r} t\n" for d, s in zip(ranked, scores, strict=True)).encode()
    single = "".join(f"1 Q0 {d} 1 {8 - n} t\n" for n, d in enumerate(ranked)).encode()
    qrels = parsing.settled_qrels(
        "q", "".join(f"1 0 {d} {n % 3}\n" for n, d in enumerate(ranked)).encode()
    )
    extreme, plain = (
        build(qrels, [settled_run("r", given)], order=order) for given in (text, single)
    )
    # as 32-bit floats the first two are infinite, and two are 0: ties fall by document id
    if order == "trec_eval":
        swapped = {"d0": 7, "d1": 8, "d2": 6, "d3": 5, "d4": 3, "d5": 4, "d6": 2, "d7": 1}
        tied = "".join(f"1 Q0 {d} 1 {s} t\n" for d, s in swapped.items()).encode()
        plain = build(qrels, [settled_run("r", tied)], order=order)
    assert np.array_equal(
        irmeval.evaluate(extreme, ["AP", "nDCG"]).values,
        irmeval.evaluate(plain, ["AP", "nDCG"]).values,
    )
    assert np.array_equal(extreme.judgment_index, plain.judgment_index)


@pytest.mark.parametrize(
    "text",
    [b"run,team\na\0b,x\n", b"run,team\na,\0\n", b"\0", b"\xff\xferun,team\n", b"run,team\n\0,x\n"],
)
def test_teams_when_the_list_is_no_text_then_refused(text):
    with pytest.raises(
        ReadError,
        match=r"^t.csv: expected plain text in UTF-8, found binary data or another encoding",
    ):
        read_teams("t.csv", text)


def test_teams_when_the_list_is_larger_than_any_then_refused():
    with pytest.raises(ReadError, match="t.csv: expected at most 16 MiB, found more"):
        read_teams("t.csv", b"run,team\n" + b"\n" * LARGEST)


@pytest.mark.parametrize("text", [b"a\0,b\n1,2\n", b"topic,a,b\n1\0,2,3\n"])
def test_matrix_when_it_holds_a_nul_then_refused(text):
    with pytest.raises(ReadError, match="m: expected plain text in UTF-8, found binary data"):
        score_matrix.parse_matrix("m", text)


def test_error_when_there_is_nothing_to_choose_from_then_it_says_so(tiny):
    with pytest.raises(UnknownName, match="^unknown judge 'b'; known: none.$"):
        check_known("b", [], "unknown judge")
    with pytest.raises(UnknownName, match="^unknown collection ''; known: none.$"):
        irmeval.Workspace().stored()
    bare = next(name for name, reduction in REDUCTIONS.items() if not reduction.params)
    axis = REDUCTIONS[bare].axis
    with pytest.raises(
        ParamError, match=f"^{bare}: unknown keyword 'x'; known: {axis.name}, trials, seed.$"
    ):
        reduce(irmeval.read_collection(*tiny), bare, seed=1, x=1, **{axis.name: axis.default})
