"""The statistics of papers' findings, by hand: at rates and below them, and computed
again on half of the topics.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.measures.agreement import Agreement
from irmeval.experiments.measures.stability import Stability
from irmeval.experiments.results import Table
from irmeval.experiments.trials import Realised
from irmeval.papers import findings, resampled
from irmeval.papers.exhibits import Overrides, choose_runs
from irmeval.papers.findings import (
    AS_PUBLISHED,
    DIRECTION,
    DOES_NOT,
    HOLDS,
    UNDECIDED,
    UNKNOWN,
    UNLIKE,
    WHOLE,
    Finding,
    answers,
)
from irmeval.papers.layout import PrintedColumn, TableLayout, printed
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Selection
from irmeval.stats.topic_sets import WinsAndTies
from tests.cases import SAMPLE, collection, read_once
from tests.watched import made, seen

FINDING = Finding("Fig. 1", "", "tau", ("Q",), ("AP",), "Fig. 1")
TAU = {"AP": [1, 0.2, 0.6, 0.9], "Q": [1, 0.9, 0.5, 0.8], "RR": [1, 0.1, 0.3, 0.7]}
"""At 100, 10, 5 and 1%."""


def told(**said):
    """What is said of the orders kept at four rates, one sample of each."""
    tau = np.array([*TAU.values()])[..., None]
    result = seen((100.0, 10.0, 5.0, 1.0), (*TAU,), tau=tau)
    [here] = answers([FINDING._replace(**said)], result)
    return here.here, here.verdict, here.interval


@pytest.mark.parametrize(
    ("said", "here", "verdict"),
    [
        ({}, "0.80 (Q), 0.67 (AP)", "holds"),
        ({"statistic": "tau at 10%"}, "0.90 (Q), 0.20 (AP)", "holds"),
        ({"statistic": "tau below 10%"}, "0.50 (Q), 0.60 (AP)", "does not"),
        ({"statistic": "tau below 5%"}, "0.80 (Q), 0.90 (AP)", "does not"),
        ({"these": ("Q", "AP"), "those": ("RR",)}, "0.67 (lowest of Q, AP), 0.53 (RR)", "holds"),
        ({"these": ("Q",), "those": ("RR", "AP")}, "0.80 (Q), 0.67 (highest of RR, AP)", "holds"),
        ({"those": 0.8}, "0.80 (expected above 0.8)", "does not"),
        (
            {"statistic": "tau at 5%", "these": 0.4, "those": ("RR",)},
            "0.30 (expected below 0.4)",
            "holds",
        ),
    ],
)
def test_finding_when_it_is_about_rates_then_those_at_or_below_them_count(said, here, verdict):
    assert told(**said) == (here, verdict, "definition")


def test_finding_when_scores_of_topics_decide_then_interval_is_t_times_the_error_from_halves(
    stats,
):
    result = EXPERIMENTS["agreement"](
        read_once(*SAMPLE), ["AP", "RR", "Q"], EXPERIMENTS["agreement"].params()
    )
    [here] = answers([FINDING._replace(statistic="tau with AP", these=("RR",), those=0.5)], result)
    ap, rr = result.scores.values[0], result.scores.values[1]
    margins, n, rng, times = (
        [],
        ap.shape[1],
        np.random.default_rng(resampled.SEED),
        resampled.TIMES["topics"],
    )
    for _ in range(times):
        half = [t for t, place in enumerate(rng.permutation(n)) if place < n // 2]
        means = [[sum(run[t] for t in half) for run in values] for values in (ap, rr)]
        margins.append(stats.kendalltau(*means).statistic - 0.5)
    error, t = np.std(margins, ddof=1), stats.t(1 / (1 / (times - 1) + 1 / (n - 1)))
    assert n % 2 == 0
    assert (here.low, here.high) == pytest.approx(
        (here.margin - t.ppf(0.95) * error, here.margin + t.ppf(0.95) * error)
    )
    assert here.p == pytest.approx(2 * t.sf(here.margin / error))
    assert here.samples == f"{sum(margin > 0 for margin in margins)} of {times} halves"


@pytest.mark.parametrize(
    ("name", "topics"), [("agreement", 6), ("agreement", 7), ("stability", 6), ("stability", 7)]
)
def test_weights_when_a_mean_is_made_again_then_its_variance_is_that_of_a_mean_over_topics(
    monkeypatch, name, topics
):
    # so that all halves are drawn about equally often
    monkeypatch.setitem(resampled.TIMES, "topics", 8_000)
    values = np.random.default_rng(topics).random((1, 1, topics))
    kind = {"agreement": Agreement, "stability": Stability}[name]
    wide = resampled.ON_TOPICS[kind][1]
    monkeypatch.setitem(
        resampled.ON_TOPICS, SimpleNamespace, (lambda result, measures, weight: weight, wide)
    )
    again = resampled.resample(SimpleNamespace(values=values, measures=()))
    means = [(values * make()).mean() for make in again.makes]
    assert {*again.makes[0]().tolist()} == {1 - wide, 1 + wide} | ({1.0} if topics % 2 else set())
    assert again.scale * np.var(means) == pytest.approx(np.var(values, ddof=1) / topics, rel=0.03)


def test_finding_when_samples_of_the_judgments_are_halved_then_a_mean_has_its_standard_error(
    stats, monkeypatch
):
    # so that all halves are drawn about equally often
    monkeypatch.setitem(resampled.TIMES, "trials", 8_000)
    mean = np.array([[[0.1, 0.4, 0.2, 0.5, 0.3, 0.7]]])
    result = made(np.repeat(mean[..., None], 2, -1), np.ones((1, 2)), levels=(10.0,))
    [here] = answers(
        [FINDING._replace(statistic="share of the mean at 10%", these=("AP",), those=0.0)], result
    )
    half = stats.t(1 / (1 / 7_999 + 1 / 5)).ppf(0.95) * np.std(mean, ddof=1) / np.sqrt(6)
    assert here.margin == pytest.approx(mean.mean())
    assert (here.high - here.margin, here.margin - here.low) == pytest.approx(
        (half, half), rel=0.02
    )
    assert here.samples == "6 of 6 samples"


def test_finding_when_there_is_one_sample_or_hardly_a_topic_then_it_cannot_be_told():
    result = replace(
        made(np.ones((2, 1, 1, 2)), np.ones((2, 2)), levels=(10.0,)), measures=ROWS[:2]
    )
    finding = FINDING._replace(statistic="share of the mean at 10%", those=0.5)
    few = EXPERIMENTS["agreement"](
        collection({"1": {"a": 1}, "2": {"a": 1}}, TWO),
        ["AP", "Q"],
        EXPERIMENTS["agreement"].params(),
    )
    for interval, [here] in (
        ("one sample", answers([finding], result)),
        ("few topics", answers([finding._replace(statistic="tau with AP")], few)),
    ):
        assert (here.verdict, here.interval, here.here) == (
            DIRECTION,
            interval,
            "1.00 (expected above 0.5)",
        )
        assert here.why == UNKNOWN[interval]
        assert np.isnan([here.low, here.high, here.p]).all()


def kept(left: float, scores: dict[str, list[list[float]]]) -> Curves:
    """Curves at 100, 95 and 10%, where 95% leaves so much, with the means of 2 runs at
    these rates [measure], alike in all 4 samples but for a little noise.
    """
    means = np.array([*scores.values()])[:, :, None] + 1e-3 * np.arange(4)[:, None] * [0, 1]
    there = [[100.0] * 4, [left] * 4, [10.0] * 4]
    asked = {"levels": (100.0, 95.0, 10.0), "rounding": "half-up"}
    found = made(means, means[:, 0, 0], there, **asked)
    return replace(found, measures=tuple(map(measure, scores)))


KEPT = {"AP": [[0.4, 0.2], [0.4, 0.2], [0.1, 0.3]], "Q": [[0.4, 0.2], [0.4, 0.2], [0.3, 0.1]]}
TIES = {"AP": [[0.4, 0.4], [0.4, 0.4], [0.1, 0.3]], "Q": KEPT["Q"]}


@pytest.mark.parametrize(
    ("left", "here"),
    [
        (95.03, "1.00 (Q), 0.33 (AP)"),  # asked, but for rounding
        (99.0, "1 (Q), 0 (AP)"),  # of the rates that remove a twentieth
    ],
)
def test_finding_when_one_rate_removes_little_then_means_are_of_the_others(left, here):
    result = kept(left, KEPT)
    [over_rates, knee] = answers([FINDING, FINDING._replace(statistic="knee of tau")], result)
    assert (over_rates.here, over_rates.verdict) == (here, "holds")
    assert over_rates.samples == "4 of 4 samples"
    assert knee.samples == "0 of 4 samples"


@pytest.mark.parametrize(
    ("left", "scores", "rate", "why"),
    [
        (95.0, TIES, "", "all runs tie by AP"),
        (99.0, KEPT, " at 95%", "95% asked, 99% left: numbers of documents are rounded to the"),
        (95.03, KEPT | {"AP": [[np.nan] * 2] * 3}, "", "some run has no score by AP"),
    ],
)
def test_finding_when_undecided_then_the_reason_is_that_of_its_rates_and_measures(
    left, scores, rate, why
):
    [here] = answers([FINDING._replace(statistic=f"tau{rate}")], kept(left, scores))
    assert here.here.startswith("no value: ")
    assert why in here.here


def test_knee_when_samples_differ_then_its_margin_has_an_interval():
    result = EXPERIMENTS["curves"](
        read_once(*SAMPLE), ["AP", "Q"], levels=(100, 50, 20, 10, 5), trials=8
    )
    [here] = answers([FINDING._replace(statistic="knee of tau", those=1.0)], result)
    assert here.low < here.margin < here.high


TWO = {"x": {"1": ["a", "b"], "2": ["a", "b"]}, "y": {"1": ["b", "a"], "2": ["b", "a"]}}


@pytest.mark.parametrize(
    ("finding", "result", "error", "why"),
    [
        ({}, None, "no topic", "not computed here: no topic"),
        ({"these": ("RR",)}, {}, "", "not computed here: RR"),
        ({"statistic": "tau at 7%"}, {}, "", "not available at these rates: tau at 7%"),
        ({}, {}, "", "no value: it is not defined here"),
        (
            {"statistic": "knee of tau"},
            {},
            "",
            "no value: the curve is not above 0.9 at its highest rate",
        ),
        (
            {"statistic": "minority rate at 10% ties"},
            {
                "at_ties": np.array([0.1, np.nan]),
                "rates": (0, np.array([[0.1, 0.2], [0.05, 0.09]])),
            },
            "",
            "no value: by Q, no f gives 10% ties",
        ),
        (
            {"statistic": "minority rate at 10% ties"},
            {"at_ties": np.array([0.1, np.nan]), "rates": (0, np.array([[0.1], [0.11]]))},
            "",
            "no value: by Q, every f gives more than 10% ties",
        ),
        (
            {"statistic": "share unjudged at rank 1000, less that at 125", "these": WHOLE},
            {"stretches": ["1", "2-125"], "mean_share": [0.0, 0.1], "ends": (1, 125)},
            "",
            "no value: no list reaches rank 1,000, the counted ranks end at 125",
        ),
    ],
)
def test_finding_when_it_has_no_value_then_it_says_why(finding, result, error, why):
    of_nothing = made(np.full((2, 1, 1, 2), np.nan), np.ones((2, 2)), levels=(10.0,))
    given = {
        **vars(seen((10.0,), tau=np.full((2, 1, 1), np.nan))),
        "knee": of_nothing.knee,
    }
    [here] = answers(
        [FINDING._replace(**finding)],
        result if result is None else SimpleNamespace(**given | result),
        error,
    )
    assert (here.here, here.verdict, here.interval) == (why, "undecided", "")


def test_verdicts_when_they_hold_together_then_those_the_least_p_allow_stay_and_those_without_p():
    verdicts = ["holds", "does not", "holds", "holds", "undecided"]
    # of three: .1 / 3 allows the first, 2 * .1 / 3 the second, .1 the third
    p = np.array([0.001, 0.06, 0.09, np.nan, np.nan])
    assert findings.hold_together(verdicts, p) == verdicts
    assert findings.hold_together(verdicts, p * [1, 1.4, 1.2, 1, 1]) == [
        "holds",
        "undecided",
        DIRECTION,
        *verdicts[3:],
    ]
    published = [AS_PUBLISHED, UNLIKE, AS_PUBLISHED, DIRECTION, UNDECIDED]
    assert findings.hold_together(published, p * [1, 1.4, 1.2, 1, 1]) == [
        AS_PUBLISHED,
        UNLIKE,
        DIRECTION,
        DIRECTION,
        UNDECIDED,
    ]


def test_topic_sets_when_made_again_then_draw_topics_with_replacement_only_where_the_result_did():
    # by all three a is better
    scores = Matrix(
        "made up", ("a", "b"), ("1", "2", "3"), np.array([[0.9, 0.1, 0.2], [0.1, 0.5, 0.6]])
    )
    experiment = EXPERIMENTS["stability"]
    lost = {}
    for how in ("without", "with"):
        result = experiment(
            scores, params=experiment.params(size=3, replacement=how, sets=100, fuzziness=(0.01,))
        )
        # as those of a paper have
        result = replace(
            result, scores=result.scores._replace(names=("AP",), measures=(measure("AP"),))
        )
        of_kind, _ = resampled.ON_TOPICS[type(result)]
        lost[how] = of_kind(result, ("AP",), np.ones(3)).counts.losses.item()
        assert of_kind(result, ("AP",), np.array([0.0, 1.0, 1.0])).counts.wins.item() == 0
    assert lost["without"] == 0
    assert lost["with"] > 0


def of(statistic, **result):
    """A statistic of a result of which only this is known."""
    given = {
        name: (
            np.array(value, float)
            if isinstance(value, list) and not isinstance(value[0], (str, Realised))
            else value
        )
        for name, value in result.items()
    }
    return findings.statistic(statistic, SimpleNamespace(**given)).tolist()


ROWS = tuple(map(measure, ("AP", "Q", "nDCG(base=2)@1000", "AP'", "Q'", "nDCG(base=2)@1000'")))
RATES = (100.0, 10.0)
ORDERS = pd.DataFrame(
    {
        "sign - minority rate": [0.2],
        "sign - swap rate": [0.3],
        "minority rate - swap rate": [0.7],
        "significant from": [0.1],
    }
)


def wide(*cells):
    """One number per measure and rate, of one sample."""
    return [[[value] for value in row] for row in cells]


def means(values, whole):
    """Mean scores [measure, rate, sample], and on everything."""
    return vars(seen(RATES, mean=values)) | {"whole": {"mean": np.array(whole)[:, None]}}


def by_gains(tau):
    """Tau [measure, gains, rate]."""
    return {"curve": lambda column: np.array(tau), "correlation": "tau"}


@pytest.mark.parametrize(
    ("statistic", "result", "values"),
    [
        (
            "change of the mean at 10%",
            means(wide([0.5, 0.6], [0.4, 0.1]), [0.5, 0.4]),
            [0.2, 0.75],
        ),
        # up by a half in one sample and down by it in the other: no change of the mean
        ("change of the mean at 10%", means([[[0.5, 0.5], [0.75, 0.25]]], [0.5]), [0]),
        ("change of the mean at 10%", means(wide([0.5, 0.65]), [0.5]), [0.3]),
        ("share of the mean at 10%", means(wide([0.5, 0.6]), [0.5]), [1.2]),
        # 6 pairs stay alike, 1 is made up, 2 are missed, 3 stay apart
        (
            "errors",
            vars(seen((10.0,), c11=[[[6]]], c12=[[[1]]], c21=[[[2]]], c22=[[[3]]])),
            [1 / 4],
        ),
        (
            "pairs significant on both, less on neither at 10%",
            vars(seen((10.0,), c11=[[[6]]], c12=[[[1]]], c21=[[[2]]], c22=[[[3]]])),
            [(3 - 6) / 12],
        ),
        (
            "tau at 10%, less that of bpref",
            vars(seen(RATES, tau=wide([1, 0.4], [1, 0.7])))
            | {"measures": (measure("Bpref_R"), measure("Q"))},
            [0, 0.3],
        ),
        (
            "power at 10%, less that of bpref",
            vars(seen(RATES, power=wide([1, 0.4], [1, 0.3])))
            | {"measures": (measure("Bpref_R"), measure("Q"))},
            [0, -0.1],
        ),
        (
            "tau with Rprec",
            {"values": [[1, 0.5], [0.4, 1]], "measures": (ROWS[0], measure("Rprec"))},
            [0.5, 1],
        ),
        ("place by minority rate", {"at_ties": [0.1, 0.3, np.nan, 0.2]}, [1, 3, np.nan, 2]),
        ("minority rate at 10% ties", {"at_ties": [0.1, 0.3]}, [0.1, 0.3]),
        (
            "mean tau with the others",
            {"values": [[1, 0.5, 0.7], [0.5, 1, 0.2], [0.7, 0.2, 1]]},
            [0.6, 0.35, 0.45],
        ),
        ("tau with AP", {"values": [[1, 0.5], [0.4, 1]], "measures": ROWS[:2]}, [1, 0.4]),
        (
            "share of the score left at rank 11",
            {"shares": [[[1 - r / 100] for r in range(12)]]},
            [0.9],
        ),
        (
            "difference of Q and AP down to rank R",
            {"values": [[[0.5], [0.4], [0.3], [0.2]], [[0.5], [0.4], [0.5], [0.3]]]},
            [0],
        ),
        (
            "least difference of Q and AP below rank R",
            {"values": [[[0.5], [0.4], [0.3], [0.2]], [[0.5], [0.4], [0.5], [0.3]]]},
            [0.1],
        ),
        (
            "share of changes of places that it rises after",
            {"counts": [[3, 1, 0], [2, 1, 1]]},
            [0.75, 0.5],
        ),
        (
            "tau of stability and swap, less sign test and swap",
            {"as_in_the_paper": lambda: ORDERS},
            [0.4],
        ),
        (
            "tau of sign test and swap, less sign test and stability",
            {"as_in_the_paper": lambda: ORDERS},
            [0.1],
        ),
        (
            "least tau of sign test, stability and swap, less what chance gives",
            {"as_in_the_paper": lambda: ORDERS},
            [0.1],
        ),
        (
            "difference of tau by grades",
            by_gains([[[1, 0.5], [0.9, 0.8]], [[1, 0.6], [1, 0.5]]]),
            [0.3],
        ),
        ("difference of tau by grades", by_gains([[[1, 0.5], [1, 0.5]]]), [np.nan]),
        (
            "difference of accuracy by grades",
            by_gains([[[1, 0.5], [0.9, 0.8]], [[1, 0.6], [1, 0.5]]]),
            [0.3],
        ),
        (
            "share unjudged at rank 1",
            {"mean_share": [0.1, 0.2, 0.7], "stretches": ["1", "125", "1000"]},
            [0.1],
        ),
        (
            "share unjudged at rank 1000, less that at 125",
            {"mean_share": [0.1, 0.2, 0.7], "stretches": ["1", "125", "1000"]},
            [0.5],
        ),
        (
            "largest change of a run's rank",
            {"ranks": np.array([[1, 2, 3, 4], [4, 2, 3, 1]]), "by": 0},
            [0, 3],
        ),
        ("change of the score with R", {"values": [[[0.5, 0.2, 0.1], [0.3, 0.3, 0.2]]]}, [0.3]),
        (
            "change of the score from rank 1 to 2",
            {"values": [[[0.5, 0.2], [0.3, 0.3], [0, 0]]]},
            [0.2],
        ),
        ("score at ranks 1 and 2", {"values": [[[0.5, 0.2], [0.3, 0.6], [0.9, 0]]]}, [0.6]),
        ("least tau with the default gains", {"tau": [[1, 0.5, 0.7]]}, [0.5]),
    ],
)
def test_statistic_when_taken_by_hand_then_is_the_number_that_its_name_says(
    statistic, result, values
):
    more = {"measures": ROWS[:2], "params": SimpleNamespace(R=(2,))} | result
    np.testing.assert_allclose(of(statistic, **more), values, atol=1e-12)


def test_statistic_when_of_required_differences_then_is_in_parts_of_what_it_says():
    required = SimpleNamespace(
        difference=np.array([0.1, 0.2]), sensitivity=np.array([[0.5, 0.2], [0.4, 0.5]])
    )
    result = {"required": required, "best": [0.5, 0.8], "deviation": [0.2, 0.1]}
    assert of("required difference, share of the best mean", **result) == [0.2, 0.25]
    assert of("required difference, in deviations", **result) == [0.5, 2]
    # a measure's own are .3 and .1 apart, and under the default gains the two are .1 apart
    np.testing.assert_allclose(
        of("spread of sensitivity over gains, share of that over metrics", **result), [3, 1]
    )


def test_stability_over_gains_when_counted_by_hand_then_is_a_share_of_the_range_over_measures():
    # wins and losses of one pair at f of .1 and .2, of 10 topic sets: [measure, map, f, pair]
    won = np.array([[[8, 6], [7, 7], [6, 6]], [[5, 5], [4, 4], [5, 5]]])[..., None]
    lost = np.array([[[2, 2], [2, 2], [3, 3]], [[5, 4], [5, 5], [4, 4]]])[..., None]
    counts = WinsAndTies(won, lost, 10 - won - lost)
    rates = []
    for m in range(2):
        rates.append([])
        for g in range(3):
            points = []
            for f in range(2):
                wins, losses = int(won[m, g, f, 0]), int(lost[m, g, f, 0])
                points.append(((10 - wins - losses) / 10, min(wins, losses) / 10))
            (x0, y0), (x1, y1) = points
            at = y0 if x0 == x1 == 0.1 else y0 + (y1 - y0) * (0.1 - x0) / (x1 - x0)
            rates[m].append(at)
    over_metrics = abs(rates[0][0] - rates[1][0])
    expected = [(max(row) - min(row)) / over_metrics for row in rates]
    name = "spread of minority rate over gains, share of that over metrics"
    np.testing.assert_allclose(of(name, counts=counts), expected)


def test_power_and_swap_when_metrics_tell_apart_more_or_less_then_their_orders_are_compared():
    rng = np.random.default_rng(5)
    noise = rng.normal(0, 0.01, (4, 3, 20))
    apart = np.array([0.4, 0.2, 0.05, 0.0])[:, None, None] * np.arange(3)[:, None]
    values = 0.2 + apart + noise
    alone = EXPERIMENTS["matrix"].params(test="bootstrap", samples=1000)
    power = []
    for scores in values:
        pairs = [(a, b) for a in range(3) for b in range(a + 1, 3)]
        p = alone.p_alone(scores)
        power.append(sum(p[i] < 0.05 for i in range(len(pairs))) / len(pairs))
    sensitivity = [0.9, 0.5, 0.6, 0.1]
    signs, ties = 0, [0, 0]
    for a in range(4):
        for b in range(a):
            x, y = power[a] - power[b], sensitivity[a] - sensitivity[b]
            signs += np.sign(x) * np.sign(y)
            ties[0] += x != 0
            ties[1] += y != 0
    result = {
        "scores": SimpleNamespace(values=values),
        "required": SimpleNamespace(sensitivity=np.array(sensitivity)),
    }
    name = "tau of the orders of the metrics by power and by sensitivity"
    np.testing.assert_allclose(of(name, **result), [signs / np.sqrt(ties[0] * ties[1])])


def test_statistic_when_graded_relevance_has_an_advantage_then_is_the_lesser_raw_less_the_primes():
    tau = [[[0], [value]] for value in (0.3, 0.8, 0.7, 0.9, 0.95, 0.92)]
    result = vars(seen(RATES, tau=tau, power=tau)) | {"measures": ROWS}
    for name in (
        "advantage of graded relevance at 10%, raw less condensed",
        "advantage of graded relevance in power at 10%, raw less condensed",
    ):
        np.testing.assert_allclose(of(name, **result), [0.7 - 0.3 - 0.05])


def test_statistic_when_of_judgments_and_runs_then_is_what_is_counted():
    collection = SimpleNamespace(grade=np.repeat([0, 1, 2, 3], [9, 10, 6, 4]), topics=("1", "2"))
    name = "documents that a sample of 10% lacks, of the lowest grade less the highest"
    np.testing.assert_allclose(of(name, collection=collection), [0.9 * (10 - 4) / 2])
    counts = pd.DataFrame({"of": ["topics", "topics with R <= N", "runs"], "number": [50, 48, 7]})
    assert of("topics with R > N", counts=lambda: counts) == [2]
    scores = SimpleNamespace(means=np.array([[0.1, 0.9, 0.5, 0.5], [0.4, 0.1, 0.3, 0.2]]))
    assert of("rises along the runs by AP", scores=scores, order=np.array([1, 2, 3, 0])) == [0, 2]


def halved_results(*tau):
    """Results of two measures at one rate, each of some of the topics; of these AP has
    0 and Q so much.
    """
    every = [seen((10.0,), tau=[[[0.0]], [[value]]]) for value in tau]
    makes = [lambda result=result: result for result in every]
    return resampled.Resampled("topics", makes, 0.25, 19, makes)


@pytest.mark.parametrize(
    ("tau", "verdict", "wide", "samples"),
    [
        ([0.1] * 18 + [0.11, np.nan], "holds", 0.002, 19),  # one of 20 may be undefined
        ([0.1] * 16 + [0.11] + [np.nan] * 3, DIRECTION, np.nan, 17),
        ([0.08, 0.12] * 9 + [0.0, 0.1], "holds", 0.0257, 19),
        ([-0.1, 0.3] * 10, DIRECTION, 0.1774, 10),  # 1.729 times .2052, halved
        ([0.1] * 20, DIRECTION, np.nan, 20),  # all the same: how much it varies is not seen
    ],
)
def test_finding_when_some_halves_have_no_value_or_no_margin_then_the_interval_says_so(
    monkeypatch, tau, verdict, wide, samples
):
    monkeypatch.setattr(findings, "resample", lambda *_: halved_results(*tau))
    [here] = answers([FINDING], halved_results(0.1).makes[0]())
    assert (here.verdict, here.samples) == (verdict, f"{samples} of 20 halves")
    np.testing.assert_allclose((here.margin - here.low, here.high - here.margin), wide, atol=2e-4)


@pytest.mark.parametrize(
    ("margin", "ends", "verdict"),
    [(0.1, (0.0, 0.2), DIRECTION), (-0.1, (-0.2, 0.0), DOES_NOT), (-0.1, (-0.2, 0.1), UNDECIDED)],
)
def test_finding_when_an_interval_ends_at_0_then_a_margin_of_0_counts_as_one_that_does_not_hold(
    monkeypatch, margin, ends, verdict
):
    monkeypatch.setattr(findings, "resample", lambda *_: halved_results(0.1, 0.2))
    monkeypatch.setattr(findings, "interval_of_error", lambda *_, **__: (*ends, 0.1))
    [here] = answers([FINDING], halved_results(margin).makes[0]())
    assert (here.verdict, here.low, here.high) == (verdict, *ends)


@pytest.mark.parametrize(
    ("margin", "ends", "published", "verdict", "why"),
    [
        (0.1, (0.05, 0.2), False, HOLDS, ""),
        (0.1, (-0.05, 0.2), False, DIRECTION, "the 90% interval of its margin includes 0"),
        (-0.1, (-0.2, -0.05), False, DOES_NOT, ""),
        (-0.1, (-0.2, 0.05), False, UNDECIDED, "the 90% interval of its margin includes 0"),
        (0.1, (0.05, 0.2), True, AS_PUBLISHED, ""),
        (0.1, (-0.05, 0.2), True, DIRECTION, "the 90% interval of its margin includes 0"),
        (-0.1, (-0.2, 0.05), True, UNLIKE, "the 90% interval of its margin includes 0"),
        (40.7, (np.nan, np.nan), True, DIRECTION, "it has no value in too many halves"),
        (-40.7, (np.nan, np.nan), True, UNLIKE, "it has no value in too many halves"),
    ],
)
def test_verdict_when_the_sign_is_not_sure_then_the_reason_stands_beside_it(
    monkeypatch, margin, ends, published, verdict, why
):
    made = [np.nan] * 5 if np.isnan(ends[0]) else [0.1, 0.2]
    monkeypatch.setattr(findings, "resample", lambda *_: halved_results(*made))
    monkeypatch.setattr(findings, "interval_of_error", lambda *_, **__: (*ends, 0.1))
    result = halved_results(margin).makes[0]()
    [here] = answers([FINDING], result, published=published)
    assert (here.verdict, here.why) == (verdict, why)


def test_finding_when_there_are_several_measures_then_the_least_of_their_means_counts():
    result = seen((10.0,), tau=[[[1.0, 0.0]], [[0.0, 0.6]]])
    [here] = answers([FINDING._replace(these=("Q", "AP"), those=0.2)], result)
    assert (here.here, here.verdict) == ("0.30 (expected above 0.2)", "holds")


@pytest.mark.parametrize(
    ("tau", "best"),
    [
        ([[1, 0.9, 0.8], [1, 0.8, 0.9]], [0.5, 0.5]),  # not of the full judgments
        ([[1, 0.9, 0.8], [1, 0.8, 0.8]], [0.5, 0]),  # no more is not more
        ([[1, 0.9, 0.8], [1, 0.8, np.nan]], [1, 0]),  # of rates with all values
    ],
)
def test_rates_when_a_measure_is_best_at_them_then_its_share_is_of_those_below_full_judgments(
    tau, best
):
    result = vars(seen((100.0, 50.0, 10.0), tau=wide(*tau)))
    np.testing.assert_allclose(
        of("share of the rates below 100% with the highest tau", **result), best
    )


def test_knee_when_the_curve_of_means_crosses_then_is_there():
    found = made(np.zeros((2, 2, 1, 3)), np.ones((2, 3)), levels=RATES)
    tau = np.array([[1, 0.8], [0.95, 0.85]])[:, None, :, None]
    result = replace(found, values={"tau": tau})
    np.testing.assert_allclose(findings.statistic("knee of tau", result), [55, 55])


def printed_by(frame, **layout):
    """The texts of a table as it is laid out, bold ones with a star."""
    given = {
        "label": "Table 1",
        "caption": "",
        "table": "t",
        "columns": (PrintedColumn("tau", form=".2f"),),
    } | layout
    made = printed(
        TableLayout(**given), SimpleNamespace(tables=lambda: [Table("t", "T", lambda: frame)]), {}
    )
    (_, lines), *_ = made.parts
    return made.head, [[cell.text + "*" * cell.bold for cell in line] for line in lines]


def test_table_when_laid_out_then_bold_order_and_the_least_rate_are_as_asked():
    frame = pd.DataFrame(
        {"measure": ["AP", "RR", "Q"], "rate": [10, 10, 10], "tau": [0.9, 0.95, 0.5]}
    )
    both = pd.concat([frame, frame.assign(rate=100, tau=1.0)])
    assert printed_by(both, where={"rate": None}, by="tau", above=0.9)[1] == [
        ["RR", "0.95*"],
        ["AP", "0.90"],
        ["Q", "0.50"],
    ]
    assert printed_by(frame, only=("Q", "AP", "P@5"), bold=("Q",))[1] == [
        ["Q*", "0.50*"],
        ["AP", "0.90"],
    ]


def test_table_when_each_pair_is_listed_once_then_it_stands_once_above_the_diagonal():
    pairs = [("AP", "RR", 0.1), ("AP", "Q", 0.2), ("RR", "Q", 0.3)]
    frame = pd.DataFrame(pairs, columns=["measure_a", "measure_b", "tau"])
    asked = {"rows": "measure_a", "across": "measure_b", "mirrored": True}
    assert printed_by(frame, **asked) == (
        ("metric", "RR", "Q"),
        [["AP", "0.10", "0.20"], ["RR", "", "0.30"]],
    )
    # in another order of rows, and some of the columns, both sides are known
    assert printed_by(frame, only=("Q", "AP"), over=("RR",), **asked)[1] == [
        ["Q", "0.30"],
        ["AP", "0.10"],
    ]


def settled(runs=3, otherwise=None, **rules):
    lists = {f"run{r}": {"1": ["a", "b"] if r else ["b", "a"]} for r in range(runs)}
    paper = SimpleNamespace(selection=Selection(**rules))
    return choose_runs(paper, None, collection({"1": {"a": 1}}, lists), otherwise or Overrides())


@pytest.mark.parametrize(
    ("rules", "kept", "instead"),
    [
        ({"random_runs": 3}, 3, ""),
        ({"random_runs": 30}, 3, "All 3 runs, where the paper drew 30."),
        ({"top_runs": 30}, 3, "All 3 runs, where the paper took the best 30."),
        ({"top_runs": 2}, 2, ""),
        ({"top_runs": 1}, 3, "3 runs as they are: the paper's selection leaves one run."),
    ],
)
def test_runs_of_a_paper_when_there_are_fewer_than_it_took_then_the_sentence_says_what_is_done(
    rules, kept, instead
):
    found = settled(**rules)
    assert (len(found.collection.runs), found.instead) == (kept, instead)


def test_samples_when_it_is_to_be_as_published_then_there_is_one_unless_more_are_asked_for():
    assert [Overrides(as_published=so).decided for so in (False, True)] == [{}, {"trials": 1}]
    assert Overrides(params={"trials": 5}, as_published=True).decided == {"trials": 5}
