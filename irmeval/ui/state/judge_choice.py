"""By whose judgments the pages of a visitor evaluate: those of the collection, or of a judge who stands beside them."""

import streamlit as st

from irmeval.collection import Collection
from irmeval.ui.state import cached, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.workspace.stored import JUDGED_BY


def judge_names(dataset: Dataset) -> tuple[str, ...]:
    """Names of the judges, the collection's own first."""
    return dataset.own, *dataset.judges


def chosen_judge(dataset: Dataset) -> str:
    """The judge whose judgments evaluate."""
    name = st.session_state.get(JUDGED_BY, dataset.own)
    return name if name in judge_names(dataset) else dataset.own


def with_others(dataset: Dataset, collection: Collection) -> Collection:
    """A collection that was read, with its further judges."""
    if not (others := {**dataset.judges}):
        return collection
    read = tuple((name, judge.qrels.sha256, judge.map, judge.relevant) for name, judge in others.items())
    joined = cached.with_judges(collection.fingerprint, dataset.own, read, collection, others)
    if dataset.used:  # it is this visitor's own, as is what is made of it
        visitors.current().used |= {collection.fingerprint, joined.fingerprint}
    return joined


def by_chosen_judge(dataset: Dataset, collection: Collection) -> Collection:
    """A collection that was read, with its further judges, by the judgments of the chosen one."""
    joined, name = with_others(dataset, collection), chosen_judge(dataset)
    return joined if name == dataset.own else cached.judged_by(joined.fingerprint, name, joined)
