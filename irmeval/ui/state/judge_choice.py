"""Whose judgments the pages evaluate with: those of the collection, or of a further judge."""

import streamlit as st

from irmeval.collection import Collection
from irmeval.ui.state import cached, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.workspace.stored import JUDGED_BY


def judge_names(dataset: Dataset) -> tuple[str, ...]:
    """Names of the judges, the collection's own first."""
    return dataset.own, *dataset.judges


def chosen_judge(dataset: Dataset) -> str:
    """The judge whose judgments are used for evaluation."""
    name = st.session_state.get(JUDGED_BY, dataset.own)
    return name if name in judge_names(dataset) else dataset.own


def with_others(dataset: Dataset, collection: Collection) -> Collection:
    """A collection with the further judges of its dataset."""
    if not (others := {**dataset.judges}):
        return collection
    joined = cached.with_judges(collection, dataset.own, others)
    if dataset.used:  # the visitor's own data, and so all results on them
        visitors.current().used |= {collection.fingerprint, joined.fingerprint}
    return joined


def by_chosen_judge(dataset: Dataset, collection: Collection) -> Collection:
    """A collection with the further judges of its dataset, by the judgments of the chosen one."""
    joined, name = with_others(dataset, collection), chosen_judge(dataset)
    return joined if name == dataset.own else cached.judged_by(joined, name)
