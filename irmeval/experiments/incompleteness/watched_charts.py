"""The charts of *Curves*: each column against the levels, and the runs one by one."""

from collections.abc import Sequence
from functools import partial
from itertools import chain, starmap
from typing import Any

import numpy as np

from irmeval.core.places import pick
from irmeval.core.text import capitalize
from irmeval.experiments.facts import Fact
from irmeval.experiments.incompleteness.watched_facts import falls, write_place
from irmeval.experiments.incompleteness.watched_values import CurveValues
from irmeval.experiments.results import Chart, Figure
from irmeval.experiments.trials import (
    EQUIVALENT,
    band,
    banded,
    describe_asked,
    describe_spread,
    name_bands,
)
from irmeval.experiments.watched.base import Curve, Statistic
from irmeval.experiments.watched.judged import LABELS
from irmeval.experiments.watched.same_order import label_of
from irmeval.metrics import Measure
from irmeval.plots import colors, line_charts
from irmeval.stats.means import best_first


def draw(watched: CurveValues) -> list[Chart]:
    """The charts of all that was watched."""
    of_curves = starmap(partial(_charts_of, watched), watched.charted)
    first, *others = chain.from_iterable(of_curves)
    along = [one for one in watched.statistics if one.along]
    # the first page shows mean and order side by side
    first = first._replace(beside=bool(watched.correlation) and first.name == "mean")
    return [first, *others, *chain.from_iterable(_against(watched, one) for one in along)]


def _places(watched: CurveValues) -> list[float]:
    """Where the levels are along the axis of a chart."""
    if watched.axis.even:
        return [*map(float, range(len(watched.levels), 0, -1))]
    return [*map(float, watched.levels)]


def place_of(watched: CurveValues, level: float) -> float:
    """Where a level between two is along that axis."""
    order = np.argsort(watched.levels)
    levels, places = np.array(watched.levels)[order], np.array(_places(watched))[order]
    return float(np.interp(level, levels, places))


def _x_axis(watched: CurveValues) -> dict[str, Any]:
    """The axis of the levels, for `irmeval.plots.line_charts.against_rate`."""
    axis, places = watched.axis, _places(watched)
    are_as_asked = all(one.as_asked for one in watched.realised)
    made: dict[str, Any] = {
        "rates": places,
        "xtitle": axis.xtitle if are_as_asked else "judgments asked for",
        "suffix": axis.suffix,
    }
    if not axis.suffix:  # counts, such as a pool depth, stand at even distances
        texts = [f"{level:g}" for level in watched.levels]
        made["levels"] = dict(zip(places, texts, strict=True))
    return made


def _describe_bands(watched: CurveValues, what: str, *, wide: bool) -> str:
    """Sentences of a caption on the bands, on shares that are not as asked, and on the
    axis.
    """
    axis, second = watched.axis, watched.by.axis
    note = axis.note(watched.collection, watched.levels)
    if axis.trials == 1:
        return note
    is_random = axis.random(watched.lines[0].own) or (second is not None and second.trials > 1)
    spread = describe_spread(watched.params.trials, what, random=is_random, wide=wide)
    return f"{spread}{describe_asked(watched.realised)}{note}"


def _charts_of(watched: CurveValues, one: Statistic, curve: Curve) -> list[Chart]:
    """A chart of all measures; with lines, one of each measure."""
    if not one.measured:
        return [_chart_of_no_measure(watched, curve)]
    values = watched.values[curve.column]
    if not watched.by.name:
        names = list(watched.measures)
        return [_chart(watched, curve, curve.name, curve.title, values[:, 0], names)]
    return [
        _chart(
            watched,
            curve,
            f"{curve.name}-{m}",
            f"{curve.title} by {measure}",
            row,
            watched.labels,
            measure,
        )
        for m, (measure, row) in enumerate(zip(watched.measures, values, strict=True), 1)
    ]


def _chart_of_no_measure(watched: CurveValues, curve: Curve) -> Chart:
    """A chart of one or several columns that have no measure, a line for each."""
    columns, names = curve.column.split(","), []
    for column in columns:
        title = LABELS.get(column, column)
        names += [", ".join(filter(None, [label, title])) for label in watched.labels]
    values = np.concatenate(pick(watched.values, columns))
    return _chart(watched, curve, curve.name, curve.title, values, names)


