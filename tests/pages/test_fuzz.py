"""Whatever bytes come: the readers and the check answer or refuse in one line, never
with a traceback.

How many inputs is up to the environment: ``IRMEVAL_FUZZ=100000 pytest
tests/unit/reading/test_fuzz.py``.

The tests of the dashboard; the others are in `tests/unit/reading/test_fuzz.py`.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from irmeval.reading.policy import Policy
from tests.dashboard import dataset_of, refused
from tests.unit.reading.test_fuzz import INPUTS, TEXTS


@settings(max_examples=INPUTS)
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_session_when_anything_is_dropped_then_it_goes_on(texts):
    desk = dataset_of([(f"f{i}", text) for i, text in enumerate(texts)])
    assert all("\n" not in one for one in refused(desk))
    desk.waiting()
    desk.collection(Policy())
