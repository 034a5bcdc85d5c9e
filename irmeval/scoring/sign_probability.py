"""Certainty of the sign of a difference, with scores as random variables that depend on
the relevance of unjudged documents.

Also the effect of judging a document on the difference of two runs.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.merge import join_judgments
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pa
from irmeval.metrics import Measure
from irmeval.metrics.hits import judgment_gains
from irmeval.reading.named_columns import string_array
from irmeval.reading.trec import join_keys, make_qrels
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import select_by_name
from irmeval.stats.blocks import ROOM, product, rows_multiple_of_8, slices

HALF = "half"
"""Model: an unjudged document is relevant with probability .5."""
SHARE = "share"
"""Model: it is relevant with the share of relevant documents among the judged ones of
its topic.
"""
PRIOR = 10
"""Number of judged documents of the topic that the share over all topics counts as."""
MEASURES = "AP", "P", "RBP"
"""Metrics with known mean and variance."""


class RankedDocuments(NamedTuple):
    """Documents of the pool, and those of the lists down to rank 100 outside it, by
    topic.
    """

    topic: np.ndarray
    """int [document], ascending"""
    grade: np.ndarray
    """int [document], negative if unjudged"""
    rank: np.ndarray
    """int32 [run, document], 0 if the run does not contain it"""
    key: "pa.StringArray"
    """[document], topic and document with a NUL between"""


class Moments(NamedTuple):
    """Scores of runs as linear functions of the gains of unjudged documents, around
    their means.
    """

    expected: np.ndarray
    """float64 [run], mean over topics of the expected scores"""
    weight: np.ndarray
    """float64 [run, unjudged document], increase of `expected` per unit of gain"""
    variance: np.ndarray
    """float64 [unjudged document], of its gain"""
    document: np.ndarray
    """int [unjudged document], its index among all documents"""


def rank_documents(collection: Collection, runs: Sequence[int] | None = None) -> RankedDocuments:
    """All documents whose relevance affects scores, with their ranks in all runs, or in
    some.
    """
    T, J, outside = len(collection.topics), collection.grade.size, collection.outside
    keys = join_keys(collection.topics, outside.list % T, outside.documents).dictionary_encode()
    code, beyond = keys.indices.to_numpy(), keys.dictionary
    topic_beyond = np.zeros(len(beyond), np.int64)
    topic_beyond[code] = outside.list % T
    topic = np.concatenate([collection.topic, topic_beyond])
    order = np.argsort(topic, kind="stable")
    place = np.empty(order.size, np.intp)
    place[order] = np.arange(order.size)
    places = range(len(collection.runs)) if runs is None else runs
    rank = np.zeros((topic.size, len(places)), np.int32).T
    for own, r in zip(rank, places, strict=True):
        within, beyond_it = (
            slice(*collection.start[[r * T, r * T + T]]),
            slice(*np.searchsorted(outside.list, [r * T, r * T + T])),
        )
        # a column per document, 0 where the run lacks it: differences of runs are then
        # sums
        own[place[collection.judgment_index[within]]] = collection.rank[within]
        own[place[J + code[beyond_it]]] = outside.rank[beyond_it]
    grade = np.concatenate([collection.grade, np.full(len(beyond), -1)])
    inside = join_keys(collection.topics, collection.topic, collection.documents)
    return RankedDocuments(
        topic[order], grade[order], rank, pa.concat_arrays([inside, beyond]).take(pa.array(order))
    )


def probable_relevance(ranked: RankedDocuments, rel: int, model: str) -> np.ndarray:
    """Probability that each document is relevant [document]: 0 or 1 if judged, else by
    the model.

    half: .5 (Carterette, Allan & Sitaraman 2006). share: the share of relevant
    documents among the judged ones of the topic, with `PRIOR` more documents that have
    the share over all topics.
    """
    judged, relevant = ranked.grade >= 0, ranked.grade >= rel
    if model == HALF:
        return np.where(judged, relevant, 0.5)
    of_judged, of_relevant = (
        np.bincount(ranked.topic[of], minlength=int(ranked.topic[-1]) + 1)
        for of in (judged, relevant)
    )
    # half a document, so that no probability is 0 or 1
    share = (of_relevant.sum() + 0.5) / (of_judged.sum() + 1)
    return np.where(
        judged, relevant, ((of_relevant + PRIOR * share) / (of_judged + PRIOR))[ranked.topic]
    )


def moments(
    collection: Collection, measure: Measure, ranked: RankedDocuments, model: str
) -> Moments:
    """Mean and linear part of the scores by AP, P or RBP, relevance of unjudged
    documents independent.

    P and RBP are linear in the gains, so mean and variance of a difference are exact;
    the gain of a relevant document is drawn from those of the judged relevant ones. R
    AP is the sum over pairs of documents of x_i x_j / max(rank_i, rank_j) (Carterette,
    Allan & Sitaraman 2006). Its mean is exact, R is replaced by its mean, at least 1,
    and the variance is that of the part linear in the deviations.

    Raises `ParamError` for another metric, or the condensed list.
    """
    if not can_compute(measure):
        raise ParamError(
            f"{measure}: signs are supported for {', '.join(MEASURES)}, without a prime."
        )
    p = probable_relevance(ranked, measure.params["rel"], model)
    T, unjudged = len(collection.topics), np.flatnonzero(ranked.grade < 0)
    R = np.bincount(ranked.topic, p, T)
    k = measure.params.get("k") or np.iinfo(np.int32).max
    gain, variance = p, p * (1 - p)
    if measure.metric.name == "RBP":
        gain, variance = _gains(collection, measure, ranked, p)
    scored, runs = max(int(np.count_nonzero(R > 0)), 1), len(ranked.rank)
    expected, of_unjudged = np.empty(runs), np.empty((unjudged.size, runs)).T
    for some in slices(runs, rows_multiple_of_8(ranked.topic.size)):
        rank = ranked.rank[some]
        seen = (rank > 0) & (rank <= k)
        if measure.metric.name == "AP":
            expected[some], weight = _of_average_precision(ranked.topic, rank, seen, p, R)
        else:
            weight = _weight_of_rank(measure, rank, seen)
            expected[some] = product(weight, gain, out=np.empty(len(rank)))
        np.divide(weight[:, unjudged], scored, out=of_unjudged[some])
    return Moments(expected / scored, of_unjudged, variance[unjudged], unjudged)


def _weight_of_rank(measure: Measure, rank: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """What a unit of gain at each rank adds to P or RBP [run, document]."""
    if measure.metric.name == "P":
        return np.asarray(seen / measure.params["k"])
    p = measure.params["p"]
    return np.where(seen, (1 - p) * p ** (np.maximum(rank, 1) - 1.0), 0)


def _of_average_precision(
    topics: np.ndarray, ranks: np.ndarray, seen: np.ndarray, p: np.ndarray, R: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Expected AP summed over topics [run], and its derivative by the relevance of each
    document [run, document].
    """
    expected, weight = np.zeros(len(ranks)), np.zeros(ranks.shape)
    for r in range(len(ranks)):
        entry = np.flatnonzero(seen[r])
        entry = entry[np.lexsort((ranks[r, entry], topics[entry]))]
        topic, rank, own = topics[entry], ranks[r, entry].astype(float), p[entry]
        first = np.searchsorted(topic, topic)
        last = np.searchsorted(topic, topic, side="right")
        running, shares = (np.concatenate([[0.0], np.cumsum(x)]) for x in (own, own / rank))
        place = np.arange(entry.size)
        above, below = running[place] - running[first], shares[last] - shares[place + 1]
        # R may be near 0 on a topic with few judgments, and AP above 1
        most = np.maximum(R[topic], 1)
        expected[r] = np.sum(own * (1 + above) / rank / most)
        weight[r, entry] = ((1 + above) / rank + below) / most
    return expected, weight


