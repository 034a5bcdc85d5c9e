"""One fact has one value, wherever it is stated."""

from functools import cache

import numpy as np
import pytest

from irmeval.check import ScoredRuns, standing
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.axes import AXES
from irmeval.experiments.needs import PAIRS
from irmeval.plots.axes import FIT, ZOOM
from tests import chosen, claims, facts
from tests.cases import collection
from tests.counted import FEW, UNJUDGED, made, many, teams, tied, work
from tests.small_work import params_of, source
from tests.watched import ASKED, CURVES, asked

TESTED = {name: e.params() for name, e in EXPERIMENTS.items() if e.needs[:2] == PAIRS[:2]} | {
    f"{of}, {watch}": EXPERIMENTS["curves"].params(of=of, watch=(watch,), trials=1)
    for of in AXES
    for watch in ("pairs", "decisions")
}
"""What compares pairs of runs over topics."""
DRAWN = 6
"""How many collections are drawn."""
COSTS = "topics-needed"
"""The experiment whose samples give intervals of costs, which nothing else states."""
KINDS = sorted(
    {
        what
        for table in (facts.OF_PAIRS, facts.OF_RUNS, facts.OF_MEASURES, facts.SENTENCES)
        for what, _ in table.values()
    }
)


def odd(seed: int):
    """One to nine runs on one to eight topics: ties, unjudged documents, topics that
    runs lack, topics without relevant documents.
    """
    rng = np.random.default_rng(seed)
    runs, topics, documents = int(rng.integers(1, 10)), int(rng.integers(1, 9)), [*"abcdefgh"]
    qrels = {
        str(t): {
            d: int(rng.integers(0, 3)) * (rng.random() < 0.8)
            for d in documents
            if rng.random() < 0.8
        }
        for t in range(topics)
    }
    qrels = {t: grades | {"a": int(t != "1"), "h": 0} for t, grades in qrels.items()}
    best = {t: sorted(documents, key=lambda d: -grades.get(d, 0)) for t, grades in qrels.items()}
    found = {}
    for r in range(runs):
        good = rng.random() ** 2
        of = {
            t: (
                ids
                if rng.random() < good
                else rng.permutation([*ids, "u"])[: rng.integers(2, 9)].tolist()
            )
            for t, ids in best.items()
        }
        found[f"r{r}"] = {t: ids for t, ids in of.items() if t == "0" or rng.random() < 0.9}
    return collection(qrels, found), runs


@cache
def results(seed: int, trials: int = FEW["trials"]):
    """The results of all experiments on such a collection, with their usual settings
    but for the size of what is drawn.
    """
    c, _ = odd(seed)
    found = {}
    for name, experiment in EXPERIMENTS.items():
        if not experiment.data:
            continue
        usual = {"samples": 1000} if name != COSTS else {}
        measures, params = (
            ["AP", "nDCG", "P@5"] if experiment.measured else None,
            params_of(experiment, FEW | usual | {"trials": trials}),
        )
        try:
            found[name] = experiment(source(experiment, c), measures, params)
        except ParamError:
            continue
    for name in ASKED:
        tested = {"samples": 1000} if asked(name).tested else {}
        try:
            params = asked(name, trials=trials, **tested)
            found[f"curves, {name}"] = CURVES(c, ["AP", "nDCG", "P@5"], params)
        except ParamError:
            continue
    return found


