"""Tables of runs by measures in the style of papers, in Markdown, LaTeX and as text;
and as columns for programs.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, takewhile
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.places import place_of_each
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
from irmeval.scoring.score_table import Scores

WIDE = ("leaderboard", "matrix", "judges")
"""Experiments whose results have a wide table."""
LARGEST = 30
"""Maximum number of runs in a triangle of pairs."""
NO_HOLES = HoleEnds()
_Order = Sequence[int] | np.ndarray
"""Indices of runs."""
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
    found : `irmeval.Scores`, or a result of ``leaderboard``, ``matrix`` or ``judges``.
        The best score by each measure is bold. A triangle, or dagger in LaTeX, marks a
        run that differs significantly from the baseline, two a run that does so with
        all pairs at once; letters tell several baselines apart.
    form : ``markdown``, ``latex`` (with booktabs, and longtable above 60 runs),
        ``text``, ``csv`` or ``json``
    name : the label in LaTeX, after ``tab:``
    width : the most letters in a line of text; 0 for no limit
    styled : whether a text has a terminal's bold letters, in place of stars
    digits : decimals of numbers; by default four for people and all for programs
    sort : the measure that orders the rows, the highest first; ``run`` orders by name

    Raises
    ------
    ParamError, UnknownName
        For a form, result or name to order by that there is not.

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
        return FORMATS[form](_sorted(frame_of(found), sort), digits)
    made = PRINTERS[_kind_of(found)](found, _How(form == "latex", digits, sort))
    made = made._replace(caption=f"{made.caption} {found.note}".strip())
    if form == TEXT:
        return printed.text(made, width=width, styled=styled)
    if form == "latex":
        return printed.latex(made, name)
    return f"{printed.markdown(made)}\n\n{escape_markdown(made.caption)}\n"


class _How(NamedTuple):
    """How a table is printed."""

    papers: bool
    """whether it has the marks of papers, not those of screens"""
    digits: int | None
    """decimals of numbers; None for the usual ones"""
    sort: str
    """what orders the rows; empty for the usual order"""

    @property
    def decimals(self) -> int:
        """Decimals of scores."""
        if self.digits is None:
            return DECIMALS
        return self.digits

    def write(self, verdict: int) -> str:
        """Mark of a verdict."""
        if self.papers:
            return dagger(verdict)
        return mark(verdict)

    def order(self, scores: Scores, usual: _Order) -> _Order:
        """Runs by their means of a measure, the highest first, or by name."""
        if not self.sort:
            return usual
        measures = [*map(str, scores.measures)]
        check_known(self.sort, ["run", *measures], "unknown column")
        if self.sort == "run":
            return range(len(scores.runs))
        return np.argsort(-scores.means[measures.index(self.sort)], kind="stable")


def _check_form(form: str) -> None:
    """Raise `ParamError` for a form that no table has."""
    known = (*FORMATS, TEXT)
    if form not in known:
        raise ParamError(f"form: expected one of {', '.join(known)}, found {shorten(form)}.")


def frame_of(found: Any) -> Frame:
    """Columns of numbers of the table of `as_table`: run, topics and measures; or a
    pair of judges and their agreement.
    """
    return FRAMES[_kind_of(found)](found)


def _sorted(frame: Frame, by: str) -> Frame:
    """Rows by the name or measure of `sort_rows`, or as they are without one."""
    return sort_rows(frame, by) if by else frame


def _frame_of_judges(found: Any) -> Frame:
    return found.by_pair()


def _frame_of_pairs(found: Any) -> Frame:
    return found.frame()


def _frame_of_leaderboard(found: Any) -> Frame:
    return _with_ends(found.board(), found.scores, found.ends, found.order(), found.holes)


def _frame_of_scores(found: Scores) -> Frame:
    return _with_ends(found.board(), found, ends_of_scores(found), range(len(found.runs)))


def _print_judges(found: Any, how: _How) -> Printed:
    pairs = _sorted(found.by_pair(), how.sort)
    caption = "Agreement of every two judges on all documents that both judged."
    return of_frame(pairs, caption, digits=how.digits)


def _print_scores(found: Scores, how: _How) -> Printed:
    order = how.order(found, range(len(found.runs)))
    beside = _Beside(np.full(found.means.shape, ""), ends=ends_of_scores(found))
    return _runs_by_measures(found, order, beside, how.decimals)


def _kind_of(found: Any) -> str:
    """``scores``, or the experiment of a result in `WIDE`. Raises `ParamError` for
    anything else.
    """
    if isinstance(found, Scores):
        return "scores"
    made_by = getattr(found, "made_by", None)
    name = str(getattr(made_by, "experiment", ""))
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
    board: Frame, scores: Scores, ends: Ends, order: _Order, holes: HoleEnds = NO_HOLES
) -> Frame:
    """Columns of a board, a row per run in this order. An estimator on a sample is
    followed by its estimate and the limits of both intervals, a measure with holes by
    its score with these judged.
    """
    for m, measure in enumerate(scores.measures):
        beside = ends.columns_of(m) | holes.columns_of(m)
        at = list(board).index(measure) + 1
        # each is put right after the measure, so the last comes first
        for name, values in reversed(beside.items()):
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
        # among floats, a sum would stay a float and be written as one
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
    frame, place = scores.frame(wide=True), place_of_each(scores.runs)
    means = scores.board().assign(topic="all")[[*frame]]
    # by the order of the runs: as words, run10 comes before run2
    return pd.concat([frame, means]).sort_values(
        "run", kind="stable", key=lambda runs: runs.map(place), ignore_index=True
    )


def _print_leaderboard(result: Any, how: _How) -> Printed:
    """The means with marks for significant differences from each baseline."""
    views, than = result.views, result.baseline
    letters, tags = [""], dict[str, str]()
    if len(views) > 1:
        letters = [*ascii_lowercase[: len(views)]]
        tags = {view.baseline: f" ({letters[k]})" for k, view in enumerate(views)}
        than = "the run with that letter"
    raised = np.full(result.verdicts.shape, "", object)
    for cell in np.ndindex(raised.shape):
        verdicts = [int(view.verdicts[cell]) for view in views]
        raised[cell] = _raise_marks(verdicts, letters, how)
    tested = ""
    if np.isfinite(result.p_alone).any():
        tested = f" Compared with {than}: {result.describe_marks(papers=how.papers)}"
    beside = _Beside(raised, tags, tested, result.ends, result.holes)
    order = how.order(result.scores, result.order())
    return _runs_by_measures(result.scores, order, beside, how.decimals)


def _raise_marks(verdicts: Sequence[int], letters: Sequence[str], how: _How) -> str:
    """The superscripts of a mean: for each mark, the letters of the baselines that it
    holds for, the clearest difference first.
    """
    of_mark = defaultdict[int, str](str)
    for letter, verdict in zip(letters, verdicts, strict=True):
        # a lone baseline has an empty letter, and still its mark
        of_mark[verdict] += letter
    of_mark.pop(0, None)
    return "".join(how.write(verdict) + of_mark[verdict] for verdict in sorted(of_mark)[::-1])


def _print_pairs(result: Any, how: _How) -> Printed:
    """A triangle of marks for each measure, best run first: comparison of the run of
    the row with the better ones, by their numbers.
    """
    parts = []
    for m, name in enumerate(result.names):
        best = result.order(name)[:LARGEST]
        verdict = result.tested[m].verdict[np.ix_(best, best)].tolist()
        lines = []
        for i, r in enumerate(best):
            mean = f"{result.means[m, r]:.{how.decimals}f}"
            # no mark for the run itself and for worse ones, but a cell
            marks = [*map(how.write, verdict[i][:i]), *[""] * (len(best) - 1 - i)]
            lines.append(tuple(map(PrintedCell, (str(i + 1), result.runs[r], mean, *marks))))
        parts.append((name, tuple(lines)))
    runs = len(result.runs)
    some = f"{runs:,} runs"
    if runs > LARGEST:
        some = f"The best {LARGEST} of {count_noun(runs, 'run')}"
    told = result.describe_marks(papers=how.papers)
    caption = f"{some}, compared with the better ones by number. {told}"
    head = ("", "run", "mean", *map(str, range(1, min(runs, LARGEST))))
    return Printed("", caption, 2, head, tuple(parts))


class _Beside(NamedTuple):
    """What stands beside the means."""

    raised: np.ndarray
    """superscripts [measure, run]"""
    tags: Mapping[str, str] = MappingProxyType({})
    """what follows the names of runs"""
    tested: str = ""
    """a sentence on the tests"""
    ends: Ends = Ends()
    """intervals of estimators on a sample"""
    holes: HoleEnds = NO_HOLES


_Columns = dict[str, list[PrintedCell]]
"""Cells by the head of their column, one for each run."""


def _runs_by_measures(scores: Scores, order: _Order, beside: _Beside, digits: int) -> Printed:
    """A row per run in this order. An estimator on a sample is followed by its
    intervals.
    """
    tags, caption = beside.tags, _describe_means(scores)
    columns: _Columns = {"run": [PrintedCell(f"{run}{tags.get(run, '')}") for run in scores.runs]}
    # a column of topics only where runs have different numbers of them
    if len({*scores.counts.flat}) > 1:
        columns["topics"] = [*map(PrintedCell, map(str, scores.board()["topics"]))]
    means, intervals, filled = _Columns(), _Columns(), _Columns()
    for m, measure in enumerate(scores.measures):
        form = _mean_format(measure, digits)
        own = {str(measure): _mean_cells(scores.means[m], measure, beside.raised[m], form)}
        over = _interval_columns(
            beside.ends.columns_of(m), form, f"{measure} over judgments", f"{measure} over topics"
        )
        holes = _interval_columns(
            beside.holes.columns_of(m), f".{digits}f", f"{measure} with holes", f"{measure} bounds"
        )
        columns |= own | over | holes
        means, intervals, filled = means | own, intervals | over, filled | holes
    if any(cell.bold for cell in chain.from_iterable(means.values())):
        caption += f"; {BEST}"
    caption += "."
    if intervals:
        caption += f" {beside.ends.level:.0%} {INTERVALS}"
    if filled:
        caption += WITH_HOLES
    rows = [*zip(*columns.values(), strict=True)]
    lines = tuple(rows[r] for r in order)
    return Printed("", f"{caption}{beside.tested}", 1, tuple(columns), (("", lines),))


def _mean_cells(
    means: np.ndarray, measure: Measure, raised: np.ndarray, form: str
) -> list[PrintedCell]:
    """The means by one measure with their superscripts. The highest is bold, unless all
    shown numbers are equal, or the measure is a diagnostic.
    """
    shown = _write_numbers(means, form)
    best = None
    has_best = len({*shown} - {""}) > 1
    if has_best and measure.metric.family != "diagnostics":
        best = format(np.nanmax(means), form)
    return [PrintedCell(text, text == best, up) for text, up in zip(shown, raised, strict=True)]


def _interval_columns(
    ends: Mapping[str, np.ndarray], form: str, first: str, second: str
) -> _Columns:
    """A column of estimates with their intervals, and one of wider intervals, under
    these heads; none for measures without them.
    """
    if not ends:
        return {}
    texts = [_write_numbers(values, form) for values in ends.values()]
    columns: _Columns = {first: [], second: []}
    for mean, low, high, least, most in zip(*texts, strict=True):
        estimate, wider = f"{mean} ({low} to {high})", f"{least} to {most}"
        # a run without a hole, or a measure without bounds, has an empty cell
        columns[first].append(PrintedCell(estimate * bool(mean)))
        columns[second].append(PrintedCell(wider * bool(least)))
    return columns


def _mean_format(measure: Measure, digits: int) -> str:
    if measure.metric.summed:
        return ".0f"
    return f".{digits}f"


def _describe_means(scores: Scores) -> str:
    """The part of a caption that names the topics of the means."""
    most = int(scores.counts.max(initial=0))
    over = "the topics with a score"
    if np.all(scores.counts == most):
        over = count_noun(most, "topic")
    sums = [measure for measure in scores.measures if measure.metric.summed]
    if not sums:
        return f"Means over {over}"
    return f"Means over {over}, {', '.join(sums)} summed"


def _write_numbers(values: np.ndarray, form: str) -> list[str]:
    """Numbers as texts, empty for NaN."""
    texts = [format(value, form) for value in values]
    return np.where(np.isnan(values), "", texts).tolist()


FRAMES: Mapping[str, Callable[[Any], Frame]] = {
    "scores": _frame_of_scores,
    "leaderboard": _frame_of_leaderboard,
    "matrix": _frame_of_pairs,
    "judges": _frame_of_judges,
}
PRINTERS: Mapping[str, Callable[[Any, _How], Printed]] = {
    "scores": _print_scores,
    "leaderboard": _print_leaderboard,
    "matrix": _print_pairs,
    "judges": _print_judges,
}
