"""Remarks on a collection whose judgments are a sample."""

from irmeval.collection.base import Collection
from irmeval.core.text import count_noun, list_few


def remarks_on_sample(collection: Collection) -> list[str]:
    """Sentences about a sample: its size, and which strata have no drawn document. Empty if the judgments are no sample."""
    if not (design := collection.design):
        return []
    topic, none = design.topic_of(collection.topic), design.undrawn(collection.grade)
    names = [f"{design.names[s]} of topic {collection.topics[topic[s]]}" for s in none]
    strata = "stratum" if none.size == 1 else "strata"
    empty = f"{none.size:,} {strata} without a drawn document, taken to hold nothing relevant: {list_few(names)}."
    return [describe_sample(collection), empty] if names else [describe_sample(collection)]


def describe_sample(collection: Collection) -> str:
    """A sentence that judgments are a sample of a certain size; empty if they are not."""
    design, drawn = collection.design, int((collection.grade >= 0).sum())
    if design is None:
        return ""
    if design.stated is not None:
        low, high = (f"{p:.3g}" for p in (design.stated.min(initial=1), design.stated.max(initial=0)))
        return f"Judgments are a sample: {count_noun(drawn, 'document')} drawn, with inclusion probabilities from {low} to {high}."
    return f"Judgments are a sample: {drawn:,} of {count_noun(collection.grade.size, 'pooled document')} drawn."
