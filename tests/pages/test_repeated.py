"""Files with repeated documents: refused by kind, or read by the first of each where
the policy says so; never where grades contradict.

The tests of the dashboard; the others are in `tests/unit/reading/test_repeated.py`.
"""

import pytest

from irmeval import ReadError, read_collection
from irmeval.reading import parsing
from irmeval.reading.policy import DEFAULT, Policy
from tests.dashboard import dataset_of
from tests.unit.reading.test_repeated import FIRST, ONCE, QRELS, TWICE, put, put_mixed


@pytest.mark.parametrize("repeated", ["refuse", "first"])
@pytest.mark.parametrize(
    "text",
    [
        QRELS + b"1 0 a 2\n",
        QRELS + b"2 0 a 2\n1 0 a 2\n",
        QRELS + b"1 0 a 1\n1 0 a 2\n",
        QRELS + b"1 0 b -1\n",
    ],
)
def test_qrels_when_judgments_contradict_each_other_then_always_refused(repeated, text, tmp_path):
    with pytest.raises(
        ReadError,
        match=(
            "expected one grade for each judged document, found '[ab]' of topic '1' again, with"
            " grade"
        ),
    ):
        parsing.settled_qrels("q", text, repeated)
    with pytest.raises(ReadError, match="one grade for each"):
        read_collection(*put(tmp_path, qrels=text, r=ONCE), repeated=repeated)
    desk = dataset_of([("q", text), ("r", ONCE)])
    assert desk.judged(FIRST) is None
    assert "one grade for each" in str(desk.refusal(Policy(repeated=repeated)))


# ---------------------------------------------------------------- a visitor's uploads


def test_desk_when_the_policy_changes_then_held_files_come_and_go_without_being_dropped_again(
    tmp_path,
):
    mixed = put_mixed(tmp_path)
    desk = dataset_of(
        [(path.name, path.read_bytes()) for path in (mixed[0], *sorted(mixed[1].iterdir()))]
    )
    assert desk.collection(DEFAULT).runs == ("sound",)
    assert [(kind.files, kind.lines) for kind in desk.refusal(DEFAULT).kinds] == [(2, 6), (1, 1)]
    assert str(desk.refusal(FIRST)).startswith("words, line 3:")
    (mixed[1] / "words").unlink()
    assert (
        desk.collection(FIRST).fingerprint == read_collection(*mixed, repeated="first").fingerprint
    )
    assert desk.collection(DEFAULT).runs == ("sound",)


def test_desk_when_the_qrels_repeat_a_judgment_then_they_are_held_too(tmp_path):
    desk = dataset_of([("q", QRELS + b"1 0 a 1\n"), ("r", ONCE)])
    assert desk.collection(DEFAULT) is None
    assert "each judgment once" in str(desk.refusal(DEFAULT))
    assert desk.waiting() == ""
    assert desk.collection(FIRST).rejudged == 1
    assert desk.refusal(FIRST) is None


def test_desk_when_a_file_with_duplicates_is_named_as_a_sound_one_then_policy_says_which_stays():
    again = [("q", QRELS + b"1 0 a 1\n"), ("r", TWICE)]
    desk = dataset_of([("q", QRELS), ("r", ONCE), ("s", ONCE)])
    desk.add(again)
    assert desk.collection(DEFAULT).repeated == desk.collection(FIRST).repeated == (0, 0)
    assert [kind.first.remedy.partition(".")[0] for kind in desk.refusal(FIRST).kinds] == [
        "The earlier file stays"
    ] * 2
    desk.policy = FIRST
    desk.add(again)
    assert (desk.collection(FIRST).repeated, desk.refusal(FIRST)) == ((3, 0), None)
    desk.add([("q", QRELS), ("r", ONCE)])
    assert desk.refusal(DEFAULT) is None
    assert desk.collection(FIRST).repeated == (0, 0)
