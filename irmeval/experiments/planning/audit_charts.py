"""The charts of the audit of judges."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.core.places import pick
from irmeval.core.text import all_of, count_noun, list_all, verb
from irmeval.experiments.planning.one_audit import Favoured, JudgeAudit
from irmeval.experiments.results import Chart, Figure
from irmeval.experiments.runs.matrix import READABLE
from irmeval.plots import pins
from irmeval.plots.cells import cells
from irmeval.plots.line_charts import Axes, ChartLine, curves, measure_curves
from irmeval.plots.points import points, strips
from irmeval.plots.row_charts import dumbbell
from irmeval.stats.means import best_first
from irmeval.stats.ranking_by_judge import WAYS

LINES = 8
"""Most judges with a line."""
APART = 8
"""Labels of numbers of runs are at least this part of the axis apart."""


def charts_of(
    audit: JudgeAudit, by_measure: Sequence[JudgeAudit], reference: str, params: Any
) -> list[Chart]:
    """The charts of one judge, and of all judges by the same measure."""
    judge, winner = audit.judge, audit.winner
    named, whose = np.argsort(-np.abs(audit.gained), kind="stable")[:3].tolist(), "score by "
    if winner:
        named.append(winner.system)
    if audit.measure:
        whose = f"{audit.measure} by "
    made = [
        Chart(
            "top",
            "Order of the best runs",
            f"Kendall's tau of the two orders among the k best runs of {reference}; right: all"
            f" runs. {_band_of(by_measure, params)}",
            lambda: _tops(by_measure),
        ),
        Chart(
            "means",
            f"Runs by {reference} and by {judge}",
            f"A dot is a run. Labelled: the winner of {judge}, and the runs that change place"
            " most.",
            lambda: points(
                audit.runs,
                audit.means[0],
                audit.means[1],
                (f"{whose}{reference}", f"{whose}{judge}"),
                named,
            ),
            usual=f" Labelled: the winner of {judge}, and the runs that change place most.",
        ),
        Chart(
            "decisions",
            "Decisions on pairs",
            f"Pairs of runs that differ significantly by a judge ({params.decided_by}), and what"
            f" {reference} finds. Last: pairs that differ by {reference} alone."
            f" {describe_confirmed(audit, reference)}",
            lambda: _decisions(by_measure),
        ),
        Chart(
            "enough",
            f"How many topics must {reference} judge?",
            f"Tau with the order by {reference} on {all_of(len(audit.topics), 'topic')}, if it"
            f" judges some and {judge} all. Mean of {count_noun(params.trials, 'trial')}, band from"
            f" 5% to 95%. Above the dotted line, it is as near as {reference} on other topics"
            f" ({params.level:g}% interval), by definition. {_needed(audit)}",
            lambda: _enough(audit),
        ),
        _favour(audit, audit.kinds or audit.teams, "kind" if audit.kinds else "team", reference),
    ]
    if not np.isfinite(audit.enough.tau).any():  # all means tie, whichever topics are judged
        made = [chart for chart in made if chart.name != "enough"]
    if audit.circle is None:
        return made
    return [*made, _circle(audit, reference)]


def _band_of(by_measure: Sequence[JudgeAudit], params: Any) -> str:
    several = f"of {by_measure[0].judge} " if len(by_measure) > 1 else ""
    return f"The band {several}is the {params.level:g}% interval over topics."


def _needed(audit: JudgeAudit) -> str:
    """A sentence on the number of topics from which orders are near enough; empty if
    there is no order.
    """
    ways = dict(zip(WAYS.values(), audit.enough.needed, strict=True))
    if not np.isfinite(audit.enough.least):
        return ""
    if next(iter(ways.values())) == 0:
        return f"The order by {audit.judge} alone reaches it."
    said = [
        f"{way} from {count_noun(topics, 'topic')} on"
        for way, topics in ways.items()
        if topics is not None
    ]
    if said:
        return f"Reached by {list_all(said)}."
    return "No line reaches it."


def describe_confirmed(audit: JudgeAudit, reference: str) -> str:
    """How many of the pairs that differ by the judge the reference confirms."""
    d = audit.decisions[-1][0]
    found = d.both + d.second_only + d.opposed
    if not found:
        return f"{audit.judge} finds no pair significant."
    if found == 1:
        confirms = verb(d.both, "confirms", "does not confirm")
        return f"{reference} {confirms} the only significant pair of {audit.judge}."
    lost = per_cent((found - d.both) / found)
    return (
        f"{reference} does not confirm {lost} of the {found:,} significant pairs of {audit.judge}."
    )


def _tops(by_measure: Sequence[JudgeAudit]) -> Figure:
    """Tau against the number of best runs; the first judge has a band."""
    first = by_measure[0]
    # judges who scored another number of runs have points at other places of the axis
    several = [audit for audit in by_measure[:LINES] if audit.ks == first.ks]
    lines = measure_curves(
        [audit.judge for audit in several], np.array([audit.curve[:, 0] for audit in several])
    )
    lines[0] = lines[0]._replace(low=first.curve[:, 1], high=first.curve[:, 2])
    ticks: dict[float, str] = {}
    # from the right, so that the number of all runs always has its label
    for k in reversed(first.ks):
        if not ticks or min(ticks) - k >= len(first.runs) / APART:
            ticks[k] = str(k)
    return curves(
        first.ks,
        lines,
        Axes(
            xtitle="best runs", ytitle="tau", yrange=(-1.0, 1.05), ticks=dict(sorted(ticks.items()))
        ),
        threshold=0.9,
    )


def _decisions(by_measure: Sequence[JudgeAudit]) -> Figure:
    kinds = ("confirmed", "not confirmed", "opposed", "not found")
    decided = [audit.decisions[-1][0] for audit in by_measure]
    values = np.array([(d.both, d.second_only, d.opposed, d.first_only) for d in decided], float)
    return cells([audit.judge for audit in by_measure], kinds, values, title="pairs", form=",.0f")


def _enough(audit: JudgeAudit) -> Figure:
    found, n = audit.enough, len(audit.topics)
    lines = measure_curves([*WAYS.values()], *np.moveaxis(found.tau, -1, 0))
    shown: list[ChartLine] = [line for line in lines if np.isfinite(line.y).any()]
    x = [round(100 * t / n, 1) for t in found.topics]
    labelled = {
        value: f"{value:.0f}%" for value in (x[0], min(x, key=lambda value: abs(value - 50)), x[-1])
    }
    least = found.least if np.isfinite(found.least) else None
    title = "topics judged by the reference"
    return curves(
        x,
        shown,
        Axes(xtitle=title, ytitle="tau", yrange=(-1.0, 1.05), ticks=labelled),
        threshold=least,
        order=True,
    )


def _favour(audit: JudgeAudit, found: Favoured, what: str, reference: str) -> Chart:
    values = np.where(found.group == np.arange(len(found.names))[:, None], audit.gained, np.nan)
    order = np.argsort(-found.gains.change, kind="stable")
    return Chart(
        "favour",
        f"Places gained by {what}",
        f"Places that each run gains by {audit.judge} compared with {reference}; a diamond is the"
        f" mean of a {what}. A {what} with one run shows that run only.",
        lambda: strips(
            pick(found.names, order),
            values[order],
            audit.runs,
            "strip",
            xtitle="",
            ytitle="places gained",
        ),
    )


def _circle(audit: JudgeAudit, reference: str) -> Chart:
    circle = audit.circle
    assert circle
    mean, low, high = circle.ceiling

    def draw() -> Figure:
        best = pins.first_drawn(best_first(audit.means[0]), audit.runs, READABLE)
        names, titles = (
            pick(audit.runs, best),
            (
                "as it is",
                f"in the order of {audit.judge}",
            ),
        )
        return dumbbell(
            names, audit.means[0, best], circle.reference[best], titles, f"mean by {reference}"
        )

    return Chart(
        "circularity",
        f"Runs in the order of {audit.judge}",
        f"Mean score by {reference} of each run as it is, and with its lists in order of the grades"
        f" of {audit.judge}. The ideal list of {audit.judge} scores {mean:.3f} by {reference} (ties"
        f" in any order: {low:.3f} to {high:.3f}), the best run {audit.means[0].max():.3f}.",
        draw,
    )
