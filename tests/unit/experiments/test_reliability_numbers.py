"""Numbers on other topics and on robustness, by hand or equal to those of the pages
from which they are taken.
"""

from itertools import combinations

import numpy as np
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.pair_orderings import PairOrderings
from irmeval.experiments.measures.scorecard import FUZZINESS, RATES, Criterion, Scorecard
from irmeval.experiments.measures.stability import Stability
from irmeval.experiments.results import table_named
from irmeval.experiments.scored import Scored
from irmeval.experiments.trials import Realised
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Selection, select
from irmeval.stats.orderings import ORDERINGS
from irmeval.stats.topic_sets import WinsAndTies
from tests.cases import SAMPLE, collection, read_once

SWAP, STABILITY, CARD = (EXPERIMENTS[name] for name in ("swap", "stability", "scorecard"))
MEASURES = ["AP", "AP'", "nDCG'", "P@10"]


def scored(*names) -> Scored:
    return Scored(
        np.array([[[0.5, 0.6], [0.1, 0.3]]] * len(names)),
        names,
        tuple(map(measure, names)),
        ("a", "b"),
        ("1", "2"),
        0,
    )


def test_stability_when_measures_tie_at_ten_per_cent_then_the_least_minority_rate_comes_first():
    f = (0.01, 0.02, 0.03, 0.04)
    # AP ties in 0, 10, 20, 50 of 100 sets and is wrong in 40, 30, 20, 0; RR ties in 10 to 40 and is
    # wrong in 10; Q never gets there
    ties = np.array([[0, 10, 20, 50], [10, 20, 30, 40], [0, 0, 0, 0]])[..., None]
    losses = np.array([[40, 30, 20, 0], [10, 10, 10, 10], [0, 0, 0, 0]])[..., None]
    counts = WinsAndTies(100 - ties - losses, losses, ties)
    found = Stability(counts, scored("AP", "RR", "Q"), 1, STABILITY.params(sets=100, fuzziness=f))
    table = table_named(found, "measures").make()
    assert table["measure"].tolist() == ["RR", "AP", "Q"]
    assert table["minority rate at 10% ties"].tolist() == pytest.approx(
        [0.1, 0.3, np.nan], nan_ok=True
    )
    assert list(table)[4:] == [
        f"{rate} at f {f}"
        for f in ("0.01", "0.02", "0.04")
        for rate in ("minority rate", "proportion of ties")
    ]
    assert table.loc[1, ["minority rate at f 0.02", "proportion of ties at f 0.02"]].tolist() == [
        0.3,
        0.1,
    ]
    claim, _, below = found.verdict()
    assert claim.endswith("in 10.0% of cases by RR, 30.0% by AP.")
    assert below.endswith("Not compared: by Q, fewer tie up to f = 0.04.")


def test_stability_when_no_size_is_asked_for_then_sets_hold_half_of_the_topics():
    values = np.array([[0.5, 0.2, 0.9, 0.4, 0.1], [0.3, 0.3, 0.3, 0.3, 0.3]])
    matrix = Matrix("made up", ("a", "b"), tuple("12345"), values)
    assert (STABILITY(matrix).size, SWAP(matrix).size, SWAP(matrix).sizes) == (2, 2, (1, 2))


def test_swap_when_two_topics_contradict_two_others_then_bins_and_what_follows_are_those_counted():
    # a less b: .3, .3, .3, .3, -.05, so that sets of two topics are .3 apart or .125
    values = np.array([[0.6, 0.7, 0.8, 0.9, 0.5], [0.3, 0.4, 0.5, 0.6, 0.55]])
    found = SWAP(
        Matrix("made up", ("b", "a"), tuple("12345"), values[::-1]),
        params=SWAP.params(trials=60, size=1, threshold=40),
    )
    bins = table_named(found, "bins").make()
    held = bins[bins["comparisons"] > 0][["from", "comparisons", "swaps"]].to_numpy().tolist()
    # a set of one topic is .3 apart, the open bin, or .05; where one of the two is topic 5, they
    # swap
    (small, n, wrong), (large, m, also) = held
    assert (small, large, n + m, wrong) == (pytest.approx(0.05), pytest.approx(0.2), 60, n)
    row = table_named(found, "measures").make().iloc[0]
    assert row["required difference"] == pytest.approx(0.2)
    assert row["sensitivity"] == pytest.approx(m / 60)
    assert row["error rate"] == pytest.approx((wrong + also) / 60)
    assert (row["best mean"], row["deviation"]) == (
        pytest.approx(0.7),
        pytest.approx((0.7 - 0.47) / 2),
    )
    assert (row["of best mean"], row["in deviations"]) == (
        pytest.approx(0.2 / 0.7),
        pytest.approx(0.2 / 0.115),
    )
    said = f"Of 60 comparisons, made up finds {m / 60:.1%} large enough."
    assert found.headline().endswith(said)
    assert (
        SWAP(
            Matrix("made up", ("b", "a"), tuple("12345"), values[::-1]),
            params=SWAP.params(trials=60, size=1),
        )
        .headline()
        .startswith("No difference by made up keeps")
    )


