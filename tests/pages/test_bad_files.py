"""Files with one fault each (`tests/bad_files`): the exact message, and a session that
goes on, in bounded memory.

The tests of the dashboard; the others are in `tests/unit/reading/test_bad_files.py`.
"""

import pytest

from irmeval.reading.policy import Policy
from tests.dashboard import dataset_of, refused
from tests.unit.reading.test_bad_files import FOLDER, MESSAGES, QRELS

RUN = b"1 Q0 d1 1 3.5 tag\n1 Q0 d2 2 2.5 tag\n2 Q0 d1 1 1.5 tag\n"


@pytest.mark.parametrize("name", MESSAGES)
def test_session_when_a_bad_file_is_dropped_then_it_says_why_and_goes_on(name):
    desk = dataset_of([("q", QRELS), (name, (FOLDER / name).read_bytes()), ("good", RUN)])
    assert refused(desk)
    assert all(one.startswith(name.partition("/")[0]) for one in refused(desk))
    assert "tag" in desk.collection(Policy()).runs or "good" in desk.collection(Policy()).runs