@cache
def stated(seed: int):
    """What all these state."""
    return facts.collect(results(seed), odd(seed)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_fact_when_stated_in_several_places_then_has_one_value(kind):
    found = {
        (seed, key): said
        for seed in range(DRAWN)
        for key, said in facts.contradictions(stated(seed)).items()
        if key.what == kind
    }
    assert found == {}


def of_topics(relevant: int, topics: int):
    """Three runs on so many topics, of which the first few have a relevant document."""
    qrels = {str(t): {"a": int(t < relevant), "b": 0} for t in range(topics)}
    lists = {"x": ["a", "b"], "y": ["b", "a"], "z": ["b"]}
    return collection(
        qrels, {run: dict.fromkeys(qrels, documents) for run, documents in lists.items()}
    )


@pytest.mark.parametrize(("relevant", "topics"), [(1, 1), (1, 5), (0, 5)])
def test_pairs_when_one_topic_or_none_has_a_score_then_every_experiment_refuses_alike(
    relevant, topics
):
    told = {}
    for name, params in TESTED.items():
        experiment = EXPERIMENTS[name if name in EXPERIMENTS else "curves"]
        with pytest.raises(ParamError) as refused:  # before anything is computed
            experiment.work(source(experiment, of_topics(relevant, topics)), ["AP"], params)
        told[name] = str(refused.value).removeprefix(f"{experiment.name}: ")
    assert {*told.values()} == {
        "expected at least 2 runs and 2 topics with a score for every run, found 3 runs and"
        f" {relevant} topic{'s' * (not relevant)}."
    }


@pytest.mark.parametrize("seed", range(DRAWN))
def test_interval_when_of_a_difference_of_shares_then_is_within_what_differences_can_be(seed):
    beyond = {
        (name, table.name, column)
        for name, result in results(seed).items()
        for table in result.tables()
        for column, values in facts.ends_of_differences(table.make())
        if not (np.abs(values[np.isfinite(values)]) <= 1).all()
    }
    assert beyond == set()


@pytest.mark.parametrize("seed", range(DRAWN))
def test_table_when_a_level_is_not_crossed_then_tells_how_far_it_was_followed(seed):
    told = {
        (name, table.name, text)
        for name, result in results(seed).items()
        for table in result.tables()
        for text in table.make().select_dtypes(exclude="number").to_numpy().ravel()
        if str(text) == "never"
    }
    assert told == set()


CLAIMING = dict.fromkeys(claim.experiment for claim in claims.CLAIMS)
CHOOSING = dict.fromkeys(one.experiment for one in chosen.CHOSEN)
SHAPES = [(many, 12, 12, 3), (many, 5, 8, 2), (teams, 7, 6, 3), (made, 3, 7, 2), (made, 2, 3, 1)]
"""What a collection is made by, its runs and topics; measures."""


def settled(**others: list[str]):
    """Three runs that differ on every topic, and others with the same list on all."""
    lists = {"best": ["a", "b"], "second": ["n", "a", "b"], "worst": ["n", "m", "a"]} | others
    topics = [*map(str, range(20))]
    return collection(
        {topic: {"a": 2, "b": 1, "n": 0} for topic in topics},
        {run: dict.fromkeys(topics, documents) for run, documents in lists.items()},
    )


def contributing():
    """Three teams, of which each has found less on its own than the one before it."""
    found = {"a1": ["a", "h", "c"], "b1": ["c", "h", "b"], "d1": ["c", "h"]}
    grades = {"a": 1, "b": 1, "c": 1, "h": 0}
    return collection(
        dict.fromkeys("123", grades), {run: dict.fromkeys("123", ids) for run, ids in found.items()}
    )


def disputed():
    """Runs with unjudged documents, which two other judges have graded: one of the two
    documents of a topic alike.
    """
    grades = {"one": {"u2": 2, "u3": 1}, "other": {"u2": 0, "u3": 1}}
    c = made(4, 7)
    for judge, of in grades.items():
        c = c.with_judgments(judge, dict.fromkeys(c.topics, of))
    return c


ALL_WATCHED = {
    "watch": ("order", "pairs", "decisions", "mean"),
    "levels": (100, 50, 10),
    "trials": 3,
    "samples": 20,
}
"""Settings of *Curves* by which all its sentences are made."""
FURTHER = {
    "curves": [(many(5, 8), ["AP"], ALL_WATCHED)],
    "parameters": [(many(12, 12), ["Q", "Q'"], {})],  # all have beta
    # on so few topics no difference is large enough
    "swap": [(many(12, 12), ["Q", "AP"], {"threshold": 40})],
    "leaderboard": [
        (settled(), ["AP", "P@1"], {}),
        (settled(), ["AP", "P@1"], {"baseline": "worst"}),
        (made(3, 20), ["AP"], {}),  # one is worse
    ],
    "order-fairness": [(many(12, 12), ["AP"], {"team_rule": "4"})],  # a team a run or two
    "own-sample": [(tied(5, 8), ["AP"], {})],
    "swap-property": [(None, ["AP", "P@5"], {"N": 40})],
    "matrix": [(settled(alike=["m", "a", "b"]), ["AP"], {})],
    "leave-one-out": [(contributing(), ["AP"], {})],
    "judge-next": [
        *(
            (of, ["AP"], {"by": by, "budget": 20})
            for by in ("pair", "sign", "move-to-front")
            for of in (many(6, 12), made(4, 7))
        ),
        (made(3, 9), ["AP"], {"by": "pair"}),
        (made(3, 9), ["AP"], {"by": "sign", "pair": "r0,r2"}),
        (disputed(), ["AP"], {"by": "disagreement"}),
    ],
}
"""More results of an experiment, of sentences and steps that the others do not have."""


@cache
def results_of(name: str):
    """Results of an experiment on collections of all kinds."""
    shapes = SHAPES[:-1] if name == UNJUDGED else SHAPES
    every = [work(name, *shape) for shape in shapes]
    every += [results(seed)[name] for seed in range(DRAWN) if name in results(seed)]
    return every + [
        EXPERIMENTS[name](of, measures, **given) for of, measures, given in FURTHER.get(name, ())
    ]


@pytest.mark.parametrize("name", CLAIMING)
def test_claim_when_of_the_most_or_the_least_then_the_tables_say_so_too(name):
    checked = [claims.check(name, result) for result in results_of(name)]
    met, wrong = zip(*checked, strict=True)
    assert [text for texts in wrong for text in texts] == []
    assert {p for patterns in met for p in patterns} == {
        claim.pattern for claim in claims.CLAIMS if claim.experiment == name
    }


@pytest.mark.parametrize("name", CHOOSING)
def test_step_when_it_names_a_run_or_a_measure_then_it_is_that_of_the_tables(name):
    met, wrong = zip(*(chosen.check(name, result) for result in results_of(name)), strict=True)
    assert [question for questions in wrong for question in questions] == []
    assert set().union(*met) == {one.page for one in chosen.CHOSEN if one.experiment == name}


@pytest.mark.parametrize("seed", range(DRAWN))
def test_remark_when_a_chart_has_one_then_it_has_the_thing_too(seed):
    every = results(seed, trials=1 if seed == 1 else FEW["trials"])
    found = {
        (name, chart.name): idle
        for name, result in every.items()
        for chart in result.charts()
        if (idle := facts.idle_remarks(chart))
    }
    assert found == {}


@pytest.mark.parametrize("how", [FIT, ZOOM])
def test_axis_when_it_is_said_not_to_begin_at_0_then_0_is_not_on_it(how):
    found = {
        (name, chart.name)
        for name, result in results(3).items()
        for chart in result.charts()
        if facts.wrongly_called_zoomed(chart, how)
    }
    assert found == set()


@pytest.mark.parametrize("seed", [0, 4])
def test_check_when_it_compares_runs_then_p_and_interval_are_those_of_the_matrix_at_once(seed):
    c, _ = odd(seed)
    field, matrix = ScoredRuns.of(c, ["AP"]), EXPERIMENTS["matrix"](c, ["AP"])
    for run in range(len(c.runs)):
        ladder = standing.ladder(field, run).set_index("run")
        for other in [name for name in c.runs if name != c.runs[run]]:
            both = matrix.pair(matrix.names[0], other, c.runs[run])
            expected = both.p_at_once, both.intervals.low_at_once, both.intervals.high_at_once
            assert tuple(ladder.loc[other, ["p", "low", "high"]]) == pytest.approx(
                expected, rel=1e-12, nan_ok=True
            )
