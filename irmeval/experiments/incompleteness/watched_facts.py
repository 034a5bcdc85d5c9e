"""The facts of *Curves*, and the sentences that are made from them."""

from collections.abc import Iterator
from functools import partial
from itertools import chain, product
from typing import NamedTuple

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.core.text import capitalize, count_noun, count_with_be, verb
from irmeval.experiments.facts import LONGEST, Fact, Verdict, name_of
from irmeval.experiments.headlines import describe_crossings, falls_below
from irmeval.experiments.incompleteness.watched_values import CurveValues
from irmeval.experiments.trials import WHOLE, describe_depth, describe_removed
from irmeval.experiments.watched.base import Curve, Statistic
from irmeval.experiments.watched.same_order import label_of
from irmeval.stats.crossings import find_crossings


class _Subject(NamedTuple):
    """A curve of a column, and where it is in its values."""

    measure: str
    line: str
    at: tuple[int, ...]


def _subjects(watched: CurveValues, column: str) -> Iterator[_Subject]:
    measures: list[tuple[str, tuple[int, ...]]] = [("", ())]
    if watched.measured(column):
        measures = [(str(measure), (m,)) for m, measure in enumerate(watched.measures)]
    for (measure, at), (i, line) in product(measures, enumerate(watched.labels)):
        yield _Subject(measure, line, (*at, i))


def state(watched: CurveValues) -> list[Fact]:
    """What the result states: each column at the last level, and where curves fall to
    the value that counts.
    """
    at_the_end = map(partial(_at_the_end, watched), watched.values)
    of_curves = map(partial(falls, watched), watched.with_level)
    return [*chain.from_iterable(at_the_end), *chain.from_iterable(of_curves)]


def _at_the_end(watched: CurveValues, column: str) -> Iterator[Fact]:
    """A column at the last level, by measure and line."""
    tested = {curve.column for one, curve in watched.charted if one.tested}
    reading = ""
    if column in tested:
        reading = "alone"
    values, level = watched.curve(column), float(watched.levels[-1])
    left = watched.left[:, -1].mean(axis=-1)
    for measure, line, at in _subjects(watched, column):
        value = float(values[at][-1])
        yield Fact(column, measure, line, value, level, float(left[at[-1]]), reading)


def falls(watched: CurveValues, curve: Curve) -> list[Fact]:
    """Where the mean curves of a chart fall to its level, by measure and line."""
    assert curve.level is not None
    at = find_crossings(watched.levels, watched.curve(curve.column), curve.level)
    # where less than a twentieth is removed, a curve that does not fall says nothing
    if watched.realised and watched.realised[-1].nearly_all:
        at = np.full(at.shape, np.nan)
    what, found = f"{curve.column} {falls_below(curve.level)}", []
    for measure, line, place in _subjects(watched, curve.column):
        x = float(at[place])
        found.append(Fact(what, measure, line, curve.level, x, _left_at(watched, x)))
    return found


def _left_at(watched: CurveValues, level: float) -> float:
    """Share of the judgments at a level between two, in per cent; NaN where levels are
    no shares.
    """
    if not watched.realised:
        return np.nan
    if not np.isfinite(level):
        return level
    # np.interp wants them rising, and shares fall
    return float(np.interp(level, watched.levels[::-1], watched.reached[::-1]))


def write_place(watched: CurveValues, level: float) -> str:
    """A level between two in words: ``at 34%``."""
    if watched.realised:
        level = _left_at(watched, level)
    return watched.axis.at(level)


def _describe_falls(watched: CurveValues, curve: Curve) -> str:
    """A sentence on where curves fall to the value that counts; by the first measure if
    there are lines.
    """
    assert curve.level is not None
    found = falls(watched, curve)
    if watched.by.name and watched.measured(curve.column):
        found = [fact for fact in found if fact.measure == str(watched.measures[0])]
    what = curve.title
    if curve.column == watched.correlation:
        what = label_of(watched.params)
    return describe_crossings(
        capitalize(what),
        falls_below(curve.level),
        [name_of(fact, found) for fact in found],
        np.array([fact.level for fact in found]),
        lambda level: write_place(watched, level),
        end=f"not {watched.direction} to {watched.end}",
        first=float(watched.levels[0]),
        descending=watched.direction == "down",
    )


