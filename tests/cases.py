"""Collections made for the tests: by hand, by Hypothesis, and a fixed one drawn from a
seed.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

import irmeval
from irmeval.core.folders import SAMPLE as FOLDER
from irmeval.core.params import Field, fields
from irmeval.metrics import Metric
from irmeval.reading import parsing, trec
from irmeval.reading.design import Design
from irmeval.reading.policy import Policy

SAMPLE = FOLDER / "qrels.txt.gz", FOLDER / "runs"
"""The sample's qrels and its folder of runs."""
read_once = cache(irmeval.read_collection)
"""The same collection for all tests that read the same files under the same policy."""


def read_as_asked(
    qrels: Path, runs: Sequence[Path], scheduler: str = "", **asked: Any
) -> irmeval.Collection:
    """The same for what a command asks, whatever it says beside the policy, as of its
    progress.
    """
    return read_once(qrels, tuple(runs), **{name: asked[name] for name in fields(Policy)})


def settled_run(name: str, data: bytes, repeated: str = "refuse") -> trec.Run:
    """The only run in a file, of which no line is repeated, or only as a policy allows."""
    return trec.require_settled(parsing.parse_run(name, data), repeated)


Rankings = Mapping[str, Mapping[str, Sequence[str]]]
"""run -> topic -> documents, best first"""
Judgments = Mapping[str, Mapping[str, int]]
"""topic -> document -> grade"""

EXAMPLE = {"S1": 3, "A1": 2, "B1": 1, "B2": 1, "n1": 0, "n2": 0, "n3": 0}
EXAMPLE_LIST = ["n1", "S1", "u1", "B1", "n2", "u2", "A1", "n3"]
MEASURES = {
    "Q": ["Q", "Q'", "Q(beta=10)", "Q(rel=2)"],
    "R-measure": ["R-measure", "R-measure'", "R-measure(beta=5,rel=2)"],
    "O-measure": ["O-measure", "O-measure(beta=10)'"],
    "P-measure": ["P-measure", "P-measure(beta=0)", "P-measure'"],
    "P+": ["P+", "P+'", "P+(beta=3,rel=2)"],
    "nCG": ["nCG@1", "nCG@5", "nCG@100'"],
    "nDCG": ["nDCG", "nDCG'", "nDCG@3", "nDCG(base=2)@5'", "nDCG(base=4,rel=2)", "nDCG(base=1.5)"],
    "AnCG": ["AnCG@1", "AnCG@4", "AnCG@40'"],
    "AnDCG": ["AnDCG(base=2)@4", "AnDCG(base=3)@30'"],
    "AWP": ["AWP", "AWP'", "AWP(rel=2)"],
    "RWP": ["RWP", "RWP'"],
    "RBP": ["RBP(p=0.5)", "RBP(p=0.95)'", "RBP(p=0.8,rel=2)"],
    "ERR": ["ERR", "ERR@3", "ERR@20'", "ERR(rel=2)@20", "ERR(top=4)@20", "ERR(top=1)'"],
    "DCG": ["DCG", "DCG@3", "DCG(base=2)@5'", "DCG(base=4,rel=2)"],
    "NumRet": ["NumRet"],
    "hits": ["hits", "hits@3", "hits@5'", "hits(rel=2)@5"],
    "Judged": ["Judged@1", "Judged@5", "Judged@100"],
    "RBP_residual": ["RBP_residual(p=0.5)", "RBP_residual(p=0.95)"],
    "P": ["P@1", "P@5", "P@20'", "P(rel=2)@5"],
    "R": ["R@3", "R@1000", "R@3'"],
    "RR": ["RR", "RR@2", "RR'"],
    "AP": ["AP", "AP'", "AP@3", "AP(rel=2)'"],
}
"""Parameters to try; of a metric that is not named here, those that its declared
parameters allow.
"""


