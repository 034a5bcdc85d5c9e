"""Small files that would be large: what is unpacked and copied is bounded, and the
refusal says what to do.

The tests of the dashboard; the others are in `tests/unit/reading/test_bombs.py`.
"""

from irmeval.reading import files
from irmeval.ui.state import quotas
from tests.dashboard import dataset_of, refused
from tests.unit.reading.test_trec_reading import PLAIN_QRELS, PLAIN_RUN


def test_desk_when_there_are_more_files_than_it_takes_then_said_and_what_was_loaded_is_kept(
    monkeypatch,
):
    monkeypatch.setenv(quotas.RUNS, "3")
    one = dataset_of([("q", PLAIN_QRELS), *((f"r{i}", PLAIN_RUN) for i in range(3))])
    assert refused(one) == []
    unpacked = one.unpacked
    one.add([(f"s{i}", PLAIN_RUN) for i in range(4)])
    assert refused(one) == [
        f"4 files: expected at most 3 runs for you on this server ({quotas.RUNS}). Leave some out."
        " The 3 runs loaded before are kept."
    ]
    assert list(one.runs) == ["r0", "r1", "r2"]
    assert one.unpacked == unpacked
    one.add([(f"r{i}", PLAIN_RUN) for i in range(3)])  # the same names again take no more room
    assert refused(one) == []


def test_desk_when_two_thousand_runs_and_their_qrels_are_dropped_at_once_then_all_are_taken():
    assert quotas.limit(quotas.RUNS) + 1 == files.MAX_MEMBERS == 2001
