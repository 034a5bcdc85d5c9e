"""Variance: results on made-up scores, and on judgments dealt out to shards."""

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.score_matrix import Matrix
from irmeval.reductions.stratified import shards
from irmeval.stats.anova import OTHERS, THESE
from tests.cases import collection

VARIANCE = EXPERIMENTS["variance"]
TOPICS = tuple("12345")
SCORES = np.array(
    [[0.9, 0.8, 0.95, 0.9, 0.85], [0.89, 0.82, 0.93, 0.92, 0.85], [0.1, 0.2, 0.1, 0.3, 0.2]]
)
MATRIX = Matrix("m", ("a", "b", "c"), TOPICS, SCORES)


def test_variance_when_one_run_is_far_below_two_then_these_share_the_top():
    found = VARIANCE(MATRIX)
    assert found.verdict()[:2] == (
        "Runs explain 97% of the variance by m, topics 1%; 1 run does not differ from b.",
        "2 of 3 pairs of runs differ with all pairs tested together, by m.",
    )
    assert found.groups()["groups"].tolist() == ["a", "a", "b"]
    assert found.groups()["not different from the best"].tolist() == [True, True, False]
    assert found.frame()["significant"].tolist() == [False, True, True]
    variance = found.variance().set_index("factor")
    assert variance["df"].to_dict() == {"runs": 2, "topics": 4, "residual": 8}
    assert variance["sum of squares"].sum() == pytest.approx(
        np.square(SCORES - SCORES.mean()).sum()
    )


@pytest.mark.parametrize(
    ("n", "begins"), [(3, "The runs, by mean m."), (41, "The best 40 of 41 runs, by mean m.")]
)
def test_charts_of_variance_when_runs_are_few_or_many_then_say_which_are_drawn_and_call_them_runs(
    n, begins
):
    runs = tuple(f"r{i}" for i in range(n))
    shares, groups = VARIANCE(
        Matrix("m", runs, TOPICS, np.random.default_rng(1).random((n, 5)))
    ).charts()
    assert groups.caption.startswith(begins)
    drawn = shares.draw()
    assert [*drawn.layout.yaxis.ticktext] == ["m"]
    assert [bar.name for bar in drawn.data] == ["runs", "topics", "residual"]
    assert sum(bar.x[0] for bar in drawn.data) == pytest.approx(100)
    assert [note.text for note in drawn.layout.annotations] == [
        f"{bar.x[0]:.0f}%"
        for bar in drawn.data
        if bar.x[0] >= 4  # else there is no room
    ]
    # else Plotly leaves out the last name where it should turn all
    assert drawn.layout.xaxis.ticklabeloverflow == "allow"


def test_variance_when_the_best_differs_from_all_then_says_so():
    found = VARIANCE(MATRIX, only=["c", "a"])
    assert found.verdict().claim.endswith("; a differs from all others.")
    assert found.groups()["run"].tolist() == ["a", "c"]


def test_variance_when_all_scores_are_the_same_then_nothing_is_told_apart():
    found = VARIANCE(Matrix("m", ("a", "b"), TOPICS, np.full((2, 5), 0.5)))
    assert found.verdict().claim == "By m, all scores are the same."


def test_variance_when_shards_are_asked_of_a_score_matrix_then_is_refused():
    with pytest.raises(
        ParamError,
        match="expected 1 for the score matrix m, which has no judgments to divide, found 2",
    ):
        VARIANCE(MATRIX, params=VARIANCE.params(shards=2))


def test_shards_when_dealt_out_then_each_judgment_is_in_one_and_grades_are_spread_evenly(c):
    dealt = shards(c, 3, np.random.default_rng(1))
    judged = c.grade >= 0
    assert ((dealt >= 0).sum(axis=0) == judged).all()
    assert (dealt.max(axis=0)[judged] == c.grade[judged]).all()
    assert (dealt[:, ~judged] == c.grade[~judged]).all()
    for topic in range(len(c.topics)):
        for relevant in (True, False):
            of = judged & (c.topic == topic) & ((c.grade > 0) == relevant)
            sizes = (dealt[:, of] >= 0).sum(axis=1)
            assert np.ptp(sizes) <= 1


def test_shard_when_scored_then_is_as_if_no_other_document_were_in_runs_or_judgments():
    qrels = {str(t): {f"d{i}": int(i % 2 == t % 2) for i in range(8)} for t in range(4)}
    runs = {
        f"r{r}": {t: [f"d{(i * (2 * r + 1) + int(t)) % 8}" for i in range(8)] for t in qrels}
        for r in range(3)
    }
    c = collection(qrels, runs)
    found = VARIANCE(c, ["AP"], VARIANCE.params(shards=2, seed=4))
    dealt = shards(c, 2, np.random.default_rng(4))
    documents, cells = c.documents.to_pylist(), np.empty((3, 4, 2))
    for k, part in enumerate(dealt):
        kept = {
            t: {
                d: q
                for d, q, of, g in zip(documents, c.grade, c.topic, part, strict=True)
                if c.topics[of] == t and g >= 0
            }
            for t in qrels
        }
        cut = {
            run: {t: [d for d in ranked if d in kept[t]] for t, ranked in lists.items()}
            for run, lists in runs.items()
        }
        cells[..., k] = irmeval.evaluate(
            collection({t: {d: int(q) for d, q in of.items()} for t, of in kept.items()}, cut),
            ["AP"],
        ).values[0]
    np.testing.assert_allclose(found.analyses[0].anova.means, cells.mean(axis=(1, 2)))
    inner = np.square(cells.mean(axis=0) - cells.mean(axis=(0, 2))[:, None]).sum() * 3
    assert found.analyses[0].anova.squares[3] == pytest.approx(inner)


def test_variance_when_there_are_shards_then_says_what_they_do(c):
    found = VARIANCE(c, ["AP"], VARIANCE.params(shards=2, holds_for=THESE))
    power = found.power().iloc[0]
    plain, others, these = (
        power[name]
        for name in (
            "one score per topic",
            f"shards, holds for {OTHERS}",
            f"shards, holds for {THESE}",
        )
    )
    assert (
        f"with 2 shards, {others} if other topics are meant too, {these} if these topics alone are"
        " meant." in found.headline()
    )
    assert f"With one score per topic, {count_noun(plain, 'pair')} differ" in found.headline()
    assert found.verdict().beside.startswith(f"{these} of 15 pairs of runs")


def test_variance_when_no_topic_has_a_relevant_document_for_every_shard_then_says_to_choose_fewer():
    lists = {t: ["good", "bad"] for t in TOPICS}
    c = collection({t: {"good": 1, "bad": 0} for t in TOPICS}, {"r1": lists, "r2": lists})
    with pytest.raises(
        ParamError, match="AP: .* on every shard, found 2 runs and 0 topics. Choose fewer shards"
    ):
        VARIANCE(c, ["AP"], VARIANCE.params(shards=2))
