"""A reproduced run against its original, by hand and by plain loops."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from irmeval import ParamError, UnknownName, evaluate
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from tests.cases import collection

REPRODUCTION = EXPERIMENTS["reproduction"]
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}, "3": {"d": 1, "e": 1}}
RUNS = {
    "good": {"1": "abx", "2": "cxy", "3": "dex"},
    "copy": {"1": "axb", "2": "xcy", "3": "dex"},
    "base": {"1": "bax", "2": "xcy", "3": "xde"},
    "again": {"1": "bax", "2": "xyc", "3": "xyd"},
}
NAMED = {"original": "good", "reproduced": "copy"}
EFFECT = NAMED | {"original_baseline": "base", "reproduced_baseline": "again"}

NO_RUN_LEFT = {name: run for name, run in EFFECT.items() if name != "reproduced"}


@pytest.fixture(scope="module")
def c():
    return collection(QRELS, RUNS)


def found(c, measures=("RR",), **params):
    return REPRODUCTION(c, list(measures), REPRODUCTION.params(**params))


def test_scores_when_reproduced_then_rmse_means_and_p_are_those_of_the_formulas(c):
    result = found(c, ["RR", "AP"], **NAMED, test="t")
    rr = result.frame().iloc[0]
    assert (rr["mean_original"], rr["mean_reproduced"]) == pytest.approx((1, (1 + 1 / 2 + 1) / 3))
    assert rr["rmse"] == pytest.approx(np.sqrt(0.25 / 3))  # 1, 1, 1 and 1, 1/2, 1
    assert rr["p_value"] == pytest.approx(ttest_rel([1, 1, 1], [1, 0.5, 1]).pvalue)


def test_effects_when_baselines_are_named_then_are_those_of_the_formulas(c):
    result = found(c, **EFFECT)
    good, copy, base, again = (
        evaluate(c, ["RR"]).values[0, c.runs.index(run)]
        for run in ("good", "copy", "base", "again")
    )
    assert result.effect_ratio[0] == pytest.approx(np.mean(copy - again) / np.mean(good - base))
    improvement = [(a.mean() - b.mean()) / b.mean() for a, b in ((good, base), (copy, again))]
    assert result.delta_ri[0] == pytest.approx(improvement[0] - improvement[1])
    assert f"{result.effect_ratio[0]:.2f} times the original one" in result.headline()
    frame = result.frame()
    assert list(frame["reproduced"]) == ["copy", "again"]
    assert list(frame["effect_ratio"].isna()) == [False, True]


OF_REPRO_EVAL = {
    "AP": (0.28867513459481287, 0.4226497308103743, 1.0588235294117647, -0.6052631578947368),
    "RR": (0.28867513459481287, 0.4226497308103743, 0.888888888888889, -0.14285714285714324),
    "nDCG": (0.2130828061254005, 0.42264973081037416, 1.1423473808854891, -0.2959052686086755),
}
"""RMSE, p, effect ratio and delta RI that repro_eval 0.5.0 has of the runs of
`EFFECT`.
"""


def test_numbers_when_repro_eval_has_them_too_then_are_the_same(c):
    result = found(c, [*OF_REPRO_EVAL], **EFFECT, test="t")
    theirs = np.array([*OF_REPRO_EVAL.values()]).T
    for ours, other in zip(
        (result.rmse[:, 0], result.p[:, 0], result.effect_ratio, result.delta_ri),
        theirs,
        strict=True,
    ):
        assert ours == pytest.approx(other, abs=1e-12)
    # at depth 3, p .95
    assert result.lists[0].rbo == pytest.approx(
        [0.8334794040315513, 0.64943032427695, 1], abs=1e-12
    )


def test_effect_when_the_original_has_none_then_there_is_no_ratio_and_the_sentence_says_so(c):
    result = found(
        c, original="base", reproduced="again", original_baseline="copy", reproduced_baseline="good"
    )
    same = found(
        collection(QRELS, RUNS | {"twin": RUNS["good"]}),
        **NAMED,
        original_baseline="twin",
        reproduced_baseline="base",
    )
    assert np.isfinite(result.effect_ratio).all()
    assert np.isnan(same.effect_ratio).all()
    assert "no effect to compare" in same.headline()
    assert [name for dots in same.plot("effects").data for name in dots.text] == ["perfect"]


def test_lists_when_cut_then_only_ranks_above_count(c):
    whole, top = found(c, **NAMED), found(c, **NAMED, down_to=1, persistence=0.5)
    assert whole.lists[0].tau == pytest.approx([1 / 3, 1 / 3, 1])
    assert top.lists[0].rbo.tolist() == [1, 0, 1]
    assert np.isnan(top.lists[0].tau).all()
    assert "tau union of the lists is undefined and RBO 0." in top.headline()
    halves = found(c, **NAMED, persistence=0.5).lists[0].rbo
    assert halves == pytest.approx([(1 + 1 / 4 + 1 / 4) / 1.75, (0 + 1 / 2 + 1 / 4) / 1.75, 1])


def test_runs_when_none_is_named_then_the_best_and_the_one_nearest_to_it_are_compared(c):
    assert found(c).runs == ("good", "copy")
    assert found(c, original="again").runs == ("again", "base")
    assert found(c, reproduced="good").runs == ("copy", "good")


def test_headers_when_both_runs_have_one_then_says_what_differs(c):
    def header(**said):
        return "".join(
            f"# {line}\n"
            for line in (
                "ir_metadata.start",
                *(f"{k}: {v}" for k, v in said.items()),
                "ir_metadata.end",
            )
        )

    both = {
        "good": header(method="{name: bm25, b: 0.4}", actor="ours"),
        "copy": header(method="{name: bm25, b: 0.5}", actor="ours"),
    }
    result = found(replace(c, headers=tuple(both.get(run, "") for run in c.runs)), **NAMED)
    assert "By their headers, method differs (priMad)." in result.headline()
    frame = table_named(result, "headers").make()
    assert frame.values.tolist() == [
        ["method", "name", "bm25", "bm25", True],
        ["method", "b", "0.4", "0.5", False],
        ["actor", "", "ours", "ours", True],
    ]
    same = found(
        replace(c, headers=tuple(both["good"] if run in both else "" for run in c.runs)), **NAMED
    )
    assert "By their headers, nothing differs (primad)." in same.headline()
    one = found(
        replace(c, headers=tuple(both["good"] if run == "good" else "" for run in c.runs)), **NAMED
    )
    assert "headers" not in one.headline()
    assert [table.name for table in one.tables()] == ["measures", "topics"]


@pytest.mark.parametrize(
    "params",
    [
        EFFECT | {"reproduced_baseline": ""},
        {"original": "copy", "reproduced": "copy"},
        EFFECT | {"reproduced": "again"},
    ],
)
def test_runs_when_one_is_missing_or_named_twice_then_refused(params):
    with pytest.raises(ParamError, match="expected"):
        REPRODUCTION.params(**params)


def claimed(c, **baselines):
    """The collection with headers that say of which run each is a reproduction."""

    def header(run):
        said = f"research goal: {{evaluation: {{baseline: [{baselines[run]}]}}}}"
        return f"# ir_metadata.start\n# actor: {{role: reproducer}}\n# {said}\n# ir_metadata.end\n"

    return replace(c, headers=tuple(header(run) if run in baselines else "" for run in c.runs))


def test_runs_when_a_header_says_which_is_reproduced_then_are_compared_unless_others_are_named(
    c,
):
    says = claimed(c, again="base", base="gone")
    assert found(says).runs == ("base", "again")
    assert found(says, original="base").runs == ("base", "again")
    assert found(says, reproduced="again").runs == ("base", "again")
    assert found(says, original="good").runs == ("good", "copy")
    assert found(says, original_baseline="base", reproduced_baseline="again").runs == (
        "good",
        "copy",
        "base",
        "again",
    )
    assert found(claimed(c, again="again", copy="[x")).runs == ("good", "copy")


def test_runs_when_there_is_no_such_run_or_no_other_then_refused(c):
    with pytest.raises(UnknownName, match="nearest: good"):
        found(c, original="goood")
    with pytest.raises(ParamError, match="expected at least 2 runs, found 1 run"):
        found(collection(QRELS, {"good": RUNS["good"]}))


def test_run_when_it_is_reproduced_to_the_last_then_all_say_so(c):
    result = found(collection(QRELS, {"one": RUNS["good"], "two": RUNS["good"]}), ["AP", "RR"])
    assert (result.rmse == 0).all()
    assert (result.p == 1).all()
    assert result.verdict().claim == "Yes: both have the same AP on 3 topics."
    assert "tau union of the lists is 1.000 and RBO 1.000" in result.headline()


def test_topics_when_listed_then_have_lists_and_differences(c):
    frame = table_named(found(c, ["RR", "AP"], **NAMED), "topics").make()
    assert list(frame) == ["topic", "tau union", "RBO", "difference RR", "difference AP"]
    assert frame["difference RR"].tolist() == [0, 0.5, 0]


@pytest.mark.parametrize(
    ("topics", "p", "told"),
    [
        ("2", np.nan, "One topic is too few to say: mean RR is 0.500 instead of 1.000."),
        ("23", 0.5, "Yes, as far as 2 topics show: mean RR is 0.750 instead of 1.000 (p = 0.500)."),
    ],
)
def test_difference_when_on_one_topic_then_is_not_tested_and_on_two_it_is(topics, p, told):
    lists = {run: {t: of[t] for t in topics} for run, of in RUNS.items() if run in NAMED.values()}
    result = found(collection({t: QRELS[t] for t in topics}, lists), **NAMED, test="t")
    assert result.frame()["p_value"].tolist() == [pytest.approx(p, nan_ok=True)]
    assert result.verdict().claim == told
    assert f"RMSE of RR over topics is {result.rmse[0, 0]:.4f}." in result.verdict().below


def test_reproduction_when_every_run_has_a_part_already_then_is_refused():
    with pytest.raises(
        ParamError, match="reproduced: expected a run beside good, base, again, found 3 runs"
    ):
        found(collection(QRELS, {run: RUNS[run] for run in RUNS if run != "copy"}), **NO_RUN_LEFT)
