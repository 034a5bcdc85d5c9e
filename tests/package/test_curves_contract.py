"""What holds for every axis and every statistic of *Curves*: the numbers of a loop over
everything, whatever the workers, and from a store those of a fresh run.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.experiments import sweep
from irmeval.experiments.axes import AXES
from irmeval.experiments.axes.base import OF_CURVES
from irmeval.experiments.axes.by_lines import choices_of
from irmeval.experiments.incompleteness.curves import JOB, OWN
from irmeval.experiments.incompleteness.watched_charts import place_of
from irmeval.experiments.incompleteness.watched_facts import falls
from irmeval.experiments.watched import STATISTICS
from irmeval.scoring.scores import evaluate
from irmeval.ui.state.cache import Cache
from tests.cases import OTHERWISE, drawn, tied_collection
from tests.watched import ASKED, CURVES, asked

MEASURES = ["AP", "nDCG@5"]
LEVELS = {
    "judgments": (100.0, 30.0),
    "depth": (20, 2),
    "teams": (3, 1),
    "topics": (9, 4),
    "care": (0.0, 40.0),
}
every_axis = pytest.mark.parametrize("of", AXES)
every_statistic = pytest.mark.parametrize("watch", STATISTICS)


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied_collection(*drawn(3, topics=9, runs=5))


def teams_of(c):
    """Two teams of two runs, and one of one."""
    return dict(zip(c.runs, "aabbc", strict=True))


# ---------------------------------------------------------------- a loop over everything


def left_of(c, of, level, trial):
    """Grades by topic and document, and the topics, that are left of a trial, by the
    public functions alone.
    """
    grades, topics = c.grade, list(c.topics)
    if of == "judgments" and level < 100:
        grades = irmeval.reduce(c, "stratified", rate=level, trials=trial, seed=5)[trial - 1]
    if of == "depth":
        grades = irmeval.reduce(c, "shallow", pool=level)[0]
    if of == "teams":
        own = replace(c, runs=tuple(f"{team}{i}" for i, team in enumerate("aabbc")))
        grades = irmeval.reduce(own, "teams", teams=level, trials=trial, seed=5)[trial - 1]
    if of == "care" and level:
        judge = c.with_judgments("other", f"simulated:noisy,{level / 100},{4 + trial}")
        grades = judge.panel.judges.scoring(1)[judge.panel.judges.pooled[0]]
    if of == "topics":
        stream = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(trial,)))
        topics = [c.topics[t] for t in stream.permutation(len(c.topics))[:level]]
    return grades, topics


def scores_of(c, measure, grades, topics):
    """Scores [run][topic] as lists."""
    found = evaluate(c, [measure], grades=grades)
    at = [t for t, name in enumerate(c.topics) if name in topics]
    return found.values[0][:, at].tolist()


def mean(values):
    known = [value for value in values if value == value]
    return sum(known) / len(known)


def tau_of(a, b):
    """Kendall's tau-b by its definition; means that differ by rounding tie."""

    def sign(values, i, j):
        gap = values[i] - values[j]
        return 0 if abs(gap) < 1e-10 else 1 if gap > 0 else -1

    pairs = [*combinations(range(len(a)), 2)]
    signs = [(sign(a, *pair), sign(b, *pair)) for pair in pairs]
    untied = [sum(pair[side] != 0 for pair in signs) for side in (0, 1)]
    return sum(x * y for x, y in signs) / (untied[0] * untied[1]) ** 0.5


def apart(rows):
    """Which pairs differ by the sign test, p < .3, counted in binomial coefficients."""
    from math import comb

    found = []
    for x, y in combinations(rows, 2):
        signs = [a > b for a, b in zip(x, y, strict=True) if abs(a - b) > 1e-12]
        n, k = len(signs), min(sum(signs), len(signs) - sum(signs))
        tail = sum(comb(n, i) for i in range(k + 1)) / 2**n if n else 1
        found.append(min(2 * tail, 1) < 0.3)
    return found


def numbers(c, measure, of, level, trial):
    """What every statistic states, by a loop."""
    whole = scores_of(c, measure, c.grade, c.topics)
    grades, topics = left_of(c, of, level, trial)
    here = scores_of(c, measure, grades, topics)
    before, now = ([mean(row) for row in rows] for rows in (whole, here))
    was, still = apart(whole), apart(here)
    of_topics = [name in topics for name in (c.topics[t] for t in c.topic)]
    kept = [(g, k) for g, k, used in zip(c.grade, grades, of_topics, strict=True) if used]
    best = max(before)
    return {
        "mean": mean(now),
        "tau": tau_of(now, before),
        "power": sum(still) / len(still),
        "accuracy": sum(a == b for a, b in zip(was, still, strict=True)) / len(was),
        "c12": sum(b and not a for a, b in zip(was, still, strict=True)),
        "c21": sum(a and not b for a, b in zip(was, still, strict=True)),
        "winner": float(any(a == best and b == max(now) for a, b in zip(before, now, strict=True))),
        "judged": sum(k >= 0 for _, k in kept) / sum(c.grade >= 0),
        "relevant": sum(k > 0 for _, k in kept) / sum(c.grade > 0),
        "left": np.nan if of == "care" else 100 * sum(k >= 0 for _, k in kept) / len(kept),
        "kappa": kappa_of([pair for pair in kept if min(pair) >= 0]),
    }


