"""Tables of runs by measures in the style of papers, in Markdown, LaTeX and as text;
and as columns for programs.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, takewhile
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.registry import check_known
from irmeval.core.tables import (
    DECIMALS,
    FORMATS,
    PRINTED,
    TEXT,
    cell_texts,
    escape_markdown,
    is_number_column,
    sort_rows,
)
from irmeval.core.text import count_noun, shorten
from irmeval.experiments.ends import Ends, ends_of_scores
from irmeval.experiments.incompleteness.filled_holes import HoleEnds
from irmeval.experiments.results import Frame
from irmeval.experiments.verdicts import dagger, mark
from irmeval.metrics import Measure
from irmeval.papers.layout import Printed, PrintedCell
from irmeval.report import printed
from irmeval.scoring.score_table import OVER, Scores

WIDE = ("leaderboard", "matrix", "judges")
"""Experiments whose results have a wide table."""
LARGEST = 30
"""Maximum number of runs in a triangle of pairs."""
NO_HOLES = HoleEnds()
BEST = "the best of each measure in bold"
INTERVALS = "intervals over judgments, after the bias-corrected estimate, and over topics."
WITH_HOLES = (
    " With holes: the score if unjudged documents down to the cut-off, or else the depth of the"
    " pool, were judged, its 95% interval, and bounds, without a cut-off of the whole lists."
)


def as_table(
    found: Any,
    form: str = "markdown",
    *,
    name: str = "scores",
    width: int = 0,
    styled: bool = False,
    digits: int | None = None,
    sort: str = "",
) -> str:
    """Scores, a leaderboard or the agreement of judges as a table to paste. Each row
    has a run, or a pair of judges.

    Parameters
    ----------
    found : `irmeval.Scores`, or a result of the experiments ``leaderboard``, ``matrix``
        and ``judges`` The best score by each measure is bold. A triangle, or dagger in
        LaTeX, marks a run of a leaderboard that differs significantly from the
        baseline, two a run that does so with all pairs at once; letters tell several
        baselines apart.
    form : ``markdown``, ``latex`` (with booktabs, and longtable above 60 runs),
        ``text``, ``csv`` or ``json``
    name : the label in LaTeX, after ``tab:``
    width : the most letters in a line of text; 0 for no limit
    styled : whether a text has the bold letters of a terminal; otherwise a star marks
        them
    digits : decimals of numbers; by default four for people and all for programs
    sort : the measure that orders the rows, the highest first; ``run`` orders by name

    Raises
    ------
    ParamError
        For another form, or a result without such a table.
    UnknownName
        If nothing of this name orders the rows.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.report import as_table
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "c": 1}}
    >>> good = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 2.0}}
    >>> runs = {"good": good, "bad": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0}}}
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
    _check_form(form)
    if form not in PRINTED:
        frame = frame_of(found)
        return FORMATS[form](sort_rows(frame, sort) if sort else frame, digits)
    table = _print_form(found, form == "latex", digits, sort)
    table = table._replace(caption=f"{table.caption} {found.note}".strip())
    if form == TEXT:
        return printed.text(table, width=width, styled=styled)
    if form == "latex":
        return printed.latex(table, name)
    return f"{printed.markdown(table)}\n\n{escape_markdown(table.caption)}\n"


def _check_form(form: str) -> None:
    """Raise `ParamError` for a form that no table has."""
    known = (*FORMATS, TEXT)
    if form not in known:
        raise ParamError(f"form: expected one of {', '.join(known)}, found {shorten(form)}.")


def frame_of(found: Any) -> Frame:
    """Columns of numbers of the table of `as_table`: run, topics and measures; or a
    pair of judges and their agreement.
    """
    kind = _kind_of(found)
    if kind == "judges":
        return found.by_pair()
    if kind == "matrix":
        return found.frame()
    if kind == "leaderboard":
        return _with_ends(found.board(), found.scores, (found.holes, found.ends), found.order())
    return _with_ends(found.board(), found, (ends_of_scores(found),), range(len(found.runs)))


