"""The server's log of work and refusals: a line each, without names or content of
anybody's files.
"""

import logging
import re

import pytest

from irmeval import Cancelled, ParamError
from irmeval.ui.widgets.jobs import join
from tests.dashboard import dataset_of, refused
from tests.working import over


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO, logger="irmeval")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (None, "done"),
        (Cancelled("Stopped."), "stopped"),
        (ParamError("run my-secret: expected another."), "refused"),
        (ValueError("in my-secret"), "failed (ValueError)"),
    ],
)
def test_job_when_over_then_one_line_says_which_when_how_long_and_how_it_went(
    lines, error, outcome
):
    def work(progress: object) -> list[object]:
        if error:
            raise error
        return []

    job = over(join("Curves", ("my-secret", 1), work))
    (line,) = lines()
    assert re.fullmatch(
        rf"job Curves, begun \d\d:\d\d:\d\d: {re.escape(outcome)} after \d+\.\d s", line
    )
    assert job.error is error


def test_files_when_dropped_then_one_line_says_how_many_and_how_many_were_refused(lines):
    desk = dataset_of(
        [
            ("my-secret-qrels", b"1 0 d 1\n"),
            ("my-secret-run", b"1 Q0 d 1 one secret\n"),
            ("my-secret.zip", b"PK\x03\x04"),
        ]
    )
    assert len(refused(desk)) == 2
    assert lines() == ["3 files dropped, 2 refused or replaced"]
