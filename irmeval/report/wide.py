"""Runs by measures as papers print them: in Markdown, LaTeX and as text; the same in columns for programs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.tables import DECIMALS, FORMATS, escape_markdown, is_number_column, texts
from irmeval.core.text import counted, shorten
from irmeval.experiments.ends import Ends, ends_of_scores
from irmeval.experiments.results import Frame
from irmeval.metrics import Measure
from irmeval.papers.layout import Cell, Printed
from irmeval.report import printed
from irmeval.scoring.score_table import OVER, Scores

TEXT, PRINTED = "text", ("markdown", "latex", "text")
"""The form for a terminal; the forms for people."""
BETTER, WORSE = "▲", "▼"
BEST = "the best of each measure in bold"


def as_table(found: Any, form: str = "markdown", *, name: str = "scores", width: int = 0, styled: bool = False) -> str:
    """Scores, a leaderboard or what judges agree on as a table to paste: a run, or a pair of judges, in each row.

    Parameters
    ----------
    found : `irmeval.Scores`, or a result of the experiments ``leaderboard`` and ``judges``
        The best of each measure is bold. A leaderboard has a triangle where a run differs significantly from the baseline; several
        baselines have a letter each.
    form : ``markdown``, ``latex`` (with booktabs, and longtable above 60 runs), ``text``, ``csv`` or ``json``
    name : of the label in LaTeX, after ``tab:``
    width : letters of a line of text, any number where it is 0
    styled : whether bold letters of a text are those of a terminal; a star stands beside them otherwise

    Raises
    ------
    ParamError
        For another form, or a result that has no such table.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.report import as_table
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
    >>> runs = {"good": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 2.0}}, "bad": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0}}}
    >>> scores = irmeval.evaluate(irmeval.Collection.from_dicts(qrels, runs), ["AP", "NumRelRet"])
    >>> print(as_table(scores))
    | run | AP | NumRelRet |
    | --- | ---: | ---: |
    | bad | 0.2500 | 1 |
    | good | **1.0000** | 2 |
    <BLANKLINE>
    Means over 2 topics, NumRelRet summed; the best of each measure in bold.
    <BLANKLINE>
    """
    if form not in (*FORMATS, TEXT):
        raise ParamError(f"form: expected one of {', '.join((*FORMATS, TEXT))}, found {shorten(form)}.")
    if form not in PRINTED:
        return FORMATS[form](frame_of(found))
    table = _of(found, 1)
    if form == TEXT:
        return printed.text(table, width=width, styled=styled)
    return printed.latex(table, name) if form == "latex" else f"{printed.markdown(table)}\n\n{escape_markdown(table.caption)}\n"


def frame_of(found: Any) -> Frame:
    """The same as columns of numbers: run, topics and measures; or a pair of judges and what they agree on."""
    frame: Frame = _of(found, 0)
    return frame


def of_frame(frame: Frame, caption: str = "") -> Printed:
    """Any table, a row for each of its rows; what stands before its first column of numbers are words."""
    rows = texts(frame)
    numbers = [is_number_column(column) for column in zip(*rows, strict=True)]
    words = max(1, numbers.index(True) if True in numbers else len(numbers))
    return Printed("", caption, words, tuple(map(str, frame.columns)), (("", tuple(tuple(map(Cell, row)) for row in rows)),))


def of_scores(scores: Scores) -> Printed:
    """The mean of every run by every measure, in the order of the runs."""
    return _runs_by_measures(scores, range(len(scores.runs)), {}, {}, "", ends_of_scores(scores))


def _frame_of_scores(scores: Scores) -> Frame:
    return _with_ends(scores.board(), scores, ends_of_scores(scores), range(len(scores.runs)))


def _with_ends(board: Frame, scores: Scores, ends: Ends, order: Sequence[int] | np.ndarray) -> Frame:
    """Columns of means, a row per run in this order; behind each estimator on a sample, its estimate and the ends of both intervals."""
    for m, measure in enumerate(scores.measures):
        for name, values in reversed(ends.columns_of(m).items()):
            board.insert(list(board).index(measure) + 1, f"{measure} {name}", values[order])
    return board


def long_frame(scores: Scores, topics: bool = False, *, whole: bool = False) -> Frame:
    """A row per run and measure, of the mean (topic ``all``), after those of the `topics`; `whole`: what is summed is a whole number. On a
    sample the means have what `Ends` has."""
    import pandas as pd

    means = scores.mean().rename_axis(columns="measure").stack(future_stack=True).reset_index().rename(columns={0: "score"})
    ends = {name: values.T.ravel() for name, values in ends_of_scores(scores).columns().items()}
    frame = means.assign(topic="all", **ends)[["run", "measure", "topic", "score", *ends]]
    frame = pd.concat([scores.frame(), frame], ignore_index=True) if topics else frame
    if whole and (sums := {str(measure) for measure in scores.measures if measure.metric.summed}):
        pairs = zip(frame["measure"], frame["score"], strict=True)
        frame["score"] = pd.Series([round(v) if name in sums and v == v else v for name, v in pairs], dtype=object)
    return frame


def topics_frame(scores: Scores) -> Frame:
    """A row per run and topic, a column per measure; after the topics of a run its means, topic ``all``."""
    import pandas as pd

    frame, place = scores.frame(wide=True), {run: i for i, run in enumerate(scores.runs)}
    means = scores.board().assign(topic="all")[[*frame]]
    return pd.concat([frame, means]).sort_values("run", kind="stable", key=lambda runs: runs.map(place), ignore_index=True)


def _of_leaderboard(result: Any) -> Printed:
    """The means, best run first, with what differs significantly from each baseline."""
    from irmeval.experiments.scores.leaderboard import LEVELS

    views = result.views
    letters = [chr(ord("a") + k) if len(views) > 1 else "" for k in range(len(views))]
    raised = dict.fromkeys(np.ndindex(*result.p.shape), "")
    for sign, side in ((BETTER, 1), (WORSE, -1)):
        for cell in raised:
            told = [k for k, view in enumerate(views) if view.p[cell] < LEVELS[0] and side * view.difference[cell] > 0]
            raised[cell] += sign + "".join(letters[k] for k in told) if told else ""
    tags = {view.baseline: f" ({letter})" for view, letter in zip(views, letters, strict=True) if letter}
    than = "the run with that letter" if tags else result.baseline
    tested = f" {BETTER} significantly better, {WORSE} worse than {than} ({result.method}, p < {LEVELS[0]:g})."
    return _runs_by_measures(result.scores, result.order(), raised, tags, tested if np.isfinite(result.p).any() else "", result.ends)


def _of_judges(result: Any) -> Printed:
    """What every two judges agree on, a pair in each row."""
    return of_frame(result.by_pair(), "Agreement of every two judges on all documents that both judged.")


MADE: Mapping[str, tuple[Callable[[Any], Frame], Callable[[Any], Printed]]] = {
    "leaderboard": (lambda result: _with_ends(result.board(), result.scores, result.ends, result.order()), _of_leaderboard),
    "judges": (lambda result: result.by_pair(), _of_judges),
}
"""Experiment -> its wide table in columns, and as it is printed."""


def _of(found: Any, which: int) -> Any:
    if isinstance(found, Scores):
        return (_frame_of_scores, of_scores)[which](found)
    if (made_by := getattr(found, "made_by", None)) is None or made_by.experiment not in MADE:
        raise ParamError(f"as_table: expected scores, or a result of {' or '.join(MADE)}, found {type(found).__name__}.")
    return MADE[made_by.experiment][which](found)


def _runs_by_measures(
    scores: Scores,
    order: Sequence[int] | np.ndarray,
    raised: Mapping[tuple[int, ...], str],
    tags: Mapping[str, str],
    tested: str,
    ends: Ends,
) -> Printed:
    """A row per run in this order; `raised` stands beside the mean of a (measure, run), `tags` behind the name of a run. Behind an
    estimator on a sample stand its intervals."""
    board, alike = scores.board(), bool(np.all(scores.counts == scores.counts.flat[0]))
    cells = [_of_measure(measure, means) for measure, means in zip(scores.measures, scores.means, strict=True)]
    lines = []
    for r in order:
        of_run = [
            cell
            for m, column in enumerate(cells)
            for cell in (column[r]._replace(raised=raised.get((m, r), "")), *_spans(scores.measures[m], ends.of(m), r))
        ]
        lines.append((Cell(scores.runs[r] + tags.get(scores.runs[r], "")), *([] if alike else [Cell(str(board["topics"][r]))]), *of_run))
    best = f"; {BEST}" if any(cell.bold for column in cells for cell in column) else ""
    over = [[f"{measure} over {what}" for what in OVER if ends.of(m) is not None] for m, measure in enumerate(scores.measures)]
    names = [name for measure, spans in zip(scores.measures, over, strict=True) for name in (str(measure), *spans)]
    head = ("run", *([] if alike else ["topics"]), *names)
    said = f" {ends.level:.0%} intervals over judgments, behind the estimate less its bias, and over topics." if any(over) else ""
    return Printed("", f"{_means(scores)}{best}.{said}{tested}", 1, head, (("", tuple(lines)),))


def _spans(measure: Measure, ends: np.ndarray | None, run: int) -> list[Cell]:
    """The intervals of one mean, that over judgments behind the estimate; none of what is no estimator on a sample."""
    if ends is None:
        return []
    mean, low, high, least, most = ("" if end != end else format(end, _form(measure)) for end in ends[:, run])
    return [Cell(f"{mean} ({low} to {high})"), Cell(f"{least} to {most}")]


def _form(measure: Measure) -> str:
    """How a mean is written."""
    return ".0f" if measure.metric.summed else f".{DECIMALS}f"


def _means(scores: Scores) -> str:
    """Over what the means are."""
    most, sums = int(scores.counts.max(initial=0)), [measure for measure in scores.measures if measure.metric.summed]
    over = counted(most, "topic") if np.all(scores.counts == most) else "the topics with a score"
    summed = f", {', '.join(sums)} summed" if sums else ""
    return f"Means over {over}{summed}"


def _of_measure(measure: Measure, means: np.ndarray) -> list[Cell]:
    """The means by one measure; the highest is bold, as far as the numbers that are shown differ. Of what only counts or describes none is
    the best."""
    form = _form(measure)
    shown = ["" if mean != mean else format(mean, form) for mean in means]
    ranked = measure.metric.family != "diagnostics" and len({*filter(None, shown)}) > 1
    best = format(np.nanmax(means), form) if ranked else ""
    return [Cell(text, bool(best) and text == best) for text in shown]
