"""Findings on real collections: each has an answer, or a reason that is so."""

from pathlib import Path

import pytest

from irmeval import read_collection
from irmeval.papers import PAPERS
from irmeval.papers.exhibits import Overrides, answer_findings, make
from irmeval.papers.findings import DIRECTION, UNDECIDED
from tests.cases import SAMPLE, read_once

DATA = Path(__file__).parents[3] / "shared" / "data"
REAL = {name: DATA / name for name in ("robust03", "trec-covid-rnd1")}
QUICK = ("ahlgren-gronqvist-2008", "sakai-2007-bpref", "sakai-kando-2008")
"""Papers whose findings take a second or two."""


def read(name):
    if name == "sample":
        return read_once(*SAMPLE)
    if not REAL[name].is_dir():
        pytest.skip(f"the judgments and runs of {name} are not in {DATA}")
    return read_collection(str(REAL[name] / "qrels.txt"), str(REAL[name] / "runs"))


def answered(paper, collection, **how):
    wanted = {finding.exhibit for finding in paper.findings.values()}
    found = {}
    for made in make(paper, collection, Overrides(**how), labels=wanted):
        found |= answer_findings(paper, made)
    return found


@pytest.mark.parametrize("paper", QUICK)
@pytest.mark.parametrize("name", ["sample", *REAL])
def test_finding_when_it_is_open_then_its_reason_is_named_and_others_have_none(name, paper):
    collection = read(name)
    for claim, here in answered(PAPERS[paper], collection).items():
        assert bool(here.why) == (here.verdict in (DIRECTION, UNDECIDED)), claim
        assert "not defined here" not in here.why, claim
        if "includes 0" in here.why:
            assert here.low <= 0 < here.high, claim
    for claim, here in answered(PAPERS[paper], collection, as_published=True).items():
        # one sample leaves nothing undecided that can be computed
        assert (here.verdict == UNDECIDED) == (here.margin != here.margin), claim


@pytest.mark.parametrize("name", [*REAL])
def test_means_over_rates_when_few_judgments_are_removed_first_then_have_an_answer(name):
    found = answered(PAPERS["ahlgren-gronqvist-2008"], read(name))
    assert not [claim for claim, here in found.items() if here.here.startswith("no value")]
