"""Changes of a visitor's rows on two servers at once, one row after the other."""

import pytest

from irmeval.ui.state.merging import merge

FILE, NAME = ("file", "d", "run"), ("dataset", "d")
BEFORE = {NAME: ("Mine",), FILE: ("old",)}
REPLACED = {NAME: ("Mine",), FILE: ("new",)}


@pytest.mark.parametrize(
    "there",
    [BEFORE, REPLACED, {NAME: ("Mine",)}, {}],
    ids=["as before", "replaced by the same", "removed", "removed with its collection"],
)
def test_file_when_replaced_here_and_not_by_another_there_then_it_is_written_in_its_place(there):
    change, apart = merge(BEFORE, REPLACED, there)
    assert change.changed[FILE] == ("new",)
    assert (change.removed, apart) == ([], [])
    assert {key[1] for key in change.changed} == {"d"}


def test_file_when_replaced_by_another_there_then_mine_is_in_a_collection_of_its_own():
    change, apart = merge(BEFORE, REPLACED, {NAME: ("Mine",), FILE: ("theirs",)})
    assert apart == ["Mine"]
    assert change.removed == []
    assert FILE not in change.changed
    assert sorted(change.changed.values()) == [("Mine (2)",), ("new",)]


def test_row_that_is_no_content_when_replaced_on_both_then_the_last_one_is_written():
    setting = ("setting", "d", "name")
    before, mine, theirs = ({NAME: ("Mine",), setting: (value,)} for value in "abc")
    change, apart = merge(before, mine, theirs)
    assert change.changed == {setting: ("b",)}
    assert apart == []