def _gains(
    collection: Collection, measure: Measure, ranked: RankedDocuments, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of each document's gain, as a share of the highest."""
    table, H = judgment_gains(
        collection, collection.grade, measure.params["rel"], collection.policy.gains or None
    )
    by_grade = np.zeros(collection.top_grade + 1)
    np.maximum.at(by_grade, np.maximum(collection.grade, 0), table / H if H else table)
    known = by_grade[np.maximum(ranked.grade, 0)]
    relevant = known[ranked.grade >= measure.params["rel"]]
    mean, square = (relevant.mean(), (relevant**2).mean()) if relevant.size else (1.0, 1.0)
    judged = ranked.grade >= 0
    return np.where(judged, known, p * mean), np.where(judged, 0, p * square - (p * mean) ** 2)


def can_compute(measure: Measure) -> bool:
    """Whether the signs of its differences can be computed."""
    return measure.metric.name in MEASURES and not measure.prime


def difference_moments(found: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Expected difference and its deviation of every pair of runs, in the order of
    ``np.triu_indices(runs, 1)`` [pair].
    """
    expected, weight, variance, _ = found
    # few of all unjudged documents are in one run
    held = [np.flatnonzero(of_run) for of_run in weight]
    starts, document = np.cumsum([0, *map(len, held)]), np.concatenate(held)
    run = np.repeat(np.arange(len(held)), np.diff(starts))
    spread = variance[document] * weight[run, document] ** 2

    def of_others(r: int) -> np.ndarray:
        """Variance of the difference of a run from each later one: of the run's own
        documents, and of those that it lacks.
        """
        own, later = held[r], slice(starts[r + 1], None)
        rows = np.array_split(
            np.arange(r + 1, len(held)),
            -(-(len(held) - r - 1) // rows_multiple_of_8(own.size, ROOM)),
        )
        # two rows or more in each part: one alone would be summed in another order
        of_own = [
            np.sum(
                variance[own] * (weight[r, own] - weight[some[0] : some[-1] + 1, own]) ** 2, axis=1
            )
            for some in rows
        ]
        # documents of both runs are in the first sum already
        lacking = weight[r].take(document[later]) == 0
        return np.concatenate(of_own) + np.bincount(
            run[later] - r - 1, spread[later] * lacking, len(held) - r - 1
        )

    a, b = np.triu_indices(len(expected), 1)
    return expected[a] - expected[b], np.sqrt(
        np.concatenate(parallel.map_threads(of_others, range(len(held) - 1)))
    )


def effects(
    collection: Collection,
    measure: Measure,
    a: str,
    b: str,
    topic: np.ndarray,
    documents: Sequence[str],
    grade: int = 1,
) -> np.ndarray:
    """Change of the difference of means, run a minus run b, if one unjudged document
    gets this grade [n].

    `topic` int [n] is the topic of each of `documents`, each once per topic.
    `ParamError` for a grade above the highest of the qrels. Exact for all measures but
    infAP, which treats documents in the pool differently: here all these documents are
    in the pool. The lists are read again, as the documents may be at any rank. Topics
    do not depend on each other, so one document of each topic is tried at a time.
    """
    if grade > collection.top_grade:
        expected = f"at most {collection.top_grade}, the highest of the qrels"
        raise ParamError(f"grade: expected {expected}, found {grade}.")
    if not documents:
        return np.zeros(0)
    given = make_qrels(
        "unjudged", collection.topics, topic, string_array(documents), np.full(topic.size, -1)
    )
    pair = join_judgments(select_by_name(collection, [a, b], collection.topics), given)
    # a policy may grade unjudged documents of the pool as nonrelevant
    low = np.flatnonzero(pair.grade <= 0)
    texts = pair.documents.take(low).to_pylist()
    slot_of = dict(
        zip(zip(pair.topic[low].tolist(), texts, strict=True), low.tolist(), strict=True)
    )
    slots = np.array(
        [slot_of[key] for key in zip(topic.tolist(), documents, strict=True)], np.int64
    )
    judged = np.array(pair.grade)
    # begun as unjudged, whatever the policy makes of a negative grade
    judged[slots] = -1
    scores = evaluate(pair, [measure], grades=judged)
    places = [pair.runs.index(run) for run in (a, b)]
    before, now = scores.values[0][places], np.nan_to_num(scores.means[0][places])
    order = np.argsort(topic, kind="stable")
    turn = np.empty(topic.size, np.int64)
    turn[order] = np.arange(topic.size) - np.searchsorted(topic[order], topic[order])
    after = np.empty((2, topic.size))
    for this in range(int(turn.max(initial=-1)) + 1):
        parallel.check_cancelled()
        tried = np.flatnonzero(turn == this)
        grades = judged.copy()
        grades[slots[tried]] = grade
        after[:, tried] = evaluate(pair, [measure], grades=grades).values[0][places][
            :, topic[tried]
        ]
    old = before[:, topic]
    total = np.nansum(before, axis=1, keepdims=True) - np.nan_to_num(old) + np.nan_to_num(after)
    topics = np.isfinite(before).sum(axis=1, keepdims=True) - np.isfinite(old) + np.isfinite(after)
    means = total if measure.metric.summed else total / np.maximum(topics, 1)
    return np.asarray(means[0] - means[1] - (now[0] - now[1]))