def answer(watched: CurveValues) -> Verdict:
    """What the first statistic says at the last level; beside it, where curves fall to
    the value that counts; below, what the others say.
    """
    is_whole = watched.levels == (watched.axis.whole,)
    if is_whole and not watched.by.axis:
        scored = f"{count_with_be(len(watched.runs), 'run')} scored by"
        measures = count_noun(len(watched.measures), "measure")
        return Verdict(f"{scored} {measures} on {watched.axis.everything}.")
    if watched.too_little:
        return _refuse(watched)
    clauses = {one: clause for one in watched.by_weight if (clause := one.says(watched))}
    if not clauses or _all_score_nothing(watched):
        return Verdict("There is nothing to compare.", _describe_nothing(watched))
    first, *others = clauses
    lead = ""
    if _is_of_lines(watched, first, clauses[first]):
        lead = f"by {watched.measures[0]}, "
    of_curves = map(partial(_describe_falls, watched), watched.with_level)
    beside = [*of_curves, *_remarks(watched)]
    below = " ".join(_as_sentence(watched, one, clauses[one]) for one in others)
    claim = _shorten(watched, f"{watched.at_the_end()}, {lead}{clauses[first]}.")
    if watched.realised and watched.realised[-1].beside not in claim:
        beside.insert(0, f"Asked for: {watched.realised[-1].asked:g}%.")
    return Verdict(claim, " ".join(filter(None, beside)), below)


def _shorten(watched: CurveValues, claim: str) -> str:
    """A claim without words that a reader can do without, where it is too long; last what
    share of the judgments was asked for.
    """
    drops = [(" the order of the runs ", " the order ")]
    if watched.realised:
        asked = watched.realised[-1].beside
        drops.append((f" left{asked},", ","))
    for before, after in drops:
        if len(claim.split()) > LONGEST:
            claim = claim.replace(before, after)
    return claim


def _remarks(watched: CurveValues) -> Iterator[str]:
    """Sentences on tests, on topics without a score, and on what was left."""
    if watched.tested:
        yield f"Tests: {watched.params.decided_by}."
    yield _describe_few_topics(watched)
    if watched.realised:
        yield watched.realised[-1].reason.strip()


def _is_of_lines(watched: CurveValues, one: Statistic, clause: str) -> bool:
    """Whether what a statistic says compares lines by the first measure, without naming
    that.
    """
    return bool(watched.by.name) and one.measured and str(watched.measures[0]) not in clause


def _as_sentence(watched: CurveValues, one: Statistic, clause: str) -> str:
    """A clause alone. A measure that it begins with is written as it is."""
    if _is_of_lines(watched, one, clause):
        return f"By {watched.measures[0]}, {clause}."
    has_measure_first = not watched.by.name and clause.startswith(watched.names)
    if has_measure_first:
        return f"{clause}."
    return f"{capitalize(clause)}."


def _refuse(watched: CurveValues) -> Verdict:
    """What stands in place of a verdict if too little is removed."""
    if watched.realised:
        return watched.realised[-1].refusal()
    note = ""
    if watched.axis.name == "depth":
        longest = int(watched.collection.length.max(initial=0))
        note = describe_depth(watched.levels[-1], longest)
    left = float(watched.left[0, -1].mean())
    said = f"{watched.at_the_end()}, {per_cent(left / WHOLE)} of the judgments are left."
    return Verdict(describe_removed(left), f"{note} {said}".lstrip())


def _all_score_nothing(watched: CurveValues) -> bool:
    """Whether all scores are 0 or missing where anything is read off them."""
    means = watched.whole_means
    return means.size > 0 and not np.nan_to_num(means).any()


def _describe_nothing(watched: CurveValues) -> str:
    at = watched.at_the_end()
    at = f"{at[:1].lower()}{at[1:]}"
    return f"Every run scores 0 on {watched.everything}, or has no score {at}."


def _describe_few_topics(watched: CurveValues) -> str:
    """A sentence on samples with fewer topics than others; else empty."""
    topics = watched.values.get("topics")
    if topics is None or "topics" in (watched.axis.name, watched.by.name):
        return ""
    tested = watched.values.get("power", watched.values.get("accuracy", 0))
    if np.isnan(tested).any():
        return "Samples in which no two runs have 2 topics with a score for both are left out."
    fewest = int(topics.min())
    if fewest == topics.max():
        return ""
    only = f"{count_noun(fewest, 'topic')} {verb(fewest, 'has', 'have')}"
    return f"In some samples only {only} a score for every run."
