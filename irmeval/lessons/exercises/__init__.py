"""Exercises: each sets a goal, which a list or the settings of an experiment reach, and
is one file of text.

A solution is a code with the changed parameters. Anybody can check it: the numbers are
computed again.

>>> from irmeval.lessons import exercises
>>> exercise = exercises.load("bpref_zero")
>>> solved = exercises.try_solution(exercise, exercise.solution)
>>> solved.holds, exercises.code_of(solved)
(True, 'bpref_zero?list=0-0-1&rest=-#64ed9aae')
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.numbers import telling_apart
from irmeval.core.params import fields, format_value
from irmeval.core.records import Record
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_all
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.learn import lab
from irmeval.experiments.results import Result
from irmeval.lessons import reading
from irmeval.lessons.answers import look_up, sample_collection
from irmeval.lessons.claims import Claim, is_number
from irmeval.lessons.reading import ENDING, Number
from irmeval.metrics import Measure

FOLDER = Path(__file__).parent
DIGITS = 8
"""Number of check digits at the end of a code."""
LONGEST = 500
"""Maximum length of a line with a code."""
MOST_CODES = 500
"""Maximum number of lines to check."""
GOALS = {"<": "below", ">": "above", "<=": "at most", ">=": "at least", "=": "equal to"}
"""Sign of a claim, in words."""
COLUMNS = {"raw": "{}", "condensed": "{}'", "raw_swap_1": "{} after the swap"}
"""Column of the lab -> label of a number by a measure; other columns have their
name.
"""
NAMED = "rr_content"
"""Exercise in the example of a code."""
CODE = re.compile(rf"(\w{{1,41}})\?(\S*?)#([0-9a-f]{{{DIGITS}}})(?!\w)")


@dataclass(frozen=True, eq=False)
class Exercise:
    """A goal, and what can be changed to reach it."""

    name: str
    place: int
    title: str
    goal: str
    experiment: str
    measures: tuple[Measure, ...]
    params: Any
    """starting values, which do not reach the goal"""
    free: tuple[str, ...]
    """names of the parameters that can be changed"""
    solution: Any
    """parameters that reach the goal"""
    numbers: Mapping[str, Number]
    claims: tuple[Claim, ...]
    """what holds if the goal is reached"""
    why: str
    """explanation, shown when it is solved"""
    kinds: str = ""
    """the documents that a list may have (`lab.KINDS`); empty for all"""

    @property
    def data(self) -> bool:
        """Whether it needs a collection."""
        return EXPERIMENTS[self.experiment].data


@dataclass(frozen=True, eq=False)
class Attempt:
    """Parameters and the resulting numbers."""

    exercise: Exercise
    params: Any
    result: Result
    numbers: Mapping[str, float]
    data: str
    """fingerprint of the collection; empty without one"""

    @property
    def holds(self) -> bool:
        """Whether the goal is reached, with allowed documents alone."""
        return not self.stray and all(claim.holds(self.numbers) for claim in self.exercise.claims)

    @property
    def stray(self) -> str:
        """What is said of documents that the exercise does not allow; empty if there is
        none.
        """
        allowed = self.exercise.kinds
        if not allowed:
            return ""
        stray = sorted({lab.KINDS[d] for d in _documents(self.params) if d not in allowed})
        if not stray:
            return ""
        return f"without documents that are {list_all(stray)}"

    @property
    def failed(self) -> list[str]:
        """What is missing to the goal, a text for each part."""
        missing = [c for c in self.exercise.claims if not c.holds(self.numbers)]
        return [*filter(None, [self.stray]), *map(self.claim_text, missing)]

    def claim_text(self, claim: Claim) -> str:
        """A number and its goal: ``AP is 0.50 (goal: below 0.20)``, ``AP is 0.50 (goal:
        equal to AP after the swap, 0.40)``. With as many decimals as tell the two apart
        if the goal is not reached.
        """
        of = self.exercise.numbers[claim.left]
        if is_number(claim.right):
            named, wanted = "", float(claim.right)
        else:
            named = f"{_label(self.exercise.numbers[claim.right])}, "
            wanted = self.numbers[claim.right]
        found = self.numbers[claim.left]
        # "0.50 (goal: below 0.50)" would look like a fault of the program
        form = of.form
        if not claim.holds(self.numbers):
            form = telling_apart(found, wanted, of.form)
        return f"{_label(of)} is {found:{form}} (goal: {GOALS[claim.sign]} {named}{wanted:{form}})"


def _documents(params: Any) -> tuple[str, ...]:
    """Documents of a list and those it misses."""
    return (*lab.parse(params.list), *lab.parse(params.rest))


def _label(number: Number) -> str:
    return COLUMNS.get(number.column, f"{number.column} of {{}}").format(number.where["measure"])


class Checked(NamedTuple):
    """A line with a code, and whether its exercise is solved."""

    who: str
    """the rest of the line"""
    exercise: str
    solved: bool
    why: str
    """reason why not, or a remark"""


@cache
def names() -> tuple[str, ...]:
    """Names of all exercises, in order."""
    return tuple(
        sorted((path.stem for path in FOLDER.glob(f"*{ENDING}")), key=lambda name: load(name).place)
    )


@cache
def load(name: str) -> Exercise:
    """Load an exercise by name. Raises `UnknownName`, or `ReadError` for an invalid
    file.
    """
    check_known(name, {path.stem for path in FOLDER.glob(f"*{ENDING}")}, "unknown exercise")
    return parse(f"{name}{ENDING}", reading.read_data(FOLDER / f"{name}{ENDING}"))


def parse(name: str, data: bytes) -> Exercise:
    """Parse the text of an exercise's file. Raises `ReadError`."""
    table = reading.read_table(name, data)
    texts = {key: reading.read_text(table, key) for key in ("title", "goal", "experiment", "why")}
    table.only(
        (
            *texts,
            "place",
            "measures",
            "free",
            "kinds",
            "params",
            "solution",
            "numbers",
            "claims",
        )
    )
    table.check_known("experiment", texts["experiment"], EXPERIMENTS)
    numbers, params = reading.read_numbers(table), reading.read_params(table, texts["experiment"])
    free = reading.read_texts(table, "free", 1, 5)
    known = fields(type(params))
    wrong = [name for name in free if name not in known]
    if wrong:
        raise table.refuse("free", f"names of parameters: {', '.join(known)}", wrong[0])
    given = table.table("solution")
    given.only(free)
    both = {**table.table("params", {}).values, **given.values}
    solution = reading.read_params(Record(name, "", {"params": both}), texts["experiment"])
    (claims,) = reading.read_claims(table, numbers, 1)
    kinds = reading.read_text(table, "kinds", "")
    if not {*kinds} <= {*lab.KINDS} or (kinds and texts["experiment"] != "lab"):
        raise table.refuse("kinds", f"some of {''.join(lab.KINDS)}, for a list of the lab", kinds)
    return Exercise(
        name.removesuffix(ENDING),
        table.whole("place", 1, 1000),
        measures=reading.read_measures(table),
        params=params,
        free=free,
        solution=solution,
        numbers=numbers,
        claims=claims,
        kinds=kinds,
        **texts,
    )


