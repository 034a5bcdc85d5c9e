"""No sentence on an odd collection says more than happened: ties, holes, few runs, few
topics, nothing relevant.
"""

import re
from functools import cache

import numpy as np
import pytest

from irmeval.check.every_run import check_files
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import measure
from irmeval.reading.policy import Policy
from tests.cases import collection
from tests.counted import FAULTS, FEW, measures_of
from tests.small_work import params_of, sentences_of, source

DRAWN = 60
"""How many collections are drawn."""
REFUSED = r"expected .*(, found |at least)|Nothing is left to judge: "
"""What an experiment says that needs more."""
MORE = FAULTS | {
    "an infinite number": r"\binf\b",
    "a share of one trial": r"% of (the )?(1 trial|one trial)\b",
    "an interval of no width": r"± 0(?![.\d])",
    "an empty name": r"\bby [.,]|, ,|\bthan [.,]|\bof [.,]",
}
TIED = r"\bbest of \d+ runs: \w+\b|, the most\b"
"""What no headline may say where all runs are the same."""


def odd(seed: int):
    """One to four runs on one to three topics, with few documents, topics that runs
    lack, equal runs, and at times no relevant document; whether all of the runs are the
    same.
    """
    rng = np.random.default_rng(seed)
    runs, topics, top = int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(0, 3))
    documents = [*"abcdef"[: int(rng.integers(2, 7))]]
    qrels = {
        str(t): (
            {d: int(rng.integers(0, top + 1)) for d in documents if rng.random() < 0.8} | {"a": top}
        )
        for t in range(topics)
    }
    lists = {
        str(t): [*rng.permutation([*documents, "u"])[: int(rng.integers(1, 8))].tolist()]
        for t in range(topics)
    }
    same, found = bool(rng.random() < 0.3), {}
    for r in range(runs):
        of = {
            t: ids if same else rng.permutation(ids).tolist()
            for t, ids in lists.items()
            if same or t == "0" or rng.random() < 0.8
        }
        found[f"r{r}"] = of
    return qrels, found, same and runs > 1


@cache
def joined(seed: int):
    """The collection, and whether all of its runs are the same."""
    qrels, found, same = odd(seed)
    return collection(qrels, found), same


@pytest.mark.parametrize("name", [name for name, e in EXPERIMENTS.items() if e.data])
def test_sentences_on_odd_collections_say_no_more_than_happened(name):
    experiment, found, refused = EXPERIMENTS[name], {}, 0
    params = params_of(experiment, FEW | {"trials": 2})
    for seed in range(DRAWN):
        c, same = joined(seed)
        try:
            result = experiment(
                source(experiment, c),
                measures_of(name)[:2] if experiment.measured else None,
                params,
            )
        except ParamError as error:
            assert re.search(REFUSED, str(error)), seed
            refused += 1
            continue
        headline, *_ = texts = sentences_of(result)
        found |= {
            (fault, seed): text
            for text in texts
            for fault, pattern in MORE.items()
            if re.search(pattern, text)
        }
        found |= (
            {("the best among ties", seed): headline} if same and re.search(TIED, headline) else {}
        )
    assert found == {}
    needs = experiment.needs
    assert refused < (2 / 3 if max(needs.runs, needs.topics) > 1 else 1 / 10) * DRAWN


def six_teams(*, grade: int = 1, topics: int = 3, alike: bool = False):
    """Runs of six teams, each with four judged documents of its own and one that nobody
    judged; relevant are those of the first rank, if `grade` is not 0.
    """
    qrels, lists = {}, {}
    for t in map(str, range(topics)):
        own = {team: [f"{team}{i}" for i in range(4)] for team in "abcdef"}
        qrels[t] = {d: grade * (d[1] == "0") for documents in own.values() for d in documents}
        for team in own:
            lists.setdefault(f"{team}1", {})[t] = [*own["a" if alike else team], "u"]
    return collection(qrels, lists)


@pytest.mark.parametrize("name", [name for name, e in EXPERIMENTS.items() if e.data])
@pytest.mark.parametrize(
    "how",
    [{"grade": 0}, {"topics": 1}, {"alike": True}],
    ids=["nothing relevant", "1 topic", "alike"],
)
def test_experiments_on_six_odd_teams_say_no_more_than_happened_or_refuse(name, how):
    experiment, c = EXPERIMENTS[name], six_teams(**how)
    params = params_of(experiment, FEW | {"trials": 2, "draws": 20, "holes": True})
    measures = measures_of(name)[:2] if experiment.measured else None
    try:
        result = experiment(source(experiment, c), measures, params)
    except ParamError as error:
        assert re.search(REFUSED, str(error))
        return
    headline, *_ = texts = sentences_of(result)
    said = {fault: t for t in texts for fault, pattern in MORE.items() if re.search(pattern, t)}
    assert said == {}
    assert not ("alike" in how and re.search(TIED, headline))


def test_findings_on_odd_collections_say_no_more_than_happened(tmp_path):
    found = {}
    for seed in range(DRAWN):
        qrels, lists, _ = odd(seed)
        (folder := tmp_path / str(seed)).mkdir()
        (folder / "q").write_text(
            "".join(f"{t} 0 {d} {grade}\n" for t, of in qrels.items() for d, grade in of.items())
        )
        for run, of in lists.items():
            lines = (
                f"{t} Q0 {d} {i} {-i} {run}\n"
                for t, ids in of.items()
                for i, d in enumerate(ids, 1)
            )
            (folder / run).write_text("".join(lines))
        for one in check_files(
            folder / "q", [folder / run for run in lists], [measure("AP"), measure("RR")], Policy()
        ).each:
            texts = [text for finding in one.findings for text in (finding.what, finding.meaning)]
            found |= {
                (fault, seed): text
                for text in texts
                for fault, pattern in MORE.items()
                if re.search(pattern, text)
            }
    assert found == {}
