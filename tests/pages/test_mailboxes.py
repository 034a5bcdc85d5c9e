"""What a tab keeps from one drawing to the next, and what a page is drawn from."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

import irmeval
from irmeval.core.errors import ParamError
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import parse_matrix
from irmeval.scoring.selection import Selection, select
from irmeval.ui.state import mailboxes
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import Value
from irmeval.ui.state.view import Loaded, View
from irmeval.ui.state.visitor import Visitor
from tests.cases import collection


@dataclass
class Kept:
    text: str = ""
    names: list[str] = field(default_factory=list)


@pytest.fixture
def session(monkeypatch) -> dict[str, object]:
    """What a tab has in its session."""
    monkeypatch.setattr(mailboxes, "st", SimpleNamespace(session_state=(state := {})))
    return state


def test_mailbox_when_nothing_was_put_then_finding_makes_none_and_getting_makes_one_that_stays(
    session,
):
    box = Value("box", Kept)
    assert (box.find(), session) == (None, {})
    made = box.get()
    assert made == Kept()
    assert box.get() is box.find() is session["box"] is made
    box.set(other := Kept("b"))
    assert box.get() is other
    Value("other", Kept).set(Kept("c"))
    assert box.get() is other


def test_mailbox_when_a_field_is_taken_then_it_is_given_once_and_others_stay(session):
    box = Value("box", Kept)
    box.change(text="said", names=["a"])
    assert box.get() == Kept("said", ["a"])
    assert (box.take("text"), box.take("text")) == ("said", "")
    assert box.take("names") == ["a"]
    box.get().names.append("b")
    assert Value("another", Kept).get() == Kept()


def view(**parts: object) -> View:
    """A view of a small collection, with other parts where they are given."""
    small = Loaded(collection({"1": {"a": 1}}, {"r": {"1": ["a"]}}), "small", synthetic=True)
    usual = {"policy": Policy(), "selection": Selection(), "measures": ()}
    asked = {"page": "pools", "question": "?", "visitor": Visitor(), "dataset": Dataset()}
    data = {"matrix": None, "everything": small, "chosen": select(small.collection, Selection())}
    return View(**asked | usual | data | parts)


def test_view_when_data_are_there_or_not_then_it_tells_the_sample_runs_and_rules():
    whole, nothing = view(), view(chosen=None)
    alone = Loaded(irmeval.Collection.from_dicts({"1": {"a": 1}}, {}), "judgments")
    judged = view(everything=alone, chosen=select(alone.collection, Selection()))
    assert [v.has_runs for v in (whole, judged, nothing)] == [True, False, False]
    assert [v.on_sample for v in (whole, judged, nothing)] == [True, False, False]
    assert judged.selected() == alone
    assert judged.all_loaded() is judged.everything
    assert whole.rules == Selection()


def test_view_when_the_rules_are_invalid_then_a_page_that_asks_for_them_gets_the_reason():
    with pytest.raises(ParamError, match="no such run"):
        _ = view(selection=ParamError("no such run")).rules


def test_view_when_a_matrix_is_shown_then_scores_are_its_and_else_those_of_the_selected_runs():
    matrix = parse_matrix("m.csv", b"a,b\n1,2\n3,4\n")
    shown = view(matrix=matrix).scores()
    assert (shown.collection, shown.name, shown.synthetic) == (matrix, "Your upload: m", False)
    assert view().scores().name == "small"
