"""Numbers of a lesson on a collection, and whether its claims hold."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import filterfalse
from string import ascii_uppercase
from typing import Any

from irmeval.collection import Collection, read_collection
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.folders import SAMPLE
from irmeval.core.text import shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Chart, Frame, Result, table_named
from irmeval.lessons.claims import NONE, Claim, Margin, read_all
from irmeval.lessons.reading import DECIDED, ENDING, FIGURES, GREATEST, LEAST, Lesson, Number
from irmeval.lessons.words import fill


@dataclass(frozen=True, eq=False)
class Answer:
    """Result of a lesson's experiment, the lesson's numbers, and the choice that they
    make right.
    """

    lesson: Lesson
    result: Result
    numbers: Mapping[str, float]
    right: int
    """the choice whose claims hold here by the lesson's margin, from 1; 0 if there is
    none
    """
    close: int = 0
    """where there is none, the choice whose claims hold but for the margin; 0 if there
    is none
    """

    @property
    def verdict(self) -> str:
        """The right choice, or why there is none."""
        if self.right:
            return f"{ascii_uppercase[self.right - 1]}: {self.lesson.choices[self.right - 1]}"
        if self.close:
            return f"Too close here: the numbers differ by less than {self._margin_text()}."
        return "None of the answers is right here."

    def _margin_text(self) -> str:
        """The margin in the unit of the numbers that are too close."""
        margin = self.lesson.margin
        if margin.is_share:
            return str(margin)
        first, *_ = self.lesson.claims[self.close - 1]
        named = next(filter(self.numbers.__contains__, first.sides))
        # as the reader sees the numbers: 0.05 of shares is 5 percentage points
        is_per_cent = self.lesson.numbers[named].form.strip("|").endswith("%")
        if is_per_cent:
            return f"{100 * margin.size:g} percentage points"
        return str(margin)

    @property
    def holds(self) -> bool:
        """Whether the lesson's right choice is right on this collection."""
        return self.right == self.lesson.right

    @property
    def failed(self) -> tuple[Claim, ...]:
        """The claims of the lesson's right choice that do not hold on this
        collection.
        """
        of_right = self.lesson.claims[self.lesson.right - 1]
        return tuple(filterfalse(self.claim_holds, of_right))

    def claim_holds(self, claim: Claim) -> bool:
        """Whether a claim holds by the lesson's margin."""
        return claim.holds(self.numbers, self.lesson.margin)

    @property
    def look(self) -> str:
        """What to look at in the figure."""
        return self._fill(self.lesson.look)

    @property
    def punch(self) -> str:
        """Text of the answer, with its numbers."""
        return self._fill(self.lesson.punch)

    @property
    def work(self) -> str:
        """Text of the formula with numbers."""
        return self._fill(self.lesson.work)

    @property
    def chart(self) -> Chart:
        """The lesson's chart, with all its lines. Raises `StopIteration` if the
        experiment is the lab, which draws its lists itself.
        """
        return self.charts[0]

    @property
    def charts(self) -> list[Chart]:
        """The lesson's chart, and the one beside it, if there is one."""
        drawn = {chart.name: chart for chart in self.result.charts()}
        return [drawn[name] for name in (self.lesson.chart, self.lesson.beside) if name in drawn]

    def number_text(self, name: str) -> str:
        """A number in the lesson's format."""
        form, value = self.lesson.numbers[name].form, self.numbers[name]
        # between bars as in mathematics: without its sign
        if form.startswith("|"):
            return format(abs(value), form.strip("|"))
        return format(value, form)

    def claim_text(self, claim: Claim) -> str:
        """A claim with its numbers, as in ``tau_ap 0.55 < tau_q 0.64``."""
        return claim.write(self.number_text)

    def _fill(self, text: str) -> str:
        """A text with its numbers, the test they rest on, and the words that depend on
        them.
        """

        def number(name: str) -> str:
            if name == DECIDED:
                return str(self.result.params.decided_by)
            return self.number_text(name)

        def holds(condition: str) -> bool:
            return all(map(self.claim_holds, read_all(condition, self.numbers) or ()))

        return fill(text, number, holds)


@cache
def sample_collection() -> Collection:
    """Collection for lessons without another one."""
    return read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs")


def answer(lesson: Lesson, collection: Collection | None = None) -> Answer:
    """Run a lesson's experiment and look up its numbers.

    Parameters
    ----------
    collection : by default the sample; ignored if the lesson needs no data

    Raises
    ------
    ParamError
        If a number cannot be found on these data, or the experiment does not work on
        them.
    ReadError
        If there is no such chart; or, without a collection, if the lesson's right
        choice does not follow from its claims.

    Examples
    --------
    >>> from irmeval import lessons
    >>> print(lessons.answer(lessons.load("ideal_rbp")).punch)
    With p = 0.95, RBP gives this perfect list 0.05, ...
    """
    experiment = EXPERIMENTS[lesson.experiment]
    source = None
    if experiment.data:
        source = lesson.on(collection or sample_collection())
    found = answer_of(lesson, experiment(source, lesson.measures, lesson.params))
    # on a visitor's data another choice may be right
    if collection is None or not lesson.data:
        check_right(found)
    return found


