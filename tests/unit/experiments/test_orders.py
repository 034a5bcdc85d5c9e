"""Orders of judging, number by number: what is found, how runs are ordered, and what a
team loses that did not contribute.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from irmeval import ParamError, UnknownName, evaluate, reduce
from irmeval.collection.team_names import team_of
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.ordering import pools
from irmeval.plots.colors import GREY, PALETTE, WIDTH
from irmeval.reductions import ORDERS
from irmeval.reductions.pooling import follow_order
from irmeval.scoring.selection import select_by_name
from irmeval.stats.correlation import tau_ap, tau_b
from tests.cases import SAMPLE, read_once

MEASURES = ["AP", "P@5"]
orders, fairness = EXPERIMENTS["orders"], EXPERIMENTS["order-fairness"]
PARAMS = orders.params(budgets=(10, 20, 60), trials=3, seed=4)


@pytest.fixture(scope="module")
def some():
    whole = read_once(*SAMPLE, depth=40)
    runs = [
        "aurora1",
        "aurora2",
        "birch-bm25",
        "cobalt-a",
        "delta-t",
        "ember1",
        "garnet-base",
        "krill",
    ]
    return select_by_name(whole, runs, whole.topics[:8])


@pytest.fixture(scope="module")
def found(some):
    return orders(some, MEASURES, PARAMS)


@pytest.fixture(scope="module")
def fair(some):
    return fairness(some, MEASURES, fairness.params(budgets=(20, 100), seed=2))


def test_rows_when_printed_then_each_is_of_the_judgments_that_the_reduction_keeps(some, found):
    frame = found.frame()
    assert [*frame] == [
        "order",
        "trial",
        "budget",
        "judged",
        "found",
        "measure",
        "tau",
        "tau_ap",
        "drop",
        "error",
    ]
    random = sum(order.random for order in ORDERS.values())
    assert len(frame) == (3 * random + len(ORDERS) - random) * 3 * 2
    pool = reduce(some, "by-depth", budget=100)[0]
    full = dict(zip(MEASURES, evaluate(some, MEASURES, grades=pool).means, strict=True))
    assert (found.pool, found.relevant) == ((pool >= 0).sum(), (pool > 0).sum())
    reduced = cache(
        lambda order, budget: reduce(
            some, order, budget=budget, trials=3 if ORDERS[order].random else 1, seed=4
        )
    )
    for row in frame.itertuples():
        grades = reduced(row.order, row.budget)[row.trial - 1]
        means, whole = evaluate(some, [row.measure], grades=grades).means[0], full[row.measure]
        assert (row.judged, row.found) == ((grades >= 0).sum(), (grades > 0).sum())
        now, once = means.round(12), whole.round(12)  # sums that differ in rounding alone tie
        fallen = [
            (now > mean).sum() - (once > before).sum()
            for mean, before in zip(now, once, strict=True)
        ]
        assert row.drop == max([0, *fallen])
        expected = tau_b(means, whole), tau_ap(means, whole), np.sqrt(np.mean((means - whole) ** 2))
        assert (row.tau, row.tau_ap, row.error) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_charts_when_an_order_finds_most_then_it_alone_is_strong_and_only_chance_is_grey(
    found, fair
):
    best = found.orders[found.best]
    assert found.headline().startswith(f"{best.capitalize()} finds ")
    for charts, strong in ((found.charts(), [best]), (fair.charts(), [])):
        for chart in charts:
            lines = [trace for trace in chart.draw().data if trace.name in ORDERS]
            assert [line.name for line in lines if line.line.width > WIDTH] == strong
            greys = [line.name for line in lines if line.line.color in (GREY, PALETTE["slate"])]
            assert greys == ["at-random"]


def test_pairs_when_counted_then_are_those_that_differ_significantly_before_and_after_alike(
    some, found
):
    tested = EXPERIMENTS["matrix"]
    pool = reduce(some, "by-depth", budget=100)[0]
    before = (
        tested(replace(some, grade=pool), MEASURES, seed=PARAMS.seed)
        .frame()
        .set_index(["measure", "run_a", "run_b"])
    )
    assert found.apart_full.sum(axis=-1).tolist() == [
        (before.loc[m, "p_alone"] < 0.05).sum() for m in MEASURES
    ]
    assert found.apart_full.any()
    for order in ("hedge", "bandit"):
        for b, budget in enumerate(PARAMS.budgets):
            grades = reduce(some, order, budget=budget, trials=2, seed=4)[1]
            after = (
                tested(replace(some, grade=grades), MEASURES, seed=PARAMS.seed)
                .frame()
                .set_index(["measure", "run_a", "run_b"])
            )
            same = (
                (before["p_alone"] < 0.05)
                & (after["p_alone"] < 0.05)
                & (np.sign(before["difference"]) == np.sign(after["difference"]))
            )
            expected = [same.loc[m].sum() for m in MEASURES]
            assert found.kept[found.orders.index(order), :, b, 1].tolist() == expected


def test_budgets_when_documents_then_so_many_of_each_topic_are_judged_first(some):
    params = orders.params(unit="documents", budgets=(3, 10, 100_000), trials=2, seed=4)
    made, shares = (
        orders(some, MEASURES, params),
        orders(some, MEASURES, orders.params(budgets=(100,), trials=2, seed=4)),
    )
    sizes = [topic.size for topic in pools(some, params, 1)]
    assert [counts.tolist() for counts in made.judged[:, :, 0].T] == [
        [sum(min(n, size) for size in sizes)] * len(ORDERS) for n in params.budgets
    ]
    np.testing.assert_array_equal(made.means[:, :, 2], shares.means[:, :, 0])
    np.testing.assert_array_equal(made.full, shares.full)
    first = np.concatenate(
        [judged[:3] for judged in follow_order("by-depth", pools(some, params, 1), some.grade)]
    )
    grades = np.where(np.isin(np.arange(some.grade.size), first), some.grade, -1)
    np.testing.assert_array_equal(
        made.means[made.orders.index("by-depth"), 0, 0, 0],
        evaluate(some, "AP", grades=grades).means[0],
    )
    assert " of the relevant documents at 10 documents a topic, " in made.verdict().claim
    assert [chart.draw().layout.xaxis.title.text for chart in made.charts()] == [
        "documents judged of a topic"
    ] * 6
    team = fairness(some, MEASURES, fairness.params(unit="documents", budgets=(5, 20)))
    assert team.headline().startswith("At 5 documents a topic, ")


def test_budgets_when_above_all_of_the_pool_then_are_refused_unless_documents():
    with pytest.raises(
        ParamError,
        match="budgets: expected at most 100 per cent, found 200. Or set unit='documents'",
    ):
        orders.params(budgets=(50, 200))


def test_pool_when_all_of_it_is_judged_then_everything_is_found_and_nothing_changes(some):
    whole = orders(some, MEASURES, orders.params(budgets=(100,), trials=1))
    assert (whole.share == 1).all()
    assert (whole.error == 0).all()
    assert (whole.drop == 0).all()
    assert (whole.kept == whole.apart_full.sum(axis=-1)[:, None, None]).all()


def test_headline_when_said_then_its_numbers_are_those_of_the_table(found):
    at = found.summary().query("budget == 20 and measure == 'AP'").set_index("order")
    best = at["found"].idxmax()
    best_found = f"{best} finds {at.loc[best, 'found']:.0%} of the relevant documents"
    assert f"{best_found} at 20% of the pool" in found.verdict().claim.lower()
    assert (
        f"by-depth {at.loc['by-depth', 'found']:.0%}, at-random {at.loc['at-random', 'found']:.0%}"
        in found.headline()
    )
    assert (
        f"tau {at.loc[best, 'tau']:.2f} ({best}) and {at.loc['by-depth', 'tau']:.2f} (by-depth)"
        in found.headline()
    )
    assert found.next_steps()[0].settings == {
        "method": found.orders[int(found.share[:, 0].mean(axis=-1).argmax())],
        "watch": "the decisions on pairs",
    }
    assert [chart.name for chart in found.charts("P@5")] == [
        "found",
        "tau",
        "tau-ap",
        "drop",
        "error",
        "pairs",
    ]


def test_orders_when_driven_by_a_judge_always_wrong_then_find_less_and_scores_are_by_the_first(
    some, found
):
    wrong = {}
    for t, document, grade in zip(
        some.topic, some.documents.to_pylist(), some.grade.tolist(), strict=True
    ):
        wrong.setdefault(some.topics[t], {})[document] = int(grade <= 0)
    both = some.with_judgments("wrong", wrong)
    misled = orders(both, MEASURES, replace(PARAMS, driver="wrong"))
    assert np.array_equal(misled.found_by_own, found.found)
    assert np.array_equal(misled.full, found.full)
    for o, name in enumerate(found.orders):
        if name in ("by-depth", "at-random", "fusion"):
            assert np.array_equal(misled.means[o], found.means[o])
        else:
            assert (misled.found[o].mean(axis=-1) < found.found[o].mean(axis=-1)).all()
    lost = misled.misled().set_index(["order", "budget"])["lost"]
    b = PARAMS.budgets.index(20)
    hedge = found.orders.index("hedge")
    assert lost["hedge", 20] == pytest.approx(
        (found.found[hedge, b] - misled.found[hedge, b]).mean() / found.relevant
    )
    most = lost.xs(20, level="budget").idxmax()
    own, driven = (
        counts[found.orders.index(most), b].mean() / found.relevant
        for counts in (found.found, misled.found)
    )
    told = (
        f"wrong misleads {most} most: driven by the first judge, it would have found {own:.0%}, not"
        f" {driven:.0%}."
    )
    assert misled.verdict().beside.endswith(told)
    with pytest.raises(UnknownName, match="unknown judge 'nobody'; known: qrels"):
        orders(some, MEASURES, replace(PARAMS, driver="nobody"))


def test_team_when_left_out_then_its_runs_neither_make_the_pool_nor_are_asked(some, fair):
    frame = fair.frame().set_index(["order", "measure", "budget", "run"])
    for run in some.runs[:2]:
        team = team_of(run, fair.params.team_rule)
        others = select_by_name(
            some, [r for r in some.runs if team_of(r, fair.params.team_rule) != team], some.topics
        )
        for order, budget in (("hedge", 20), ("bandit", 20), ("by-depth", 100)):
            grades = reduce(others, order, budget=budget, seed=2)[0]
            means, with_all = (
                evaluate(some, ["P@5"], grades=g).means[0]
                for g in (grades, reduce(some, order, budget=budget, seed=2)[0])
            )
            row, r = frame.loc[order, "P@5", budget, run], some.runs.index(run)
            assert (row["score"], row["score_without"]) == pytest.approx((with_all[r], means[r]))
            assert (row["rank"], row["rank_without"]) == (
                1 + (with_all > with_all[r]).sum(),
                1 + (means > means[r]).sum(),
            )
            assert row["places_lost"] == row["rank_without"] - row["rank"]
            assert row["lost"] == pytest.approx(1 - row["score_without"] / row["score"])
    whole = (
        frame.xs(100.0, level="budget").reset_index().groupby(["measure", "run"])["score_without"]
    )
    assert (whole.max() - whole.min()).max() == 0  # of a whole pool every order judges the same


def test_headline_when_by_depth_finds_no_more_than_another_order_then_tau_is_said_of_it_by_name(
    found,
):
    depth, other = found.orders.index("by-depth"), found.orders.index("rbp")
    alike = np.ones_like(found.found)
    alike[[depth, other]] = found.relevant // 2
    said = replace(found, found=alike).verdict()
    assert said.claim.startswith("By-depth and rbp find ")
    at = found.summary().query("budget == 20 and measure == 'AP' and order == 'by-depth'")
    assert f"tau {at['tau'].item():.2f} (by-depth)." in said.below


def test_headline_when_a_team_is_left_out_then_says_which_order_costs_least(fair):
    mean = fair.summary().query("budget == 20 and measure == 'AP'").set_index("order")["mean lost"]
    least, most = mean.idxmin(), mean.idxmax()
    assert fair.verdict().claim == (
        f"At 20% of the pool, a run without its team loses least AP with {least}"
        f" ({mean[least]:.1%}), most with {most} ({mean[most]:.1%})."
    )


def test_summary_when_a_team_is_left_out_then_names_the_greatest_loser_and_charts_are_in_per_cent(
    fair,
):
    lost = fair.frame().set_index("run").groupby(["order", "measure", "budget"], sort=False)["lost"]
    assert fair.summary()["by"].tolist() == [of.idxmax() for _, of in lost]
    drawn = {
        chart.name: [trace.y for trace in chart.draw().data if trace.name in fair.orders]
        for chart in fair.charts("P@5")
    }
    table = fair.summary().query("measure == 'P@5'")
    for name, column, scale in (
        ("lost", "mean lost", 100),
        ("most", "most lost", 100),
        ("places", "mean places lost", 1),
    ):
        expected = table[column].to_numpy().reshape(len(fair.orders), -1)
        np.testing.assert_allclose(drawn[name], scale * expected)