def kappa_of(pairs):
    """Cohen's kappa by its definition."""
    n = len(pairs)
    grades = {grade for pair in pairs for grade in pair}
    same = sum(a == b for a, b in pairs) / n
    chance = sum(
        sum(a == g for a, _ in pairs) * sum(b == g for _, b in pairs) / n**2 for g in grades
    )
    return (same - chance) / (1 - chance)


@every_axis
def test_numbers_when_done_as_a_loop_then_every_statistic_on_every_axis_is_the_same(c, of):
    how = {"watch": (*STATISTICS,), "trials": 2, "seed": 5, "test": "sign", "alpha": 0.3}
    found = CURVES(c, MEASURES, of=of, levels=LEVELS[of], team=teams_of(c), **how)
    for row in found.frame().to_dict("records"):
        expected = numbers(c, row["measure"], of, row["level"], row["trial"])
        said = {name: float(row[name]) for name in expected}
        assert said == pytest.approx(expected, abs=1e-9, nan_ok=True), row


@pytest.mark.parametrize("by", AXES)
@every_axis
def test_lines_when_by_a_second_axis_then_what_either_takes_away_is_gone(c, of, by):
    if of == by:
        return
    values = ",".join(map(str, LEVELS[by]))
    how = {"watch": ("mean", "order", "judged"), "trials": 2, "seed": 5}
    asked_for = {"of": of, "levels": LEVELS[of], "by": f"{by}={values}"}
    found = CURVES(c, ["AP"], team=teams_of(c), **asked_for, **how)
    before = [mean(row) for row in scores_of(c, "AP", c.grade, c.topics)]
    for row in found.frame().to_dict("records"):
        line = {"judgments": float, "care": float}.get(by, int)(row["line"])
        one, some = left_of(c, of, row["level"], row["trial"])
        other, more = left_of(c, by, line, row["trial"])
        grades = np.where(one != c.grade, one, other)
        grades[(one < 0) | (other < 0)] = -1
        now = [mean(r) for r in scores_of(c, "AP", grades, {*some} & {*more})]
        assert row["mean"] == pytest.approx(mean(now))
        assert row["tau"] == pytest.approx(tau_of(now, before))


@pytest.mark.parametrize("name", ["flat", "steep"])
def test_lines_when_by_gains_then_everything_has_the_same_gains(c, name):
    found = CURVES(c, ["nDCG@5"], by="gains=flat,steep", levels=(50,), trials=2, seed=5)
    line = ["flat", "steep"].index(name)
    whole = evaluate(c, ["nDCG@5"], gains=name).means[0].tolist()
    for trial in (1, 2):
        grades, _ = left_of(c, "judgments", 50, trial)
        now = evaluate(c, ["nDCG@5"], grades=grades, gains=name).means[0].tolist()
        values = {column: of[0, line, 0, trial - 1] for column, of in found.values.items()}
        assert values["mean"] == pytest.approx(mean(now))
        assert values["tau"] == pytest.approx(tau_of(now, whole))


# ---------------------------------------------------------------- store and workers


@pytest.mark.parametrize("name", ASKED)
def test_store_when_any_parameter_changes_then_results_are_those_of_a_fresh_run(c, name):
    measures = ["nDCG@5", "Q"] if name == "grades" else MEASURES
    base = (
        asked(name, test="bootstrap", samples=20, alpha=0.3)
        if asked(name).tested
        else (asked(name))
    )
    others = [base, *varied(base)]
    assert len(others) > 3
    store = Cache()
    for params in [*others, base]:
        kept, fresh = (CURVES(c, measures, params, store=of) for of in (store, {}))
        pd.testing.assert_frame_equal(kept.frame(), fresh.frame())
        assert kept.headline() == fresh.headline()


def varied(base):
    """Parameters with one of those changed that are taken."""
    for name, field in fields(type(base)).items():
        if name in {*base.idle, "of", "by", "watch"}:
            continue
        now = getattr(base, name)
        number = now if isinstance(now, int | float) else 0
        tried = [*field.param.choices] or [OTHERWISE.get(name), number + 1, number / 2]
        if name == "levels":
            tried = [now[:-1], now[1:]]
        if name == "gold":
            tried = ["nDCG"]
        for value in tried[:5]:
            try:
                params = replace(base, **{name: value})
            except ParamError:
                continue
            if params != base:
                yield params


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("workers", [1, 3])
def test_numbers_when_workers_differ_then_they_do_not(c, name, workers, monkeypatch):
    measures = ["nDCG@5", "Q"] if name == "grades" else MEASURES
    expected = CURVES(c, measures, asked(name)).frame()
    monkeypatch.setattr(parallel, "count_processors", lambda: workers)
    found = CURVES(c, measures, asked(name)).frame()
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("kept", [True, False])
def test_statistic_when_added_then_samples_are_scored_again_only_where_scores_did_not_fit(
    c, kept, monkeypatch
):
    monkeypatch.setattr(sweep, "KEPT_BYTES", 10**9 if kept else 0)
    store, scored, evaluate_samples = {}, [], sweep.evaluate_samples

    def count(collection, cells, *more):
        cells = [*cells]
        scored.extend(cells)
        return evaluate_samples(collection, cells, *more)

    how = {"levels": (100, 50, 10), "trials": 2}
    monkeypatch.setattr(sweep, "evaluate_samples", count)
    CURVES(c, ["AP"], store=store, **how)
    assert len(scored) == 1 + 2 * 2
    CURVES(c, ["AP"], store=store, watch=("pairs",), test="t", **how)
    assert len(scored) == (1 if kept else 2) * (1 + 2 * 2)


