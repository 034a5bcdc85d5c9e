"""Orders of judging the documents of a pool: by rank, at random, and adaptive to
judgments so far.
"""

from collections.abc import Callable
from math import inf
from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.reductions.pooling import Following, Topic, cut, order

ALIKE = 1e-9
"""Relative tolerance for ties."""
FORGET = 32
"""Documents judged until the entries of judged ones are dropped, which no sum needs."""

Memory = Annotated[
    float,
    Param(
        "memory",
        "bandit: weight of the earlier documents of a run relative to its last: 0 is MM-NS, 1"
        " is MM.",
        low=0,
        high=1,
        template="bandit with memory {}",
        value_labels={"0": "bandit without memory"},
    ),
]
Beta = Annotated[
    float,
    Param(
        "beta",
        "hedge: a run's weight is this to the power of its loss.",
        low=0.001,
        high=0.999,
        template="hedge with beta {}",
    ),
]
Persistence = Annotated[
    float,
    Param(
        "persistence p",
        "rbp: persistence of the RBP whose weights are added.",
        low=0.01,
        high=0.999,
        template="RBP with p = {}",
    ),
]
Variant = Annotated[
    str,
    Param(
        "method",
        "rbp: A is the sum of the weights. B: each times the residual of its run. C: that times"
        " (score so far + residual / 2)^3.",
        choices=("A", "B", "C"),
        value_labels={method: f"method {method} of Moffat et al. (2007)" for method in "ABC"},
    ),
]
FusedBy = Annotated[
    str,
    Param(
        "fused by",
        "fusion: borda is depth - rank + 1 points from each run. reciprocal-rank is 1 / (k +"
        " rank).",
        choices=("borda", "reciprocal-rank"),
        value_labels={
            "borda": "fused by Borda count",
            "reciprocal-rank": "fused by reciprocal rank",
        },
    ),
]
K = Annotated[
    int,
    Param(
        "k", "fusion: the k of 1 / (k + rank).", low=0, high=100_000, template="fusion with k = {}"
    ),
]


@order("by-depth", source="Sparck Jones & van Rijsbergen 1975; TREC")
def by_depth(topic: Topic) -> Following:
    """Judge rank 1 of all runs, then rank 2, and so on; within a rank by document
    id.
    """
    best = np.minimum.reduceat(topic.rank[topic.by_document], topic.first)
    yield from _one_by_one(np.argsort(best, kind="stable"))


@order("at-random", source="The baseline of all orders", random=True)
def at_random(topic: Topic) -> Following:
    """Judge the documents of the pool in random order."""
    yield from _one_by_one(np.argsort(topic.numbers))


def _one_by_one(documents: np.ndarray) -> Following:
    """Judge documents in this order, whatever is found."""
    # a list itself takes no answer, as a generator does
    yield from (document for document in documents.tolist())


@order(
    "move-to-front",
    source="Cormack, Palmer & Clarke 1998, interleaved, topic by topic",
    random=True,
)
def move_to_front(topic: Topic) -> Following:
    """Judge a random run of the highest priority from the top until a document is not
    relevant; then its priority falls by one.
    """
    left = np.diff(topic.start)
    priority = np.where(left > 0, 0.0, -inf).tolist()
    left, lists = left.tolist(), [*map(iter, topic.lists)]
    judged = bytearray(topic.size)
    for number in topic.numbers.tolist():
        if priority[chosen := _pick_best(priority, number)] == -inf:
            return
        for document in lists[chosen]:
            if judged[document]:
                continue
            relevant = yield document
            judged[document] = True
            for run in topic.runs_of[document].tolist():
                left[run] -= 1
                if not left[run]:
                    priority[run] = -inf
            # an unknown judgment ends the turn too, but says nothing of the run
            if relevant is False:
                priority[chosen] -= 1
            if not relevant:
                break


@order("bandit", source="Losada, Parapar & Barreiro 2016, 2017: MM and MM-NS", random=True)
def bandit(topic: Topic, memory: Memory = 0.0) -> Following:
    """Give each run a Beta distribution of the probability that its next document is
    relevant. Judge the next document of the run with the highest mean, ties at random;
    every run with the document is updated.
    """
    left = np.diff(topic.start)
    a, b = [0.0] * topic.runs, [0.0] * topic.runs
    mean = np.where(left > 0, 0.5, -inf).tolist()
    left, lists = left.tolist(), [*map(iter, topic.lists)]
    judged = bytearray(topic.size)
    for number in topic.numbers.tolist():
        document = next(d for d in lists[_pick_best(mean, number)] if not judged[d])
        relevant = yield document
        judged[document] = True
        for run in topic.runs_of[document].tolist():
            left[run] -= 1
            if relevant is not None:
                a[run] = memory * a[run] + relevant
                b[run] = memory * b[run] + (1 - relevant)
            mean[run] = (1 + a[run]) / (2 + a[run] + b[run]) if left[run] else -inf


