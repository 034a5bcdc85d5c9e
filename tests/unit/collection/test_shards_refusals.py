"""What is refused of runs on workers before any of these is asked."""

from types import SimpleNamespace

import pytest

from irmeval.collection import shards
from irmeval.core import parallel
from irmeval.core.errors import ReadError


@pytest.fixture
def no_workers(monkeypatch):
    """Workers with nothing to do."""
    idle = SimpleNamespace(threads=1, run=lambda calls, tell: [])
    monkeypatch.setattr(parallel, "cluster", lambda address: idle)


def test_shards_when_there_is_no_run_then_are_refused(tmp_path, no_workers):
    (tmp_path / "q").write_text("1 0 a 1\n")
    with pytest.raises(ReadError, match="^runs: expected at least one run, found none"):
        shards.read_shards(tmp_path / "q", [], "local:1")
