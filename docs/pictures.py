"""A picture of each experiment on the sample, drawn when the documentation is built."""

from functools import cache
from pathlib import Path
from typing import Any

import irmeval
from irmeval.check import qrels_of
from irmeval.core.params import fields
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Chart
from irmeval.plots.svg import svg
from irmeval.scoring.selection import Selection, select

HERE = Path(__file__).parent
MEASURES = ["AP", "AP'", "nDCG", "Bpref", "Q"]


@cache
def sample() -> irmeval.Collection:
    """The best run of each team of the sample collection."""
    whole = irmeval.read_collection(
        HERE.parent / "sample_data" / "qrels.txt.gz", HERE.parent / "sample_data" / "runs"
    )
    return select(whole, Selection(per_team="best")).collection


def charts_of(experiment: Experiment[Any, Any]) -> list[Chart]:
    """Charts of a first look at the sample; where an experiment compares judges, with a
    simulated second one.
    """
    source: Any = sample() if experiment.data else None
    if experiment.judged:
        qrels = qrels_of(sample())
        source = irmeval.Judges.of({"person": qrels, "noisy": irmeval.simulated(qrels, "noisy")})
    elif experiment.others or "cheap" in fields(experiment.params):
        source = sample().with_judgments("noisy", "simulated:noisy,0.3,1")
    return list(
        experiment(source, MEASURES if experiment.measured else [], **experiment.first).charts()
    )


def draw(experiment: Experiment[Any, Any], folder: Path) -> str:
    """Write the first picture of an experiment; the lines of a page that show it, none
    for an experiment without charts.
    """
    for chart in charts_of(experiment)[:1]:
        (folder / f"{experiment.name}.svg").write_text(svg(chart.draw()), encoding="utf-8")
        return (
            f"![{chart.title}]({folder.name}/{experiment.name}.svg)\n\n*{chart.title}.*"
            f" {chart.caption}\n"
        )
    return ""
