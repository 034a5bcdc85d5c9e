"""What is refused of runs on workers before any of these is asked."""

import re
from types import SimpleNamespace

import pytest

from irmeval.collection import shards
from irmeval.core import parallel
from irmeval.core.errors import ReadError
from irmeval.reading.formats import AUTO
from irmeval.reading.policy import Policy


@pytest.fixture
def no_workers(monkeypatch):
    """Workers with nothing to do."""
    idle = SimpleNamespace(threads=1, run=lambda calls, tell: [])
    monkeypatch.setattr(parallel, "cluster", lambda address: idle)


def test_shards_when_there_is_no_run_then_are_refused(tmp_path, no_workers):
    (tmp_path / "q").write_text("1 0 a 1\n")
    with pytest.raises(ReadError, match="^runs: expected at least one run, found none"):
        shards.read_shards(tmp_path / "q", [], "local:1")


def test_qrels_when_a_worker_reads_others_then_are_refused_by_its_address(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "worker_address", lambda: "tcp://there:1")
    (tmp_path / "q").write_text("1 0 a 1\n")
    said = (
        "q: expected the same judgments here and on every worker, found different ones on the"
        " worker tcp://there:1. Make all of them read the same file."
    )
    with pytest.raises(ReadError, match=re.escape(said)):
        shards._read_index(str(tmp_path / "q"), "0" * 64, Policy(), AUTO)