def test_swap_when_measures_and_pairs_are_several_then_most_sensitive_and_most_swapped_come_first():
    c = select(read_once(*SAMPLE), Selection(random_runs=5)).collection
    found = SWAP(c, ["P@10", "AP"], SWAP.params(trials=40, threshold=10))
    table = table_named(found, "measures").make()
    assert table["sensitivity"].is_monotonic_decreasing
    assert table["sensitivity"].nunique() == 2
    assert table_named(found, "pairs").make()["swap rate"].is_monotonic_decreasing


def test_orderings_when_they_are_opposite_then_that_is_as_significant_and_each_pair_stands_once():
    tau = np.full((1, len(ORDERINGS), len(ORDERINGS)), -1.0)
    values = Scored(
        np.random.default_rng(1).random((1, 5, 2)),
        ("AP",),
        (measure("AP"),),
        tuple("abcde"),
        ("1", "2"),
        0,
    )
    table = table_named(
        PairOrderings(tau, values, EXPERIMENTS["pair-orderings"].params()), "orderings"
    ).make()
    assert table["significant"].all()
    assert list(zip(table["ordering_a"], table["ordering_b"], strict=True)) == [
        *combinations(ORDERINGS, 2)
    ]


@pytest.fixture(scope="module")
def card():
    """The scorecard of some runs at 20%, and these."""
    c = select(read_once(*SAMPLE), Selection(random_runs=8)).collection
    params = CARD.params(rate=20, trials=2, test="bootstrap", samples=40, sets=30, seed=3)
    return CARD(c, MEASURES, params), c


def line_meets(rates, tau, threshold):
    """Where a curve, read from the highest rate down, first falls to a threshold; and
    whether it never does.
    """
    for i, value in enumerate(tau):
        if value <= threshold:
            if not i:
                return np.nan, False
            share = (tau[i - 1] - threshold) / (tau[i - 1] - value)
            return rates[i - 1] - share * (rates[i - 1] - rates[i]), False
    return rates[-1], True


def test_scorecard_when_made_then_every_column_is_that_of_the_page_it_is_taken_from(card):
    found, c = card
    said = table_named(found, "scorecard").make().set_index("measure").loc[MEASURES]
    less, topics = {"trials": 2, "seed": 3}, {"seed": 3}
    curves = EXPERIMENTS["curves"](c, MEASURES, levels=(100, 20), **less)
    summary = table_named(curves, "summary").make().set_index(["measure", "level"])
    for name in MEASURES:
        assert said.loc[name, "tau at 20%"] == pytest.approx(summary.loc[(name, 20), "tau"])
        off = abs(1 - summary.loc[(name, 20), "mean"] / summary.loc[(name, 100), "mean"])
        assert said.loc[name, "mean off at 20%"] == pytest.approx(off)
    # one that rises is off too
    assert summary.loc[("AP'", 20), "mean"] > summary.loc[("AP'", 100), "mean"]
    tested = {"test": "bootstrap", "samples": 40}
    decided = EXPERIMENTS["curves"](
        c, MEASURES, levels=(100, 20), watch=("pairs", "decisions"), **tested, **less
    )
    summary = table_named(decided, "summary").make()
    table = summary.set_index(["measure", "level"])["power"].unstack()
    assert said["power at 100%"].tolist() == pytest.approx(table.loc[MEASURES, 100].tolist())
    assert said["power at 20%"].tolist() == pytest.approx(table.loc[MEASURES, 20].tolist())
    errors = table_named(decided, "errors").make().set_index("measure").loc[MEASURES, "error rate"]
    assert said["errors at 20%"].tolist() == pytest.approx(errors.tolist())
    assert errors.nunique() > 1
    swaps = (
        EXPERIMENTS["swap"](c, MEASURES, SWAP.params(trials=30, **topics))
        .frame()
        .set_index("measure")
    )
    assert said["sensitivity at 5%"].tolist() == pytest.approx(
        swaps.loc[MEASURES, "sensitivity"].tolist()
    )
    looser = (
        EXPERIMENTS["swap"](c, MEASURES, SWAP.params(trials=30, threshold=10, **topics))
        .frame()
        .set_index("measure")
    )
    assert (swaps["sensitivity"] < looser["sensitivity"]).all()
    rates = STABILITY(c, MEASURES, STABILITY.params(sets=30, fuzziness=FUZZINESS, **topics)).frame()
    for name, of in rates.groupby("measure"):
        at = np.interp(0.1, of["proportion_of_ties"], of["minority_rate"], left=np.nan)
        assert said.loc[name, "minority rate at 10% ties"] == pytest.approx(at, nan_ok=True)
    assert said["minority rate at 10% ties"].notna().all()