def _chart(
    watched: CurveValues,
    curve: Curve,
    name: str,
    title: str,
    values: np.ndarray,
    names: Sequence[str],
    measure: Measure | None = None,
) -> Chart:
    """A line for each of some names; `measure` is that of all of them."""
    more: dict[str, Any] = {"top": curve.top, "order": curve.order}
    if curve.level is not None:
        found = falls(watched, curve)
        if measure is not None:
            found = [fact for fact in found if fact.measure == str(measure)]
        crossings = [_crossing(watched, fact) for fact in found]
        more["threshold"] = curve.level
        more["crossings"] = dict(zip(map(str, names), crossings, strict=True))
    if measure is not None:
        more["styles"] = colors.shades(measure, len(names))
    ytitle = curve.ytitle or curve.title.lower()
    low, _, high = band(values)
    wide = bool((high > low).any())
    said = _describe_bands(watched, name_bands(low, high, values.shape[-1]), wide=wide)
    x_axis = _x_axis(watched)
    figure = partial(banded, names, values=values, ytitle=ytitle, **x_axis, **more)
    return Chart(name, title, f"{curve.caption}{said}", figure)


def _crossing(watched: CurveValues, fact: Fact) -> line_charts.Crossing:
    """Where a chart marks that a curve falls to a value."""
    if not np.isfinite(fact.level):
        return line_charts.Crossing(fact.level, "")
    text = write_place(watched, fact.level)
    # after the name of a line, which may end in a number itself, ``at`` parts the two
    if not watched.by.name:
        text = text.removeprefix("at ")
    return line_charts.Crossing(place_of(watched, fact.level), text)


def _against(watched: CurveValues, one: Statistic) -> list[Chart]:
    """Charts of the correlation against a statistic that may be along the axis."""
    if not watched.correlation:
        return []
    caption = (
        f"Agreement of the order of the runs with that on {watched.everything}, by {one.name}."
        f" Further right, {one.name} is lower. Beside the names: the {one.name} at which"
        f" {label_of(watched.params)} falls below the dotted 0.9."
    )
    return [
        Chart(
            f"tau-by-{one.name}-{m}",
            f"{capitalize(one.name)} and the order by {measure}",
            caption,
            partial(_draw_against, watched, one, m - 1),
        )
        for m, measure in enumerate(watched.measures, 1)
    ]


def _draw_against(watched: CurveValues, one: Statistic, m: int) -> Figure:
    """A line through means over trials, from all to nothing."""
    axis, measure = watched.axis, watched.measures[m]
    tau, along = watched.curve(watched.correlation)[m], watched.curve(one.name)
    levels = [axis.line.format(axis.write(level)) for level in watched.levels]
    if watched.by.name:
        names, styles = watched.labels, colors.shades(measure, len(watched.labels))
    else:
        names, styles = (str(measure),), [colors.styles(watched.measures)[str(measure)]]
    texts = ["" if np.isnan(at) else f"{at:.2f}" for at in watched.kappa_at_tau[m]]
    rows = zip(names, along, tau, styles, texts, strict=True)
    figure = line_charts.paths(
        [line_charts.Path(*row, levels) for row in rows],
        xtitle=f"{one.name} with {watched.everything}",
        ytitle=label_of(watched.params),
        threshold=EQUIVALENT,
    )
    low = min(float(np.nanmin(tau, initial=EQUIVALENT)), EQUIVALENT) - 0.05
    # a little beyond 0 and 1, so that points at the ends are whole
    return figure.update_xaxes(range=[1.03, -0.03]).update_yaxes(range=[low, 1.03])


def draw_runs(watched: CurveValues, measure: str) -> Chart:
    """Mean score of each run against the levels, by one measure; on the first line, if
    there are lines.
    """
    m = watched.measures.index(measure)
    values = watched.means[m, 0].mean(axis=1)
    order = best_first(watched.whole_means[m, 0])
    names = {watched.runs[order[0]], watched.runs[order[-1]]}
    own, grey = colors.styles(watched.measures)[watched.measures[m]], colors.Style(colors.GREY)
    styles = dict.fromkeys(watched.runs, grey) | dict.fromkeys(names, own)
    lines = []
    for r in order[::-1]:  # the best last, above the others
        run = watched.runs[r]
        lines.append(line_charts.ChartLine(run, values[:, r], styles[run]))
    named = f" Labelled: the best and the worst run on {watched.everything}."
    ytitle, x_axis = f"mean {measure} over topics", _x_axis(watched)
    return Chart(
        "runs",
        "Each run",
        f"Mean {measure} of each run over the trials.{named} Where lines cross, runs change"
        f" places.{describe_asked(watched.realised)}",
        lambda: line_charts.against_rate(
            lines=lines, values=values, ytitle=ytitle, named=names, order=True, **x_axis
        ),
        usual=named,
    )
