"""A metric is added in one file."""

import importlib
import sys

import pytest

import irmeval
from irmeval.errors import UnknownName
from irmeval.metrics import METRICS
from tests.cases import EXAMPLE_LIST, one

SOURCE = '''
"""Success."""

from irmeval.metrics.base import Cutoff, metric


@metric("Success", formula="count(k)>0", source="trec_eval 9.0.8, success_k", example="Success@5", aliases=("success_",))
def success(hits, k: Cutoff):
    """Whether the top k documents hold a relevant one. It is 0 or 1."""
    return hits.sum(where=hits.count == 1)
'''


@pytest.fixture
def success(tmp_path, monkeypatch):
    """The metric, imported from a file of its own, and taken away again."""
    (tmp_path / "success_at.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("success_at")
    yield METRICS["Success"]
    METRICS._items.pop("Success")
    sys.modules.pop("success_at")


def test_metric_when_added_in_one_file_then_is_parsed_and_evaluated(success):
    assert (success.family, list(success.params), success.primed) == ("success at", ["k", "rel"], True)
    assert str(irmeval.measure("success_3")) == "Success@3"
    assert [one(m, EXAMPLE_LIST) for m in ("Success@1", "Success@2", "Success(rel=2)@1'", "Success@5'")] == [0, 1, 0, 1]


def test_metric_when_taken_away_then_is_unknown_again():
    assert "Success" not in METRICS
    with pytest.raises(UnknownName, match="unknown metric 'Success'"):
        irmeval.measure("Success@1")


def test_name_when_taken_then_is_not_given_twice():
    with pytest.raises(ValueError, match="registered twice"):
        METRICS.add("AP", METRICS["AP"])