def test_scorecard_when_a_measure_ties_seldom_then_its_minority_rate_is_looked_for_at_a_wider_f():
    # P@20 of 1 and .85
    lists = {
        "all": [f"r{i}" for i in range(20)],
        "most": [*(f"r{i}" for i in range(17)), "u", "v", "w"],
    }
    relevant = {f"r{i}": 1 for i in range(20)} | {f"n{i}": 0 for i in range(20)}
    c = collection(
        dict.fromkeys("1234", relevant),
        {run: dict.fromkeys("1234", of) for run, of in lists.items()},
    )
    found = CARD(c, ["P@20"], CARD.params(rate=50, trials=1, samples=10, sets=10))
    # they tie from an f of .16 on
    assert found.numbers()["minority rate at 10% ties"].tolist() == [0]


def test_scorecard_when_knees_are_read_off_then_are_those_of_the_curve_and_beside_their_measure(
    card,
):
    found, c = card
    said = (
        table_named(found, "scorecard")
        .make()
        .set_index("measure")
        .loc[MEASURES, "rate for tau 0.9 (%)"]
    )
    curves = EXPERIMENTS["curves"](c, MEASURES, levels=RATES, trials=2, seed=3)
    tau = table_named(curves, "summary").make().groupby("measure", sort=False)["tau"].agg(list)
    for name in MEASURES:
        rate, below = line_meets(RATES, tau[name], 0.9)
        assert said[name] == (f"< {rate:g}" if below else pytest.approx(rate))


def test_scorecard_when_a_knee_is_below_the_lowest_rate_then_that_is_said_of_its_own_measure():
    columns = tuple(
        Criterion(*parts, "", "") for parts in (("tau", 0, 1), ("rate for tau 0.9 (%)", 100, 0))
    )
    names = tuple(map(measure, ("AP", "RR", "Q")))
    found = Scorecard(
        np.array([[0.5, 0.6, 0.9], [30, 20, 1]]),
        np.array([False, False, True]),
        columns,
        names,
        CARD.params(),
        3,
        Realised(10, 10),
    )
    assert found.frame()[["measure", "rate for tau 0.9 (%)"]].to_numpy().tolist() == [
        ["Q", "< 1"],
        ["RR", 20],
        ["AP", 30],
    ]
    (chart,) = found.charts()
    assert [list(row) for row in chart.draw().data[0].text] == [
        ["0.90", "< 1%"],
        ["0.60", "20%"],
        ["0.50", "30%"],
    ]


def test_scorecard_when_drawn_then_a_colour_is_the_value_between_the_worst_and_the_best_possible(
    card,
):
    found, _ = card
    (chart,) = found.charts()
    drawn = chart.draw().data[0]
    assert (drawn.zmin, drawn.zmax) == (0, 1)
    table = found.numbers()
    colours = dict(zip([c.name for c in found.columns], np.array(drawn.z, float).T, strict=True))
    share = {
        "tau at": lambda value: value,
        "rate for tau": lambda value: 1 - value / 100,
        "errors": lambda value: 1 - value,
        "minority": lambda value: 1 - 2 * value,
    }
    for begin, expected in share.items():
        (name,) = [name for name in colours if name.startswith(begin)]
        np.testing.assert_allclose(colours[name], expected(table[name].to_numpy(float)))


def test_scorecard_when_the_best_are_marked_then_more_is_better_but_for_four_columns(
    card,
):
    found, _ = card
    table = found.numbers().set_index("measure").loc[MEASURES]
    for column, best in zip(found.columns, found.best, strict=True):
        values = table[column.name]
        less = column.name.startswith(("rate for tau", "errors", "mean off", "minority"))
        assert best.tolist() == (values == (values.min() if less else values.max())).tolist(), (
            column.name
        )
    assert found.best.any(axis=1).all()
