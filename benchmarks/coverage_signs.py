"""How often a difference has its probable sign, by the stated probability, after
unjudged documents are judged. ``coverage.py`` prints the tables.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import irmeval
from benchmarks.coverage import DATA, ROOT, Row, Simulation, share
from irmeval import Collection
from irmeval.scoring.sign_probability import difference_moments, moments, rank_documents
from irmeval.stats.pairs import sign_probability

LEVELS = (0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
KEPT = (
    ("uniform", 0.9),
    ("uniform", 0.75),
    ("uniform", 0.5),
    ("uniform", 0.1),
    ("shallow", 20),
    ("shallow", 5),
)
"""How judgments are taken away: so many kept at random, or those that a run has down to
a rank.
"""


def collections() -> Iterator[tuple[str, Collection]]:
    """Collections without the documents that are outside the pool."""
    folders = {
        "sample": ROOT / "sample_data",
        "robust03": DATA / "robust03",
        "trec-covid-rnd1": DATA / "trec-covid-rnd1",
    }
    for name, folder in folders.items():
        if folder.exists():
            found = irmeval.read_collection(next(folder.glob("qrels.txt*")), folder / "runs")
            outside = found.outside
            none = outside._replace(
                list=outside.list[:0], rank=outside.rank[:0], documents=outside.documents[:0]
            )
            yield name, replace(found, outside=none)


def calibration(trials: int, model: str) -> Iterator[Row]:
    """A row per collection, measure and reduction of the judgments: among pairs with
    such a probability, the share whose sign is right on all judgments.
    """
    for name, collection in collections():
        for text in ("AP", "P@10", "RBP(p=0.95)"):
            measure = irmeval.measure(text)
            means = irmeval.evaluate(collection, [measure]).means[0]
            a, b = np.triu_indices(len(means), 1)
            truth = np.sign(np.round(means[a] - means[b], 12))
            for method, level in KEPT:
                said, right = [], []
                for trial in range(trials if method == "uniform" else 1):
                    how: dict[str, Any] = (
                        {"rate": level} if method == "uniform" else {"pool": level}
                    )
                    (grades,) = irmeval.reduce(collection, method, **how, seed=trial + 1)
                    left = replace(collection, grade=grades)
                    ranked = rank_documents(left)
                    found = difference_moments(moments(left, measure, ranked, model))
                    said.append(sign_probability(*found)[truth != 0])
                    right.append((np.sign(found[0]) == truth)[truth != 0])
                sure, agrees = np.concatenate(said), np.concatenate(right)
                row: dict[str, object] = {
                    "collection": name,
                    "measure": text,
                    "kept": f"{level:.0%}" if level < 1 else f"depth {level}",
                }
                for low, high in zip(LEVELS, (*LEVELS[1:-1], 1.01), strict=False):
                    within = (sure >= low) & (sure < high)
                    row[f"{low:g} to {min(high, 1):g}"] = (
                        f"{share(int(agrees[within].sum()), n)} of {n}"
                        if (n := int(within.sum()))
                        else "-"
                    )
                within = sure >= 0.95
                yield row | {
                    "from .95": (
                        share(int(agrees[within].sum()), n) if (n := int(within.sum())) else "-"
                    )
                }


def simulation(model: str) -> Simulation:
    """The table for one model of unjudged documents."""
    made = partial(calibration, model=model)
    made.__doc__ = (
        "How sure a sign was said to be, and how often it was right, unjudged documents relevant"
        f" by the model {model!r}."
    )
    return made


SIMULATIONS = {"signs": simulation("share"), "signs_half": simulation("half")}
