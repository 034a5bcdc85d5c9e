"""By whose judgments the pages of a visitor evaluate: those of the collection, or of a judge who stands beside them."""

import streamlit as st

from irmeval.collection import Collection
from irmeval.ui.state import cached, visitors
from irmeval.ui.state.dataset import Desk
from irmeval.ui.state.record import JUDGED_BY


def names(desk: Desk) -> tuple[str, ...]:
    """Names of the judges, the collection's own first."""
    return desk.own, *desk.judges


def chosen(desk: Desk) -> str:
    """The judge whose judgments evaluate."""
    name = st.session_state.get(JUDGED_BY, desk.own)
    return name if name in names(desk) else desk.own


def with_others(desk: Desk, collection: Collection) -> Collection:
    """A collection that was read, with its further judges."""
    if not (others := {**desk.judges}):
        return collection
    read = tuple((name, judge.qrels.sha256, judge.map, judge.relevant) for name, judge in others.items())
    joined = cached.with_judges(collection.fingerprint, desk.own, read, collection, others)
    if desk.used:  # it is this visitor's own, as is what is made of it
        visitors.current().used |= {collection.fingerprint, joined.fingerprint}
    return joined


def seen(desk: Desk, collection: Collection) -> Collection:
    """A collection that was read, with its further judges, by the judgments of the chosen one."""
    joined, name = with_others(desk, collection), chosen(desk)
    return joined if name == desk.own else cached.judged_by(joined.fingerprint, name, joined)