OTHERWISE = {
    "trials": 2,
    "samples": 60,
    "sets": 40,
    "mixtures": 30,
    "seed": 5,
    "rates": (100.0, 40.0),
    "budgets": (30.0, 60.0),
    "rate": 30.0,
    "rounding": "ceil",
    "method": "uniform",
    "correlation": "rbo",
    "gold": "AP",
    "baseline": "ember1",
    "down_to": 20,
    "persistence": 0.8,
    "test": "wilcoxon",
    "alpha": 0.1,
    "topics": (3, 8),
    "shares": (10.0, 40.0),
    "differences": (0.05, 0.3),
    "systems": (3, 20),
    "depths": (5, 20),
    "at_once": "benjamini-hochberg",
    "pairs": 3,
    "threshold": 0.7,
    "teams": (1, 2),
    "team_rule": "2",
    "pool": 50,
    "ranks": (1, 10),
    "p": 0.9,
    "topics-needed": 2,
    "replacement": "with",
    "fuzziness": (0.02, 0.05),
    "parameter": "k",
    "own": "1:1,2:4,3:5",
    "by": "nDCG",
    "against": "Q(beta=10)",
    "lines": "ranks",
    "points": "topics",
    "drawn": "strip",
    "R": (3, 7),
    "last": 5,
    "N": 20,
    "shards": 2,
    "holds_for": "these topics",
    "list": "1-0-x",
    "rest": "2",
}
"""Values that are not the usual ones, by the names of parameters; a parameter that has
none of these keeps its default.
"""


def measures(name: str) -> list[str]:
    """Measures of a metric to check it by."""
    return MEASURES.get(name) or _tried(irmeval.METRICS[name])


def _tried(metric: Metric) -> list[str]:
    """The metric as it is, with each parameter at other values that it may have, and
    with a prime where it has one.
    """
    usual = irmeval.measure(metric.example)
    others = [
        usual.varied(name, value)
        for name, field in metric.params.items()
        for value in _values(field)
    ]
    return list(
        dict.fromkeys([usual, *others, *(f"{m}'" for m in [usual, *others] if metric.primed)])
    )


def _values(field: Field) -> list[float]:
    low, high = field.param.low or 0, field.param.high
    return (
        [1, 3]
        if field.name == "k"
        else (
            [2]
            if field.name == "rel"
            else [low]
            if high is None
            else [low, field.kind((low + high) / 2)]
        )
    )


def collection(judgments: Judgments, rankings: Rankings, **options) -> irmeval.Collection:
    """Judgments and rankings joined, the order of each list kept."""
    runs = {
        run: {t: {d: -float(i) for i, d in enumerate(r)} for t, r in topics.items() if r}
        for run, topics in rankings.items()
    }
    return irmeval.Collection.from_dicts(judgments, runs, **options)


def in_strata(built: irmeval.Collection, strata: Callable[[str], str]) -> irmeval.Collection:
    """The collection with its judgments drawn from strata; each document is in one by
    its name.
    """
    names = [
        (int(topic), strata(document))
        for topic, document in zip(built.topic, built.documents.to_pylist(), strict=True)
    ]
    number = {name: i for i, name in enumerate(sorted(set(names)))}
    design = Design(
        np.array([number[name] for name in names], np.int32), tuple(name for _, name in number)
    )
    return replace(built, design=design)


def one(
    measure: str, ranking: Sequence[str], grades: Mapping[str, int] = EXAMPLE, **options
) -> float:
    """The score of one list on one topic."""
    return float(
        irmeval.evaluate(
            _of_one_list(tuple(ranking), tuple(grades.items())), [measure], **options
        ).values[0, 0, 0]
    )


@cache
def _of_one_list(ranking: Sequence[str], grades: Sequence[tuple[str, int]]) -> irmeval.Collection:
    return collection({"1": dict(grades)}, {"run": {"1": ranking}})


