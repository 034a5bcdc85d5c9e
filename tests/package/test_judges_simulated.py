"""Judges simulated often or on the whole sample: they err as their table says, and
intervals of agreement hold the truth.
"""

from dataclasses import replace

import numpy as np
import pytest

import irmeval
from irmeval.judges.simulation import KINDS, Simulation, confusion_matrix
from irmeval.stats.judge_agreement import STATISTICS
from tests.cases import SAMPLE, read_once
from tests.unit.judges.test_judges import AGREEMENT, FEW, judges, values


def test_intervals_when_truth_is_known_then_hold_it_about_as_often_as_they_say():
    chances = confusion_matrix(np.arange(4), "noisy", 0.4)
    inside, rng = 0, np.random.default_rng(5)
    for seed in range(60):
        a = rng.integers(0, 4, 600)
        b = (np.cumsum(chances, axis=1)[a, :-1] <= rng.random(600)[:, None]).sum(axis=1)
        result = AGREEMENT(judges(a, b, topics=30), params=AGREEMENT.params(samples=200, seed=seed))
        at = [*STATISTICS].index("agreement")
        inside += result.low[0, at] <= 0.6 <= result.high[0, at]
    assert 50 <= inside <= 60


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_judge_when_documents_are_fewer_then_each_keeps_its_grade(kind):
    qrels = irmeval.read_qrels(SAMPLE[0])
    whole = irmeval.simulated(qrels, kind, 0.4, 7).grade
    part = np.flatnonzero(np.arange(qrels.grade.size) % 3 == 0)
    fewer = replace(
        qrels,
        topic=qrels.topic[part],
        documents=qrels.documents.take(part),
        grade=qrels.grade[part],
    )
    np.testing.assert_array_equal(irmeval.simulated(fewer, kind, 0.4, 7).grade, whole[part])
    assert not np.array_equal(irmeval.simulated(qrels, kind, 0.4, 8).grade, whole)


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_judge_when_counted_then_errs_as_the_table_says_and_agrees_as_it_follows(kind):
    qrels = irmeval.read_qrels(SAMPLE[0])
    grades, counts = np.unique(qrels.grade, return_counts=True)
    chances = confusion_matrix(grades, kind, 0.4)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    result = AGREEMENT(
        irmeval.Judges.of({"person": qrels, kind: irmeval.simulated(qrels, kind, 0.4)}), params=FEW
    )
    met = result.n[0].sum(axis=0)
    deviation = np.sqrt(counts[:, None] * chances * (1 - chances))
    assert (np.abs(met - counts[:, None] * chances) <= 5 * deviation + 1e-9).all()
    expected = chances * (counts / counts.sum())[:, None]
    by_chance = expected.sum(axis=1) @ expected.sum(axis=0)
    assert values(result, ("person", kind))["kappa"] == pytest.approx(
        (np.trace(expected) - by_chance) / (1 - by_chance), abs=0.02
    )


def test_biased_judge_when_counted_then_agrees_as_follows_from_where_it_errs():
    collection = read_once(*SAMPLE)
    simulation = Simulation("noisy", 0.4, 1, None, collection.runs[:3])
    seen = np.zeros(collection.grade.size, bool)
    for r in range(3):
        for t in range(len(collection.topics)):
            entries = slice(*collection.start[r * len(collection.topics) + t :][:2])
            seen[collection.judgment_index[entries][collection.rank[entries] <= 10]] = True
    own = np.unique(collection.grade[collection.grade >= 0])
    table = confusion_matrix(own, "noisy", 0.4)
    by_hand = np.zeros((own.size, own.size))
    for grade, errs in zip(collection.grade, seen, strict=True):
        if grade >= 0:
            place = np.searchsorted(own, grade)
            by_hand[place] += table[place] if errs else np.eye(own.size)[place]
    grades, meetings = simulation.expected_counts(collection)
    np.testing.assert_array_equal(grades, own)
    np.testing.assert_allclose(meetings, by_hand, rtol=1e-12)
    met = np.zeros_like(by_hand)
    for seed in range(20):
        drawn = collection.with_judgments(
            "biased", simulation._replace(seed=seed).text()
        ).panel.judges
        np.add.at(
            met, tuple(np.searchsorted(own, drawn.grade[:, (drawn.grade >= 0).all(axis=0)])), 1 / 20
        )
    assert (np.abs(met - meetings) <= 5 * np.sqrt(meetings / 20) + 1e-9).all()
    rows = (
        AGREEMENT(drawn, params=FEW)
        .beside_expected("biased", grades, meetings)
        .set_index("statistic")
    )
    assert rows.expected["Same grade"] == pytest.approx(np.trace(by_hand) / by_hand.sum())
    assert (rows.expected - rows.observed).abs().max() < 0.02
