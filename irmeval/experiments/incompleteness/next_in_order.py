"""Next documents to judge in an order of judging, given the present judgments."""

from itertools import islice

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core.places import pick
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun
from irmeval.experiments.results import Frame, table
from irmeval.reductions.base import random_generator
from irmeval.reductions.pooling import ORDERS, split_topics, walk
from irmeval.scoring.unjudged_near_top import NearTop, documents_near_top


def next_in_order(
    collection: Collection, order: str, budget: int, seed: int, driver: str = ""
) -> Frame:
    """Next unjudged documents of an order, spread evenly over the topics as far as
    available.

    The order goes through all documents down to rank `NEAR`. It learns the grade of a
    judged document at once and skips it. An unjudged document goes on the list, and the
    order learns nothing from it until it is judged. Lists of one document per topic,
    each judged before the next is made, therefore follow the order itself.

    Parameters
    ----------
    order : one of `ORDERS`, with its default parameters
    budget : how many documents
    driver : name of the judge whose grades the order learns; by default the first.
        Raises `UnknownName`.

    Returns
    -------
    Columns topic, document, why, value (the runs that have it), runs.
    """
    near = documents_near_top(collection)
    numbers = np.empty(0)
    if ORDERS[order].random:
        numbers = random_generator(seed, 1).random(near.topic.size)
    topics = split_topics(
        collection, near.topic, near.judgment_index, near.run, near.rank, pool=NEAR, numbers=numbers
    )
    is_first = driver in ("", collection.judges[0])
    shown = near.grade if is_first else _grades_by(collection, near, driver)
    unjudged = near.grade < 0
    rows: list[tuple[int, int]] = []
    sizes = _deal([int(unjudged[topic.judgments].sum()) for topic in topics], budget)
    for topic, size in zip(topics, sizes, strict=True):
        if not size:
            continue
        asked = walk(ORDERS[order].follow(topic), shown[topic.judgments].tolist())
        ordered = (int(topic.judgments[document]) for document in asked)
        # no further than needed: an order takes as long as the documents that it is asked for
        rows += enumerate(islice(filter(unjudged.__getitem__, ordered), size), 1)
    # first what is first in its topic, so that a list that is cut short serves all topics
    rows.sort(key=lambda place_and_row: (place_and_row[0], near.topic[place_and_row[1]]))
    runs = np.bincount(near.judgment_index, minlength=near.topic.size)
    best = np.full(near.topic.size, NEAR)
    np.minimum.at(best, near.judgment_index, near.rank)
    at = [row for _, row in rows]
    columns = {
        "topic": [collection.topics[near.topic[row]] for row in at],
        "document": pick(near.document, at),
        "why": [
            f"no. {place} of its topic by {order}, in {count_noun(int(runs[row]), 'run')}, best at"
            f" rank {best[row]}"
            for place, row in rows
        ],
        "value": runs[at].astype(float),
        "runs": runs[at],
    }
    return table(columns)


def _deal(there: list[int], budget: int) -> list[int]:
    """Documents of each topic within a budget, spread evenly as far as available."""
    dealt = [0] * len(there)
    while budget and (open := [t for t, n in enumerate(there) if dealt[t] < n]):
        each = max(budget // len(open), 1)
        # if fewer documents are left than topics, only the first topics get one
        for t in open[:budget]:
            more = min(each, there[t] - dealt[t])
            dealt[t], budget = dealt[t] + more, budget - more
    return dealt


def _grades_by(collection: Collection, near: NearTop, name: str) -> np.ndarray:
    """Grades of a judge for each document, int [n]; -1 if not judged."""
    check_known(name, collection.judges, "unknown judge")
    assert collection.panel
    judges = collection.panel.judges
    keys = zip(
        pick(judges.topics, judges.topic.tolist()), judges.documents.to_pylist(), strict=True
    )
    said = dict(zip(keys, judges.scoring(judges.number(name)).tolist(), strict=True))
    named = zip(pick(collection.topics, near.topic.tolist()), near.document, strict=True)
    return np.array([said.get(key, -1) for key in named], np.int64)