def answer_of(lesson: Lesson, result: Result) -> Answer:
    """Numbers of a lesson in a result, and the choice that they make right. Raises
    `ParamError` as `answer`.
    """
    charts = FIGURES.get(lesson.experiment) or tuple(chart.name for chart in result.charts())
    _check_chart(lesson, "chart", charts)
    if lesson.beside:
        _check_chart(lesson, "beside", charts)
    numbers = look_up(lesson.name, lesson.numbers, result)
    right = _find_right(lesson, numbers, lesson.margin)
    close = 0
    if not right:
        close = _find_right(lesson, numbers, NONE)
    return Answer(lesson, result, numbers, right, close)


def _check_chart(lesson: Lesson, key: str, charts: Sequence[str]) -> None:
    """Raise `ReadError` for a chart that the experiment does not draw."""
    name = getattr(lesson, key)
    if name not in charts:
        where, expected = f"{lesson.name}{ENDING}, {key}", f"one of {', '.join(charts)}"
        raise ReadError(where, None, expected, shorten(name), "Name one of them.")


def _find_right(lesson: Lesson, numbers: Mapping[str, float], margin: Margin) -> int:
    """The choice whose claims hold by a margin, from 1; 0 if there is none."""
    # the lesson's own first: without a margin, claims of several choices may hold
    order = sorted(range(1, len(lesson.claims) + 1), key=lambda choice: choice != lesson.right)
    for choice in order:
        if all(claim.holds(numbers, margin) for claim in lesson.claims[choice - 1]):
            return choice
    return 0


def check_right(answer: Answer) -> None:
    """Raise `ReadError` if the lesson's right choice does not follow from its claims,
    on its own list or on the sample.
    """
    if answer.holds:
        return
    lesson = answer.lesson
    failed = "; ".join(map(answer.claim_text, answer.failed))
    expected = "a choice whose claims hold"
    if answer.right:
        expected = f"{answer.right}, as its claims hold"
    came = f"{lesson.right}, whose do not: {failed}"
    remedy = "Correct the claims or the right choice."
    raise ReadError(f"{lesson.name}{ENDING}, right", None, expected, came, remedy)


def look_up(of: str, numbers: Mapping[str, Number], result: Result) -> dict[str, float]:
    """The values of a lesson's numbers in a result. Raises `ParamError` if one cannot
    be found.
    """
    tables: dict[str, Frame] = {}
    return {
        name: _look_up(f"{of}, {name}", number, result, tables) for name, number in numbers.items()
    }


def _look_up(at: str, number: Number, result: Result, tables: dict[str, Frame]) -> float:
    """The value of a number; `tables` are the tables that were made already."""
    # numbers of one table are looked up together: making it may take seconds
    if number.table not in tables:
        made = result.tables()[0]
        if number.table:
            made = table_named(result, number.table)
        tables[number.table] = made.make()
    frame = tables[number.table]
    cell = partial(_cell, frame, number.column, at)
    value = cell(number.where)
    if number.less:
        value -= cell(number.where | number.less)
    if number.over:
        other = cell(number.where | number.over)
        value = value / other if other else math.nan
    if not math.isfinite(value):
        raise ParamError(f"{at}: expected a number in {number.column}, found none.")
    return value


def _cell(frame: Frame, column: str, at: str, where: Mapping[str, str | float]) -> float:
    """Number in the only row with these values."""
    for name in (*where, column):
        if name not in frame:
            known = ", ".join(map(str, frame))
            raise ParamError(f"{at}: expected one of the columns {known}, found {shorten(name)}.")
    rows = frame
    for name, value in where.items():
        rows = rows[_has(rows[name], value)]
    if len(rows) != 1:
        wanted = ", ".join(f"{name} {value}" for name, value in where.items())
        raise ParamError(f"{at}: expected one row with {wanted}, found {len(rows)}.")
    cell = rows[column].iloc[0]
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise ParamError(f"{at}: expected a number in {column}, found {shorten(cell)}.") from None


def _has(values: Any, wanted: str | float) -> Any:
    """Which of the rows left have a value in a column, bool [row]."""
    if wanted == GREATEST:
        return values == values.max()
    if wanted == LEAST:
        return values == values.min()
    # a file of a lesson has texts where a table may have measures or numbers
    if isinstance(wanted, str):
        return values.map(str) == wanted
    return values == wanted