def _pick_best(values: list[float], number: float) -> int:
    """Index of the highest value; a random number from 0 to 1 picks one of several."""
    top, place = max(values), -1
    for _ in range(int(number * values.count(top)) + 1):
        place = values.index(top, place + 1)
    return place


@order("hedge", source="Aslam, Pavlu & Savell 2003")
def hedge(topic: Topic, beta: Beta = 0.1) -> Following:
    """Give each run a weight, which falls with nonrelevant documents near its top and
    rises with relevant ones. Judge the document that would change the weights most if
    it were relevant, ties by document id.
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, topic.depth + 1))])
    value = (harmonic[-1] - harmonic[topic.rank]) / 2
    value_of = cut(value[topic.by_document], topic.first)
    left = np.diff(topic.start)
    loss = np.where(left > 0, 0.0, np.inf)  # a run of which all is judged has no weight

    def learn(document: int, relevant: bool | None) -> None:
        having = topic.runs_of[document]
        left[having] = remaining = left[having] - 1
        if relevant is not None:
            loss[having] += -value_of[document] if relevant else value_of[document]
        if not remaining.all():
            loss[having[remaining == 0]] = np.inf

    return by_weight(topic, value, lambda: beta ** (loss - loss.min()), learn)


@order("rbp", source="Moffat, Webber & Zobel 2007, methods A, B and C")
def rbp(topic: Topic, p: Persistence = 0.8, variant: Variant = "C") -> Following:
    """Judge the document with the largest weight in the RBP of all runs: the sum of
    (1-p) p^(rank-1) over the runs with it. Methods B and C prefer runs with more
    unjudged documents, and C runs with high scores. Ties by document id.
    """
    value = (1 - p) * p ** (topic.rank - 1.0)
    value_of = cut(value[topic.by_document], topic.first)
    residual, score = np.ones(topic.runs), np.zeros(topic.runs)
    weights: dict[str, Callable[[], np.ndarray] | None] = {
        "A": None,
        "B": lambda: residual,
        "C": lambda: residual * (score + residual / 2) ** 3,
    }

    def learn(document: int, relevant: bool | None) -> None:
        if relevant is not None:
            having = topic.runs_of[document]
            residual[having] -= value_of[document]
            if relevant:
                score[having] += value_of[document]

    return by_weight(topic, value, weights[variant], learn)


@order(
    "fusion",
    source=(
        "Borda count: Aslam & Montague 2001, Lipani et al. 2017; reciprocal rank: Cormack, Clarke &"
        " Büttcher 2009"
    ),
)
def fusion(topic: Topic, by: FusedBy = "reciprocal-rank", k: K = 60) -> Following:
    """Fuse all runs into one list by points for documents down to the pool depth, and
    judge it from the top, ties by id.
    """
    points = {"borda": topic.depth - topic.rank + 1.0, "reciprocal-rank": 1.0 / (k + topic.rank)}
    return by_weight(topic, points[by])


def by_weight(
    topic: Topic,
    value: np.ndarray,
    weight: Callable[[], np.ndarray] | None = None,
    learn: Callable[[int, bool | None], None] = lambda document, relevant: None,
) -> Following:
    """Judge the document with the highest sum of `value` [entries], each times the
    weight of its run, then call `learn` with its judgment. Without `weight` the sums
    stay the same.
    """
    judged, documents, runs = np.zeros(topic.size, bool), topic.document, topic.run
    worth = np.bincount(documents, value, topic.size)
    for step in range(topic.size):
        if weight:
            # entries of judged documents are dropped now and then: a look at each takes
            # longer than to drop them, and to drop them each time longer than to look
            if not step % FORGET:
                left = ~judged.take(documents)
                documents, runs, value = documents[left], runs[left], value[left]
            worth = np.bincount(documents, value * weight().take(runs), topic.size)
            worth[judged] = -1.0
        # the first of those that are equal but for rounding, which is that by document id
        document = int((worth >= worth[worth.argmax()] * (1 - ALIKE)).argmax())
        relevant = yield document
        judged[document], worth[document] = True, -1.0
        learn(document, relevant)