def _print_form(found: Any, papers: bool, digits: int | None, sort: str) -> Printed:
    kind = _kind_of(found)
    if kind == "judges":
        pairs = sort_rows(found.by_pair(), sort) if sort else found.by_pair()
        caption = "Agreement of every two judges on all documents that both judged."
        return of_frame(pairs, caption, digits=digits)
    decimals = DECIMALS if digits is None else digits
    if kind == "matrix":
        return _print_pairs(found, papers, decimals)
    if kind == "leaderboard":
        order = _order_by(found.scores, sort) if sort else found.order()
        return _print_leaderboard(found, papers, order, decimals)
    order = _order_by(found, sort) if sort else range(len(found.runs))
    return _runs_by_measures(found, order, _Beside(ends=ends_of_scores(found)), decimals)


def _order_by(scores: Scores, sort: str) -> Sequence[int]:
    """Runs by their means of a measure, the highest first, or by name."""
    check_known(sort, ["run", *map(str, scores.measures)], "unknown column")
    if sort == "run":
        return range(len(scores.runs))
    means = scores.means[[*map(str, scores.measures)].index(sort)]
    order: list[int] = np.argsort(-means, kind="stable").tolist()
    return order


def _kind_of(found: Any) -> str:
    """``scores``, or the experiment of a result in `WIDE`. Raises `ParamError` for
    anything else.
    """
    if isinstance(found, Scores):
        return "scores"
    made_by = getattr(found, "made_by", None)
    name = str(made_by.experiment) if made_by else ""
    if name not in WIDE:
        raise ParamError(
            f"as_table: expected scores, or a result of {', '.join(WIDE[:-1])} or {WIDE[-1]}, found"
            f" {type(found).__name__}."
        )
    return name


def of_frame(frame: Frame, caption: str = "", words: int = 0, digits: int | None = None) -> Printed:
    """Any frame in printed form. The first columns are words, by default those before
    the first column of numbers.
    """
    rows = cell_texts(frame, digits)
    if not words:
        are_words = takewhile(lambda column: not is_number_column(column), zip(*rows, strict=True))
        words = max(1, len([*are_words]))
    lines = tuple(tuple(map(PrintedCell, row)) for row in rows)
    return Printed("", caption, words, tuple(map(str, frame.columns)), (("", lines),))


def _with_ends(
    board: Frame, scores: Scores, more: Sequence[Ends | HoleEnds], order: Sequence[int] | np.ndarray
) -> Frame:
    """Columns of a board, a row per run in this order. An estimator on a sample is
    followed by its estimate and the limits of both intervals, a measure with holes by
    its score with these judged.
    """
    for m, measure in enumerate(scores.measures):
        beside = [column for ends in reversed(more) for column in ends.columns_of(m).items()]
        at = list(board).index(measure) + 1
        # each is put right after the measure, so the last comes first
        for name, values in reversed(beside):
            board.insert(at, f"{measure} {name}", values[order])
    return board


def long_frame(scores: Scores, topics: bool = False, *, whole: bool = False) -> Frame:
    """A row per run and measure with the mean (topic ``all``); with `topics`, rows of
    single topics are first. With `whole`, sums are whole numbers. On a sample the means
    have the columns of `Ends`.
    """
    ends = {name: values.T.ravel() for name, values in ends_of_scores(scores).columns().items()}
    frame = pd.DataFrame(scores.columns(means=True) | ends)
    if topics:
        frame = pd.concat([scores.frame(), frame], ignore_index=True)
    sums = {str(measure) for measure in scores.measures if measure.metric.summed}
    if whole and sums:
        is_count = frame["measure"].isin(sums) & frame["score"].notna()
        counts = frame.loc[is_count, "score"].round().astype(int)
        frame["score"] = frame["score"].astype(object).mask(is_count, counts.astype(object))
    return frame


def aggregate_frame(scores: Scores, aggregate: str) -> Frame:
    """A row per run and measure with one of `AGGREGATES`, the topic named after it."""
    means = scores.mean(aggregate).rename_axis(columns="measure").stack(future_stack=True)
    frame = means.reset_index().rename(columns={0: "score"}).assign(topic=aggregate)
    return frame[["run", "measure", "topic", "score"]]


