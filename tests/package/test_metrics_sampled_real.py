"""Estimates from samples of real judgments beside those that NIST's program prints."""

import csv
import gzip

import numpy as np
import pytest

import irmeval
from tests.conftest import real

PRINTED = 0.5e-10 + 1e-12
"""As far as a score may be from what is printed of it, with ten decimals."""
NIST = {
    "xinfAP": "infAP",
    "infNDCG": "infNDCG",
    "infP@10": "iP10",
    "infNumRelRet": "inum_rel_ret",
    "statR": "inum_rel",
}


@pytest.fixture(scope="module", params=["robust03", "trec-covid-rnd1"])
def sampled(request):
    """The sampled collection, and what sample_eval.pl prints: (run, measure, topic) ->
    value.
    """
    folder = real("sampled") / request.param
    with gzip.open(folder / "expected.tsv.gz", "rt") as lines:
        expected = {
            (row["run"], row["measure"], row["topic"]): float(row["value"])
            for row in csv.DictReader(lines, delimiter="\t")
        }
    # the program compares scores in double precision
    return (
        irmeval.read_collection(
            folder / "qrels-sampled.txt.gz", real(request.param) / "runs", order="double"
        ),
        expected,
    )


def test_estimates_when_nist_prints_them_then_are_the_same_for_every_run_and_topic(sampled):
    built, expected = sampled
    scores = irmeval.evaluate(built, list(NIST))
    theirs = [
        [[expected[run, name, topic] for topic in scores.topics] for run in scores.runs]
        for name in NIST.values()
    ]
    np.testing.assert_allclose(scores.values, theirs, rtol=0, atol=PRINTED)
    means = [[expected[run, name, "all"] for run in scores.runs] for name in NIST.values()]
    np.testing.assert_allclose(scores.means, means, rtol=0, atol=PRINTED)
