"""Runs by measures, and topics by runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.scores import Scores
from irmeval.words import counted

if TYPE_CHECKING:
    import pandas as pd


def board(scores: Scores) -> "pd.DataFrame":
    """One row per run, best by the first measure first: over how many topics its means are, and the means."""
    import pandas as pd

    columns = dict(zip(scores.measures, scores.means, strict=True))
    counts = scores.counts
    n = counts[0] if np.all(counts == counts[0]) else [" / ".join(map(str, c)) for c in counts.T]
    order = np.argsort(-scores.means[0], kind="stable")
    return pd.DataFrame({"run": scores.runs, "topics": n, **columns}).iloc[order].reset_index(drop=True)


def headline(scores: Scores) -> str:
    """Which run each measure puts first."""
    best: dict[str, list[str]] = {}
    for measure, means in zip(scores.measures, scores.means, strict=True):
        if np.isfinite(means).any():
            best.setdefault(scores.runs[int(np.nanargmax(means))], []).append(measure)
    wins = [f"{run} by {', '.join(measures)}" for run, measures in sorted(best.items(), key=lambda item: -len(item[1]))]
    return f"Best of {counted(len(scores.runs), 'run')} on {counted(len(scores.topics), 'topic')}: {'; '.join(wins)}."


def by_topic(scores: Scores, runs: Sequence[str]) -> "pd.DataFrame":
    """One row per topic, highest by the first measure of the first run first; a column per run and measure."""
    import pandas as pd

    places = [scores.runs.index(run) for run in runs]
    columns = {
        f"{run} {measure}": scores.values[m, place]
        for run, place in zip(runs, places, strict=True)
        for m, measure in enumerate(scores.measures)
    }
    order = np.argsort(-scores.values[0, places[0]], kind="stable")
    return pd.DataFrame({"topic": scores.topics, **columns}).iloc[order].reset_index(drop=True)