def try_solution(exercise: Exercise, params: Any, collection: Collection | None = None) -> Attempt:
    """Run an exercise with these parameters; if it needs a collection, on the given one
    or the sample. Raises `IrmevalError`.
    """
    experiment = EXPERIMENTS[exercise.experiment]
    if not exercise.data:
        return attempt_of(exercise, experiment(None, exercise.measures, params))
    source = collection or sample_collection()
    result = experiment(source, exercise.measures, params)
    return attempt_of(exercise, result, source.fingerprint)


def attempt_of(exercise: Exercise, result: Result, data: str = "") -> Attempt:
    """Make an attempt from a known result and the fingerprint of its collection. Raises
    `ParamError`.
    """
    return Attempt(
        exercise, result.params, result, look_up(exercise.name, exercise.numbers, result), data
    )


def code_of(attempt: Attempt) -> str:
    """Code of a solution: the changed parameters, and a digest of them, the exercise
    and the data.
    """
    exercise = attempt.exercise
    free = {name: _written(getattr(attempt.params, name)) for name in exercise.free}
    told = f"{exercise.name}?{urlencode(free, doseq=True, safe=',')}"
    return f"{told}#{_digest(told, attempt.data)}"


def check_all(text: str, collection: Collection | None = None) -> list[Checked]:
    """Check the lines of a text, each with a code and perhaps a name; empty ones are
    left out. A line without a code, lines beyond the maximum, and a solution that an
    earlier line has too, are reported.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found, first = list[Checked](), dict[str, int]()
    for number, line in enumerate(lines[:MOST_CODES], 1):
        one = check(line, collection)
        # by its parameters: a name or a blank more does not make it another solution
        same = first.setdefault(_solution(line) or line, number)
        if one.solved and same < number:
            one = one._replace(why="; ".join(filter(None, [one.why, f"same as line {same}"])))
        found.append(one)
    left = len(lines) - MOST_CODES
    if left > 0:
        said = f"expected at most {MOST_CODES:,} lines, found {count_noun(left, 'more line')}"
        found.append(Checked("", "", False, said))
    return found


def _solution(line: str) -> str:
    """Exercise and parameters of the code in a line; empty if there is no code."""
    found = CODE.search(line[:LONGEST])
    if not found:
        return ""
    return f"{found[1]}?{found[2]}"


def check(line: str, collection: Collection | None = None) -> Checked:
    """Check a line that contains a code, and perhaps a name: its solution is computed
    again.
    """
    line = line[:LONGEST]
    found = CODE.search(line)
    if not found:
        expected = f"expected a code such as {NAMED}?list=1-0&rest=1#0a1b2c3d, found none"
        return Checked(" ".join(line.split()), "", False, expected)
    who = " ".join(f"{line[: found.start()]} {line[found.end() :]}".strip(" ,;\t").split())
    name, query, digest = found.groups()
    try:
        exercise = load(name)
        attempt = try_solution(exercise, _params_of(exercise, query), collection)
    except IrmevalError as error:
        return Checked(who, name, False, str(error))
    if attempt.failed:
        return Checked(who, exercise.title, False, f"not reached: {'; '.join(attempt.failed)}")
    # a wrong digest alone is no fault: the numbers are computed again here
    remark = ""
    if digest != _digest(f"{name}?{query}", attempt.data):
        remark = "made on other data, or mistyped; it is correct here"
    return Checked(who, exercise.title, True, remark)


def _params_of(exercise: Exercise, query: str) -> Any:
    """The parameters in a code. Raises `ParamError`."""
    # a list of values is the same key several times
    given: dict[str, list[str]] = {}
    for key, text in parse_qsl(query, max_num_fields=50):
        check_known(key, exercise.free, f"{exercise.name}: unknown parameter", ParamError)
        given.setdefault(key, []).append(text)
    kinds = fields(type(exercise.params))
    values = {
        key: tuple(texts) if kinds[key].is_list else texts[-1] for key, texts in given.items()
    }
    return type(exercise.params)(**vars(exercise.params) | values)


def _written(value: Any) -> list[str]:
    if isinstance(value, tuple):
        return [*map(format_value, value)]
    return [format_value(value)]


def _digest(told: str, data: str) -> str:
    return blake2b(f"{told} {data}".encode(), digest_size=DIGITS // 2).hexdigest()