class Case(NamedTuple):
    """A random collection, with reduced grades to score it on."""

    judgments: dict[str, dict[str, int]]
    rankings: dict[str, dict[str, list[str]]]
    kept: dict[str, dict[str, int]]
    """the same judgments, some of them dropped: -1"""

    @property
    def top(self) -> int:
        return max(grade for grades in self.judgments.values() for grade in grades.values())

    def collection(self) -> irmeval.Collection:
        return collection(self.judgments, self.rankings)

    def grades(self, built: irmeval.Collection) -> np.ndarray:
        """The reduced grades in the collection's order."""
        documents = zip(built.topic, built.documents.to_pylist(), strict=True)
        return np.array(
            [self.kept[built.topics[topic]][d] for topic, d in documents], built.grade.dtype
        )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Up to 4 topics and 3 runs over 14 documents: topics without relevant or without
    nonrelevant documents, negative grades, empty lists, lists of one, runs that lack a
    topic.
    """
    documents = [f"d{i}" for i in range(14)]
    topics = [str(t) for t in range(1, draw(st.integers(1, 4)) + 1)]
    top, runs = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    # one seed: to draw each document by Hypothesis takes longer than to score them
    random = draw(st.randoms(use_true_random=True))

    def some(least: int) -> list[str]:
        few = random.random() < 0.3
        return random.sample(documents, random.randint(least, 2 if few else len(documents)))

    judgments, kept = {}, {}
    for topic in topics:
        grades = random.choice([range(-1, top + 1)] * 4 + [range(-1, 1), range(1, top + 1)])
        judgments[topic] = {d: random.choice(grades) for d in some(1)}
        kept[topic] = {
            d: random.choice([grade, grade, -1]) for d, grade in judgments[topic].items()
        }
    rankings = {}
    for run in range(runs):
        lists = {t: some(0) for t in topics}
        rankings[f"run{run}"] = lists if any(lists.values()) else {topics[0]: ["d0"]}
    return Case(judgments, rankings, kept)


def drawn(
    seed: int, *, topics: int = 20, runs: int = 4, top: int = 3, depth: int = 60
) -> tuple[dict, dict]:
    """Judgments and, per run and topic, documents with whole-numbered scores, many of
    them tied; the same for the same seed.
    """
    rng = np.random.default_rng(seed)
    judgments: dict[str, dict[str, int]] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {f"run{r}": {} for r in range(runs)}
    for topic in map(str, range(1, topics + 1)):
        documents = [f"D{number:03}" for number in rng.permutation(200)]
        grades = np.minimum(rng.geometric(0.6, 100) - 1, top)
        grades[:3] = [top, 1, 0]
        judgments[topic] = dict(zip(documents[:100], map(int, grades), strict=True))
        for name in scores:
            worth = rng.normal(size=200) + [judgments[topic].get(d, 0) for d in documents]
            found = np.argsort(-worth)[: rng.integers(1, depth + 1)]
            scores[name][topic] = {documents[i]: float(np.round(4 * worth[i])) for i in found}
    return judgments, scores


def written(folder: Path, seed: int) -> tuple[str, str]:
    """Qrels and runs of such a collection, in files of a folder: 8 topics, 5 runs."""
    judgments, scores = drawn(seed, topics=8, runs=5)
    (folder / "runs").mkdir(parents=True)
    lines = [
        f"{topic} 0 {document} {grade}\n"
        for topic, of in judgments.items()
        for document, grade in of.items()
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    for run, topics in scores.items():
        lines = [
            f"{topic} Q0 {document} 1 {score} {run}\n"
            for topic, of in topics.items()
            for document, score in of.items()
        ]
        (folder / "runs" / run).write_text("".join(lines))
    return str(folder / "qrels.txt"), str(folder / "runs")


def without_a_topic(runs: str, folder: Path) -> str:
    """Copies run files of `written` into a folder, the first without a topic; the
    sentence on that.
    """
    first, *rest = sorted(Path(runs).iterdir())
    folder.mkdir()
    for path in rest:
        (folder / path.name).write_text(path.read_text())
    lines = first.read_text().splitlines(keepends=True)
    (folder / first.name).write_text(
        "".join(line for line in lines if line.split()[0] != lines[0].split()[0])
    )
    return f"{first.name} lacks 1 of 8 topics, scored 0 there."


def tied_collection(
    judgments: Judgments, scores: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> irmeval.Collection:
    """Judgments and scores joined; ties are broken as trec_eval does."""
    return irmeval.Collection.from_dicts(judgments, scores)


def ranked(scores: Mapping[str, float]) -> list[str]:
    """The documents as trec_eval ranks them: score, then id, both descending."""
    return sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)


def read_qrels_or_run(name: str, data: bytes) -> trec.Qrels | trec.Run:
    """A text that is a qrels file or a run, by its number of columns."""
    return trec.require_settled(parsing.parse(name, data)[0], "refuse")


def refusal(
    error: type[Exception], call: Callable[..., object], *given: object, **how: object
) -> str:
    """What a call says when it refuses what it is given."""
    with pytest.raises(error) as refused:
        call(*given, **how)
    return str(refused.value)


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV."""
    return [*csv.DictReader(io.StringIO(text))]