def topics_frame(scores: Scores) -> Frame:
    """A row per run and topic, a column per measure. The topics of a run are followed
    by its means, topic ``all``.
    """
    frame, place = scores.frame(wide=True), {run: i for i, run in enumerate(scores.runs)}
    means = scores.board().assign(topic="all")[[*frame]]
    return pd.concat([frame, means]).sort_values(
        "run", kind="stable", key=lambda runs: runs.map(place), ignore_index=True
    )


def _print_leaderboard(
    result: Any, papers: bool, order: Sequence[int] | np.ndarray, digits: int
) -> Printed:
    """The means in this order of runs, with marks for significant differences from each
    baseline.
    """
    views, than = result.views, result.baseline
    letters, tags = [""], dict[str, str]()
    if len(views) > 1:
        letters = [*ascii_lowercase[: len(views)]]
        tags = {view.baseline: f" ({letters[k]})" for k, view in enumerate(views)}
        than = "the run with that letter"
    raised = {
        cell: _raise_marks([int(view.verdicts[cell]) for view in views], letters, papers)
        for cell in np.ndindex(*result.verdicts.shape)
    }
    tested = ""
    if np.isfinite(result.p_alone).any():
        tested = f" Compared with {than}: {result.describe_marks(papers=papers)}"
    beside = _Beside(raised, tags, tested, result.ends, result.holes)
    return _runs_by_measures(result.scores, order, beside, digits)


def _raise_marks(verdicts: Sequence[int], letters: Sequence[str], papers: bool) -> str:
    """The superscripts of a mean: for each mark, the letters of the baselines that it
    holds for, the clearest difference first.
    """
    write = dagger if papers else mark
    told = dict[int, str]()
    for letter, verdict in zip(letters, verdicts, strict=True):
        if verdict:  # a lone baseline has an empty letter, and still its mark
            told[verdict] = told.get(verdict, write(verdict)) + letter
    ranked = sorted(told, reverse=True)
    return "".join(told[verdict] for verdict in ranked)


def _print_pairs(result: Any, papers: bool, digits: int) -> Printed:
    """A triangle of marks for each measure, best run first: comparison of the run of
    the row with the better ones, by their numbers.
    """
    write = dagger if papers else mark
    parts = []
    for m, name in enumerate(result.names):
        best = result.order(name)[:LARGEST]
        verdict = result.tested[m].verdict[np.ix_(best, best)].tolist()
        lines = []
        for i, r in enumerate(best):
            mean = f"{result.means[m, r]:.{digits}f}"
            # no mark for the run itself and for worse ones, but a cell
            marks = [*map(write, verdict[i][:i]), *[""] * (len(best) - 1 - i)]
            lines.append(tuple(map(PrintedCell, (str(i + 1), result.runs[r], mean, *marks))))
        parts.append((name, tuple(lines)))
    runs = len(result.runs)
    some = f"{runs:,} runs"
    if runs > LARGEST:
        some = f"The best {LARGEST} of {count_noun(runs, 'run')}"
    told = result.describe_marks(papers=papers)
    caption = f"{some}, compared with the better ones by number. {told}"
    head = ("", "run", "mean", *map(str, range(1, min(runs, LARGEST))))
    return Printed("", caption, 2, head, tuple(parts))


class _Beside(NamedTuple):
    """What stands beside the means."""

    raised: Mapping[tuple[int, ...], str] = MappingProxyType({})
    """superscripts by (measure, run)"""
    tags: Mapping[str, str] = MappingProxyType({})
    """what follows the names of runs"""
    tested: str = ""
    """a sentence on the tests"""
    ends: Ends = Ends()
    """intervals of estimators on a sample"""
    holes: HoleEnds = NO_HOLES


