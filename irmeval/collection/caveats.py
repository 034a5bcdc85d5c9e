"""What a reader of scores must know: judgments that are simulated, and topics for which runs retrieved nothing."""

import numpy as np

from irmeval.collection.base import Collection
from irmeval.core.text import count_noun, list_all, verb

NAMED = 3
"""The most runs that the sentence names."""


def describe_caveats(collection: Collection) -> str:
    """Sentences on a simulated judge who evaluates, and on missing topics; empty without either."""
    simulated = collection.panel.judges.describe_simulated(collection.judges[:1]) if collection.panel else ""
    return " ".join(filter(None, [simulated, _describe_missing_topics(collection)]))


def _describe_missing_topics(collection: Collection) -> str:
    """A sentence on the runs that lack topics, and what that does to their means: ``miss.run lacks 3 of 6 topics, scored 0 there.`` Topics
    that have no score count for nothing. Empty if no run lacks one."""
    relevant = np.bincount(collection.topic[collection.grade > 0], minlength=len(collection.topics)) > 0
    scored = relevant | (collection.policy.empty == "zero")
    lacking = collection.missing[:, scored].sum(axis=1)
    order = [r for r in np.argsort(-lacking, kind="stable").tolist() if lacking[r]]
    if not order:
        return ""
    of = count_noun(int(scored.sum()), "topic")
    named = [f"{collection.runs[r]} lacks {lacking[r]:,} of {of}" for r in order[:NAMED]]
    if (more := len(order) - NAMED) > 0:
        named.append(f"{count_noun(more, 'other run')} {verb(more, 'lacks', 'lack')} as many or fewer")
    effect = "scored 0 there" if collection.policy.average == "judged" else "which are left out of the means"
    return f"{list_all(named)}, {effect}."
