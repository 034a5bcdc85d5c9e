"""How often the interval of a score with holes judged, as on *What if*, holds the
truth: documents of a team or a kind are made holes.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.coverage import DATA, ROOT, Row
from irmeval import Collection, evaluate, measure, read_collection
from irmeval.scoring.hole_grades import WINDOW, Learnt, TeamPool
from irmeval.scoring.selection import select_by_name
from irmeval.scoring.with_holes import (
    PRIORS,
    Drawing,
    GradeSource,
    LeftOutRun,
    check_left_out,
)
from irmeval.stats.intervals import LEVEL, clustered_share_interval

MEASURES = tuple(map(measure, ("nDCG@10", "AP")))
HOLES = 0.15, 0.4
"""Unjudged shares of the top 10 that a new run usually has."""


class Case(NamedTuple):
    """A collection, and what is left out of it."""

    collection: str
    kinds: tuple[str, ...] = ()
    """runs by kind, as their names tell; others are of one kind more. Without kinds,
    teams are left out
    """
    usual: bool = False
    """whether only runs with `HOLES` count"""


NEURAL, TOPICS_AND_VECTORS = (
    "Conv_KNRM T5R1 SFDC-23April-run2 dmis-rnd1-run2",
    "BioinfoUA-emb CBOWexp.0 SinequaR1_2 lda400s2000",
)
MANUAL = "xj4wang_run1 BBGhelani1 crowd2 NTU_NMLAB_BM25_Hum2"
THREE, FOUR = (f"{NEURAL} {TOPICS_AND_VECTORS}", MANUAL), (NEURAL, TOPICS_AND_VECTORS, MANUAL)
CASES = (
    Case("sample"),
    Case("robust03"),
    Case("trec-covid-rnd1"),
    *(Case("trec-covid-rnd1", kinds, usual) for kinds in (THREE, FOUR) for usual in (False, True)),
)


def holes(trials: int) -> Iterator[Row]:
    """Coverage of 95% intervals of a run's mean, and their mean width, where its team
    or kind is left out: on all topics once, then on half of them, drawn anew in each
    trial. Bands are over teams or kinds.
    """
    read: dict[str, Collection] = {}
    done: dict[tuple[str, tuple[str, ...]], list[list[tuple[LeftOutRun, float]]]] = {}
    for case in CASES:
        folder, qrels = (
            (ROOT / "sample_data", "qrels.txt.gz")
            if case.collection == "sample"
            else (DATA / case.collection, "qrels.txt")
        )
        if not folder.exists():
            continue
        if case.collection not in read:
            read[case.collection] = read_collection(folder / qrels, folder / "runs")
        if (key := case[:2]) not in done:
            done[key] = [
                left_out(part, case, seed)
                for seed, part in enumerate(parts(read[case.collection], trials))
            ]
        chosen = [
            [
                c
                for c, share in found
                if c.kind == bool(case.kinds) and (not case.usual or HOLES[0] <= share <= HOLES[1])
            ]
            for found in done[key]
        ]
        left = f"each of {len(case.kinds) + 1} kinds" if case.kinds else "each team"
        for topics, some in (("all", chosen[:1]), ("half", chosen[1:])):
            for m, each in enumerate(MEASURES):
                yield {
                    "collection": case.collection,
                    "left out": (
                        f"{left}, {HOLES[0]:.0%} to {HOLES[1]:.0%} holes" if case.usual else left
                    ),
                    "topics": topics,
                    "measure": each,
                    **coverage(some, m),
                }


def parts(collection: Collection, trials: int) -> Iterator[Collection]:
    """The collection, then half of its topics, again and again."""
    yield collection
    rng, topics = np.random.default_rng(50), np.array(collection.topics)
    for _ in range(trials):
        yield select_by_name(
            collection,
            collection.runs,
            rng.choice(topics, topics.size // 2, replace=False).tolist(),
        )


def left_out(collection: Collection, case: Case, seed: int) -> list[tuple[LeftOutRun, float]]:
    """The check of each run, and the share of its top 10 that was made holes."""
    of = {run: f"kind {k}" for k, runs in enumerate(case.kinds) for run in runs.split()}
    kind = [of.get(run, "lexical") for run in collection.runs] if case.kinds else []
    teams = (
        [re.split("[^a-z]", run)[0] for run in collection.runs]
        if case.collection == "sample"
        else collection.runs
    )
    pool, how = TeamPool.of(collection, teams, kind), Drawing(seed=seed)
    learnt = {
        reach: Learnt.of(pool, reach) for reach in {how.reach(each, pool) for each in MEASURES}
    }
    found = []
    values = evaluate(collection, MEASURES).values
    for check in check_left_out(GradeSource(pool, learnt), MEASURES, values, how, lambda _: None):
        team = pool.team[check.run]
        away = np.flatnonzero(pool.kind == pool.kind[team]) if check.kind else np.array([team])
        found.append(
            (
                check,
                float(
                    pool.without(away)[
                        pool.rows(np.array([check.run]), WINDOW, away).document
                    ].mean()
                ),
            )
        )
    return found


def coverage(trials: list[list[LeftOutRun]], m: int) -> Row:
    """By each prior the share of the intervals that hold, with its band, and their mean
    width; then signs that are called safe.
    """
    known = [check for checks in trials for check in checks if np.isfinite(check.truth[m])]
    truth = np.array([check.truth[m] for check in known])
    _, team = np.unique([check.left_out for check in known], return_inverse=True)
    runs = len({check.run for check in known})
    row: dict[str, object] = {"runs": runs, "teams": int(team.max()) + 1}
    for p, prior in enumerate(PRIORS):
        _, low, high = np.array([check.ends[p, :, m] for check in known]).T
        held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        least, most = clustered_share_interval(held, team, level=LEVEL)
        row[prior] = f"{held.mean():.2f} ({least:.2f} to {most:.2f}), {(high - low).mean():.3f}"
    safe, right = (
        sum(int(values[m]) for values in column)
        for column in zip(*((c.safe, c.right) for c in known), strict=True)
    )
    return {**row, "safe signs that are right": f"{right:,} of {safe:,}"}


SIMULATIONS = {"holes": holes}
