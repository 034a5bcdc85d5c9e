"""The lists of two runs for one topic, side by side."""

from irmeval.experiments.runs.two_lists import UNJUDGED, lists_of_topic
from tests.cases import collection

GRADES = {"1": {"a": 2, "b": 0, "c": 1, "p": -1}, "2": {"a": 1}}
LISTS = {
    "x": {"1": ["u", "a", "p", "b"], "2": ["a"]},
    "y": {"1": ["a", "c"], "2": ["v", "w", "a"]},
}


def test_two_lists_when_drawn_side_by_side_then_have_all_documents_with_grades_and_ranks():
    frame = lists_of_topic(collection(GRADES, LISTS), "x", "y", "1", 20)
    assert frame.to_numpy().tolist() == [
        [1, "u", UNJUDGED, "", "a", "2", "2"],
        [2, "a", "2", "1", "c", "1", ""],
        [3, "p", UNJUDGED, "", "", "", ""],
        [4, "b", "0", "", "", "", ""],
    ]
    names = ["rank", "x", "grade in x", "rank in y", "y", "grade in y", "rank in x"]
    assert [*frame] == names


def test_two_lists_when_cut_at_a_depth_then_lower_ranks_are_in_neither():
    frame = lists_of_topic(collection(GRADES, LISTS), "x", "y", "2", 2)
    assert frame.to_numpy().tolist() == [
        [1, "a", "1", "", "v", UNJUDGED, ""],
        [2, "", "", "", "w", UNJUDGED, ""],
    ]
