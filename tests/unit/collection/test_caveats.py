"""Topics for which runs retrieved nothing."""

import pytest

from irmeval.collection.caveats import describe_caveats, describe_unmatched
from irmeval.scoring.selection import Selection, select
from tests.cases import collection

JUDGED = {**{t: {"a": 1, "b": 0} for t in "123456"}, "7": {"b": 0}}
"""Six topics with a relevant document, and one that has no score."""

WITHOUT_ANY = "without any document of the qrels"
CHECK = "Check that their document ids are those of the qrels."


def found(**topics: str):
    """Runs that retrieved something for these topics."""
    return {run: {t: ["a"] for t in some} for run, some in topics.items()}


@pytest.mark.parametrize(
    ("runs", "policy", "said"),
    [
        (found(full="123456"), {}, ""),
        (found(full="1234567", miss="123"), {}, "miss lacks 3 of 6 topics, scored 0 there."),
        (
            found(full="1234567", miss="123"),
            {"empty": "zero"},
            "miss lacks 4 of 7 topics, scored 0 there.",
        ),
        (
            found(full="123456", miss="123"),
            {"average": "retrieved"},
            "miss lacks 3 of 6 topics, which are left out of the means.",
        ),
        (
            found(a="12345", b="123"),
            {},
            "b lacks 3 of 6 topics and a lacks 1 of 6 topics, scored 0 there.",
        ),
        (
            found(a="1", b="12", c="123", d="1234"),
            {},
            (
                "a lacks 5 of 6 topics, b lacks 4 of 6 topics, c lacks 3 of 6 topics and 1 other"
                " run lacks as many or fewer, scored 0 there."
            ),
        ),
    ],
)
def test_missing_topics_when_runs_lack_some_then_the_sentence_counts_those_with_a_score(
    runs, policy, said
):
    assert describe_caveats(collection(JUDGED, runs, **policy)) == said


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({"x": {"1": ["c", "a"]}}, ""),
        ({"x": {"1": ["c"]}, "y": {"7": ["b"]}}, f"1 run {WITHOUT_ANY}: x. {CHECK}"),
        ({"x": {"1": ["c"]}, "y": {"1": ["A"]}}, f"2 runs {WITHOUT_ANY}: x, y. {CHECK}"),
    ],
)
def test_runs_when_no_document_of_theirs_is_in_the_qrels_then_are_listed(runs, said):
    assert describe_unmatched(collection(JUDGED, runs)) == said


def test_run_when_it_lacks_all_topics_that_are_chosen_then_its_document_ids_are_not_at_fault():
    both = collection(JUDGED, found(x="1", y="12"))
    chosen = select(both, Selection(topics_only="2")).collection
    assert describe_unmatched(chosen) == ""
    assert describe_caveats(chosen) == "x lacks 1 of 1 topic, scored 0 there."
