"""Teams of a real collection left out of the pool."""

import numpy as np

from irmeval import reduce
from irmeval.experiments.incompleteness.leave_one_out import leave_one_out
from tests.cases import read_once


def test_leave_one_out_when_run_on_robust03_then_uniqueness_adds_up(robust03):
    collection = read_once(robust03 / "qrels.txt", robust03 / "runs")
    found = leave_one_out(collection, ["AP"])
    assert len(found.teams) == 17
    grades = reduce(collection, "shallow", pool=100)[0]
    # every judgment of the pool is either one team's own or several teams'
    assert found.unique.sum() <= np.count_nonzero(grades >= 0) <= found.judged.sum()
    assert 0 < found.lost.max() < 0.1
