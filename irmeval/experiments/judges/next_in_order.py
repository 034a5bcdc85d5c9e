"""The next documents in an order of judging, from the judgments that are there."""

from itertools import islice

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core.registry import check_known
from irmeval.core.text import counted
from irmeval.experiments.results import Frame
from irmeval.experiments.table import table
from irmeval.reductions.base import random_generator
from irmeval.reductions.pooling import ORDERS, split_topics, walk
from irmeval.scoring.judge_next import NearTop, documents_near_top


def next_in_order(collection: Collection, order: str, budget: int, seed: int, driver: str = "") -> Frame:
    """The unjudged documents that an order asks for next, as many of each topic as of every other, as far as there are.

    The order goes through all documents down to rank `NEAR`, judged or not. What is judged it is shown at once and is passed over; what is
    not goes on the list, and teaches it nothing until it comes back. So lists of one document a topic, each judged before the next is
    made, are the order itself.

    Parameters
    ----------
    order : one of `ORDERS`, with its usual parameters
    budget : how many documents
    driver : name of the judge whose grades the order is shown; by default the first

    Raises `UnknownName` for a judge that is none. Columns: topic, document, why, value (the runs that have it), runs.
    """
    near = documents_near_top(collection)
    numbers = random_generator(seed, 1).random(near.topic.size) if ORDERS[order].random else np.empty(0)
    topics = split_topics(collection, near.topic, near.slot, near.run, near.rank, pool=NEAR, numbers=numbers)
    shown = near.grade if driver in ("", collection.judges[0]) else _grades_by(collection, near, driver)
    unjudged = near.grade < 0
    rows: list[tuple[int, int]] = []
    for topic, size in zip(topics, _dealt([int(unjudged[topic.judgments].sum()) for topic in topics], budget), strict=True):
        if size:
            asked = (int(topic.judgments[d]) for d in walk(ORDERS[order].follow(topic), shown[topic.judgments].tolist()))
            rows += enumerate(islice((row for row in asked if unjudged[row]), size), 1)
    rows.sort(key=lambda place_and_row: (place_and_row[0], near.topic[place_and_row[1]]))
    runs = np.bincount(near.slot, minlength=near.topic.size)
    best = np.full(near.topic.size, NEAR)
    np.minimum.at(best, near.slot, near.rank)
    at = [row for _, row in rows]
    columns = {
        "topic": [collection.topics[near.topic[row]] for row in at],
        "document": [near.document[row] for row in at],
        "why": [
            f"no. {place} of its topic by {order}, in {counted(int(runs[row]), 'run')}, best at rank {best[row]}" for place, row in rows
        ],
        "value": runs[at].astype(float),
        "runs": runs[at],
    }
    return table(columns)


def _dealt(there: list[int], budget: int) -> list[int]:
    """How many documents of each topic a budget is: as many of one as of another, as far as there are."""
    dealt = [0] * len(there)
    while budget and (open := [t for t, n in enumerate(there) if dealt[t] < n]):
        each = max(budget // len(open), 1)
        for t in open[:budget]:
            more = min(each, there[t] - dealt[t])
            dealt[t], budget = dealt[t] + more, budget - more
    return dealt


def _grades_by(collection: Collection, near: NearTop, name: str) -> np.ndarray:
    """What a judge says of each document, int [n]; -1 where nothing."""
    check_known(name, collection.judges, "unknown judge")
    assert collection.panel
    judges = collection.panel.judges
    keys = zip((judges.topics[t] for t in judges.topic.tolist()), judges.documents.to_pylist(), strict=True)
    said = dict(zip(keys, judges.scoring(judges.number(name)).tolist(), strict=True))
    named = zip((collection.topics[t] for t in near.topic.tolist()), near.document, strict=True)
    return np.array([said.get(key, -1) for key in named], np.int64)