# ---------------------------------------------------------------- records


def test_parameters_when_of_all_axes_and_statistics_then_have_names_of_their_own():
    assert len({*OWN}) == len(OWN)
    assert {*OWN} | OF_CURVES == {*fields(CURVES.params)}
    assert not {*OWN} & OF_CURVES


@pytest.mark.parametrize("name", [*OWN, *JOB])
def test_parameter_when_nothing_uses_it_then_is_refused_and_its_owners_are_named(name):
    field = fields(CURVES.params)[name]
    other = next(
        (value for value in field.param.choices if value != field.default), OTHERWISE.get(name)
    )
    if name == "team_rule":  # of selections too
        assert CURVES.params(team_rule="2").team_rule == field.default
        return
    one = {"of": "depth", "watch": ("mean",)}
    with pytest.raises(ParamError, match=f"^{name}: nothing uses it with of=depth, watch=mean; "):
        CURVES.params(**one, **{name: other if other is not None else field.default + 1})


def test_axis_when_chosen_in_a_call_then_its_own_levels_and_trials_are_the_usual_ones(c):
    for name, axis in AXES.items():
        params = CURVES(c, ["AP"], of=name, watch=("mean",)).params
        assert params.levels == axis.levels.default
        assert params.trials == axis.trials


@pytest.mark.parametrize(
    ("by", "why"),
    [
        ("topics", "expected NAME=V,V, as in judgments=100,10"),
        ("judgments=10", "judgments is what disappears already"),
        ("jugde=noisy", "by: unknown name 'jugde'"),
        ("gains=flatt", "by: unknown gain map 'flatt'; nearest: flat"),
        ("method=stratifed", "method: expected one of "),
        ("topics=0", "levels: expected a value from 1 to"),
    ],
)
def test_lines_when_they_cannot_be_then_are_refused(by, why):
    with pytest.raises(ParamError, match=f"^(by: )?{why}"):
        CURVES.params(by=by)


@every_statistic
@every_axis
def test_result_when_of_any_axis_and_statistic_then_is_told_drawn_and_tabled(c, of, watch):
    lines = {"care": "judge=lenient,strict"}.get(of, "care=0,30")
    for by in ("", lines):
        how = {"of": of, "watch": (watch,), "by": by, "trials": 2, "levels": LEVELS[of]}
        found = CURVES(c, MEASURES, team=teams_of(c), **how)
        assert found.headline().endswith(".")
        assert found.facts()
        charts = found.charts()
        assert len(charts) >= (len(MEASURES) if by and STATISTICS[watch].measured else 1)
        assert all(chart.draw().data for chart in charts)
        assert all(len(table.make()) for table in found.tables())


@every_axis
def test_facts_when_written_then_sentence_table_and_mark_have_the_same_place(c, of):
    found = CURVES(c, ["AP"], of=of, levels=LEVELS[of], trials=1, seed=5, team=teams_of(c))
    (fact,) = falls(found, found.with_level[0])
    assert fact.what == "tau falls below 0.9"
    chart = next(chart for chart in found.charts() if chart.name == "tau")
    marks = [s for s in chart.draw().layout.shapes if s.x0 == s.x1 and s.y0 == 0.9]
    cell = found.tables()[1].make().iloc[0, -1]
    if np.isfinite(fact.level):
        assert [mark.x0 for mark in marks] == [pytest.approx(place_of(found, fact.level))]
        where = fact.left if found.realised else fact.level
        assert cell == f"{where:.1f}"
        assert found.axis.at(where) in found.headline() or fact.level == LEVELS[of][0]
    else:
        assert not marks
        assert cell.startswith("not ")


def test_choices_when_an_axis_has_some_then_each_value_can_be_a_line(c):
    for axis in AXES.values():
        for name, field in choices_of(axis).items():
            if name == "sample_of":
                continue
            values = [*field.param.choices][:2]
            by = f"{name}={','.join(values)}"
            found = CURVES(c, ["AP"], of=axis.name, levels=LEVELS[axis.name], by=by, trials=1)
            for line, value in enumerate(values):
                alone = {"of": axis.name, "levels": LEVELS[axis.name], name: value, "trials": 1}
                one = CURVES(c, ["AP"], **alone)
                np.testing.assert_array_equal(
                    found.values["mean"][:, line], one.values["mean"][:, 0]
                )
