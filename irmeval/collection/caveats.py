"""Caveats of scores: simulated judgments, topics for which runs retrieved nothing, and
lines left out.
"""

from itertools import compress

import numpy as np

from irmeval.collection.base import Collection
from irmeval.core.text import count_noun, list_all, list_few, verb

NAMED = 3
"""Maximum number of runs in a sentence."""


def describe_caveats(collection: Collection) -> str:
    """Sentences on a simulated judge, on missing topics, and on lines left out; empty
    if there are none.
    """
    simulated = ""
    if collection.panel:
        simulated = collection.panel.judges.describe_simulated(collection.judges[:1])
    of_lists = (
        _describe_missing_topics(collection),
        _describe_excluded(collection),
        _describe_repeated(collection),
    )
    return " ".join(filter(None, [simulated, *of_lists]))


def _describe_missing_topics(collection: Collection) -> str:
    """A sentence on the runs that lack topics, and the effect on their means:
    ``miss.run lacks 3 of 6 topics, scored 0 there.`` Topics without a score are
    ignored. Empty if no run lacks one.
    """
    relevant = (
        np.bincount(collection.topic[collection.grade > 0], minlength=len(collection.topics)) > 0
    )
    scored = relevant | (collection.policy.empty == "zero")
    lacking = collection.missing[:, scored].sum(axis=1)
    order = [r for r in np.argsort(-lacking, kind="stable").tolist() if lacking[r]]
    if not order:
        return ""
    of = count_noun(int(scored.sum()), "topic")
    named = [f"{collection.runs[r]} lacks {lacking[r]:,} of {of}" for r in order[:NAMED]]
    more = len(order) - NAMED
    if more > 0:
        named.append(
            f"{count_noun(more, 'other run')} {verb(more, 'lacks', 'lack')} as many or fewer"
        )
    effect = "which are left out of the means"
    if collection.policy.average == "judged":
        effect = "scored 0 there"
    return f"{list_all(named)}, {effect}."


def _describe_excluded(collection: Collection) -> str:
    """A sentence on documents excluded by the policy: ``12,310 own documents left
    out.``, or on a list without a match; empty if it excludes none.
    """
    # own and listed lines, of the qrels first, then of each run
    (_, judgments), *of_runs = collection.excluded or ((0, 0),)
    own, listed = np.sum([(0, 0), *of_runs], axis=0).tolist()
    parts = {"own document": own, "excluded document": listed, "excluded judgment": judgments}
    left_out = [count_noun(n, noun) for noun, n in parts.items() if n]
    pairs = collection.policy.exclude
    said = ""
    if left_out:
        said = f"{list_all(left_out)} left out."
    if pairs and not listed + judgments:
        number = pairs.count("\n") + 1
        said += f" The list of {count_noun(number, 'excluded pair')} matches no line."
    return said.lstrip()


def _describe_repeated(collection: Collection) -> str:
    """Sentences on lines left out as duplicates. Empty if there are none."""
    said = []
    held = [*compress(collection.runs, collection.repeated)]
    if held:
        lines, kept = count_noun(sum(collection.repeated), "line"), collection.policy.repeated
        of = f"{count_noun(len(held), 'run')} of {len(collection.runs)}"
        said.append(
            f"{of} with duplicate documents: the {kept} is kept, {lines} left out:"
            f" {list_few(held)}."
        )
    if collection.rejudged:
        said.append(
            f"{count_noun(collection.rejudged, 'judgment')} duplicated with the same grade: the"
            " first is kept."
        )
    return " ".join(said)


def describe_unmatched(collection: Collection) -> str:
    """A sentence on runs that retrieved documents, but none of the qrels, as if document
    ids were written in two ways; empty if there is none.
    """
    pooled = np.diff(collection.start[:: len(collection.topics)])
    is_empty = collection.missing.all(axis=1)
    unmatched = [*compress(collection.runs, (pooled == 0) & ~is_empty)]
    if not unmatched:
        return ""
    runs = count_noun(len(unmatched), "run")
    return (
        f"{runs} without any document of the qrels: {list_few(unmatched)}. Check that their"
        " document ids are those of the qrels."
    )


def remarks_on_sample(collection: Collection) -> list[str]:
    """Sentences about a sample: its size, and strata without drawn documents. Empty if
    the judgments are not a sample.
    """
    if not (design := collection.design):
        return []
    topic, none = design.topic_of(collection.topic), design.undrawn(collection.grade)
    names = [f"{design.names[s]} of topic {collection.topics[topic[s]]}" for s in none]
    strata = verb(none.size, "stratum", "strata")
    empty = (
        f"{none.size:,} {strata} without a drawn document, assumed to contain nothing relevant:"
        f" {list_few(names)}."
    )
    if names:
        return [describe_sample(collection), empty]
    return [describe_sample(collection)]


def describe_sample(collection: Collection) -> str:
    """A sentence on the size of a sample; empty if judgments are not one."""
    design, drawn = collection.design, int((collection.grade >= 0).sum())
    if design is None:
        return ""
    if design.stated is not None:
        low, high = (
            f"{p:.3g}" for p in (design.stated.min(initial=1), design.stated.max(initial=0))
        )
        return (
            f"Judgments are a sample: {count_noun(drawn, 'document')} drawn, with inclusion"
            f" probabilities from {low} to {high}."
        )
    return (
        f"Judgments are a sample: {drawn:,} of"
        f" {count_noun(collection.grade.size, 'pooled document')} drawn."
    )