def _runs_by_measures(
    scores: Scores, order: Sequence[int] | np.ndarray, beside: _Beside, digits: int
) -> Printed:
    """A row per run in this order. An estimator on a sample is followed by its
    intervals.
    """
    tags, ends, holes = beside.tags, beside.ends, beside.holes
    # a column of topics only where runs have different numbers of them
    topics: Any = [] if np.all(scores.counts == scores.counts.flat[0]) else scores.board()["topics"]
    cells = [*map(partial(_cells_of_measure, digits=digits), scores.means, scores.measures)]
    lines = []
    for r in order:
        run = scores.runs[r]
        line = [PrintedCell(f"{run}{tags.get(run, '')}")]
        if len(topics):
            line.append(PrintedCell(str(topics[r])))
        for m, measure in enumerate(scores.measures):
            line.append(cells[m][r]._replace(raised=beside.raised.get((m, r), "")))
            line += _interval_cells(ends.of_measure(m), r, _mean_format(measure, digits))
            line += _hole_cells(holes.columns_of(m), r, digits)
        lines.append(tuple(line))
    head = ["run", "topics"] if len(topics) else ["run"]
    for m, measure in enumerate(scores.measures):
        head += _heads_of_measure(str(measure), m, beside)
    has_bold = any(cell.bold for cell in chain.from_iterable(cells))
    caption = f"{_describe_means(scores)}; {BEST}." if has_bold else f"{_describe_means(scores)}."
    measures = range(len(scores.measures))
    if any(ends.of_measure(m) is not None for m in measures):
        caption += f" {ends.level:.0%} {INTERVALS}"
    if any(holes.columns_of(m) for m in measures):
        caption += WITH_HOLES
    return Printed("", f"{caption}{beside.tested}", 1, tuple(head), (("", tuple(lines)),))


def _heads_of_measure(name: str, m: int, beside: _Beside) -> list[str]:
    """Heads of the columns of one measure, its own first."""
    heads = [name]
    if beside.ends.of_measure(m) is not None:
        heads += [f"{name} over {what}" for what in OVER]
    if beside.holes.columns_of(m):
        heads += [f"{name} with holes", f"{name} bounds"]
    return heads


def _interval_cells(ends: np.ndarray | None, run: int, form: str) -> list[PrintedCell]:
    """Intervals of one mean: the estimate with its interval over judgments, and the
    interval over topics. Empty for other measures.
    """
    if ends is None:
        return []
    mean, low, high, least, most = (_number(end, form) for end in ends[:, run])
    return [PrintedCell(f"{mean} ({low} to {high})"), PrintedCell(f"{least} to {most}")]


def _hole_cells(columns: Mapping[str, np.ndarray], run: int, digits: int) -> list[PrintedCell]:
    """The score with holes judged, its interval, and its bounds; empty if it was not
    asked for.
    """
    if not columns:
        return []
    mean, low, high, least, most = (
        _number(values[run], f".{digits}f") for values in columns.values()
    )
    judged = f"{mean} ({low} to {high})" if mean else ""
    bounds = f"{least} to {most}" if least else ""
    return [PrintedCell(judged), PrintedCell(bounds)]


def _mean_format(measure: Measure, digits: int) -> str:
    return ".0f" if measure.metric.summed else f".{digits}f"


def _describe_means(scores: Scores) -> str:
    """The part of a caption that names the topics of the means."""
    most = int(scores.counts.max(initial=0))
    over = count_noun(most, "topic") if np.all(scores.counts == most) else "the topics with a score"
    sums = [measure for measure in scores.measures if measure.metric.summed]
    if not sums:
        return f"Means over {over}"
    return f"Means over {over}, {', '.join(sums)} summed"


def _cells_of_measure(means: np.ndarray, measure: Measure, digits: int) -> list[PrintedCell]:
    """The means by one measure. The highest is bold, unless all shown numbers are
    equal, or the measure is a diagnostic.
    """
    form = _mean_format(measure, digits)
    shown = [_number(mean, form) for mean in means]
    different = {*shown} - {""}
    best = None
    if measure.metric.family != "diagnostics" and len(different) > 1:
        best = format(np.nanmax(means), form)
    return [PrintedCell(text, text == best) for text in shown]


def _number(value: float, form: str) -> str:
    """A number as text, empty for NaN."""
    return "" if np.isnan(value) else format(value, form)
