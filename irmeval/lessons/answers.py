"""What a lesson's numbers are on a collection, and whether its claims hold there."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from irmeval.collection import Collection, read_collection
from irmeval.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Frame, Result, table_named
from irmeval.lessons.reading import PLACE, Claim, Lesson, Number, is_number
from irmeval.places import SAMPLE
from irmeval.words import shorten

NEAR = 1e-9
"""Numbers nearer than this are the same."""
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b - NEAR,
    ">": lambda a, b: a > b + NEAR,
    "<=": lambda a, b: a <= b + NEAR,
    ">=": lambda a, b: a >= b - NEAR,
    "=": lambda a, b: abs(a - b) <= NEAR,
}


@dataclass(frozen=True, eq=False)
class Answer:
    """What came out.

    Attributes
    ----------
    lesson, result : what was asked, and what its experiment returned
    numbers : by name
    failed : the claims that do not hold here
    """

    lesson: Lesson
    result: Result
    numbers: Mapping[str, float]
    failed: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """Whether all claims do."""
        return not self.failed

    @property
    def punch(self) -> str:
        """The answer in words, with its numbers."""
        return self._filled(self.lesson.punch)

    @property
    def work(self) -> str:
        """The formula at work, with its numbers."""
        return self._filled(self.lesson.work)

    def said(self, name: str) -> str:
        """A number as the lesson writes it."""
        return format(self.numbers[name], self.lesson.numbers[name].form)

    def said_of(self, claim: Claim) -> str:
        """A claim with its numbers, as in ``tau_ap 0.55 < tau_q 0.64``."""
        sides = (side if is_number(side) else f"{side} {self.said(side)}" for side in (claim.left, claim.right))
        return f" {claim.sign} ".join(sides)

    def _filled(self, text: str) -> str:
        """A text with its numbers in place of the names in braces."""
        return PLACE.sub(lambda place: self.said(place[1]), text)


def sample() -> Collection:
    """The collection that lessons look at unless they are given another."""
    return read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs")


def answer(lesson: Lesson, collection: Collection | None = None) -> Answer:
    """Run a lesson's experiment and look its numbers up.

    Parameters
    ----------
    collection : by default the sample; not looked at where the lesson needs no data

    Raises
    ------
    ParamError
        Where a number cannot be found on these data, or the experiment cannot work on them.

    Examples
    --------
    >>> from irmeval import lessons
    >>> print(lessons.answer(lessons.load("ideal_rbp")).punch)
    RBP with p = .95 gives this perfect list 0.05; ...
    """
    experiment = EXPERIMENTS[lesson.experiment]
    source = (collection or sample()) if experiment.data else None
    return of_result(lesson, experiment(source, lesson.measures, lesson.params))


def of_result(lesson: Lesson, result: Result) -> Answer:
    """The numbers in a result that is there already; raises `ParamError` as `answer`."""
    tables: dict[str, Frame] = {}
    numbers = {name: _found(lesson, name, number, result, tables) for name, number in lesson.numbers.items()}

    def value(side: str) -> float:
        return float(side) if is_number(side) else numbers[side]

    failed = tuple(c for c in lesson.claims if not _COMPARED[c.sign](value(c.left), value(c.right)))
    return Answer(lesson, result, numbers, failed)


def _found(lesson: Lesson, name: str, number: Number, result: Result, tables: dict[str, Frame]) -> float:
    if number.table not in tables:
        made = table_named(result, number.table) if number.table else result.tables()[0]
        tables[number.table] = made.make()
    frame, at = tables[number.table], f"{lesson.name}, {name}"
    value = _cell(frame, number.where, number.column, at)
    if number.less:
        value -= _cell(frame, {**number.where, **number.less}, number.column, at)
    if number.over:
        other = _cell(frame, {**number.where, **number.over}, number.column, at)
        value = value / other if other else math.nan
    if not math.isfinite(value):
        raise ParamError(f"{at}: expected a number in {number.column}, came none.")
    return value


def _cell(frame: Frame, where: Mapping[str, str | float], column: str, at: str) -> float:
    """The number in the one row that fits."""
    for name in (*where, column):
        if name not in frame:
            raise ParamError(f"{at}: expected one of the columns {', '.join(map(str, frame))}, came {shorten(name)}.")
    rows = frame
    for name, value in where.items():
        rows = rows[[_same(cell, value) for cell in rows[name]]]
    if len(rows) != 1:
        wanted = ", ".join(f"{name} {value}" for name, value in where.items())
        raise ParamError(f"{at}: expected one row with {wanted}, came {len(rows)}.")
    cell = rows[column].iloc[0]
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise ParamError(f"{at}: expected a number in {column}, came {shorten(cell)}.") from None


def _same(cell: Any, value: str | float) -> bool:
    return str(cell) == value if isinstance(value, str) else cell == value
