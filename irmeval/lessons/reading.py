"""Lessons as TOML files: texts, the parameters of an experiment, and the places of the
texts' numbers in its tables.
"""

import dataclasses
import math
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from pathlib import Path
from types import ModuleType
from typing import Any, TypeGuard

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ReadError, reason_of
from irmeval.core.params import fields
from irmeval.core.records import Record, Unquoted
from irmeval.core.registry import Registry, check_known
from irmeval.core.text import count_noun, shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.learn import lab
from irmeval.experiments.settings import Testing
from irmeval.lessons import claims
from irmeval.lessons.claims import DIGITS, Claim, Margin, can_hold
from irmeval.lessons.own_lists import collection_of, read_lists
from irmeval.lessons.words import PLACE, conditions
from irmeval.metrics import Measure, measure
from irmeval.metrics.symbols import symbols_in

FOLDER = Path(__file__).parent
"""Folder of the files."""
OTHERS: Registry[Path] = Registry("lesson")
"""Files of lessons in other packages, by name."""
SERVED = "IRMEVAL_LESSONS"
"""Environment variable: a folder with more lessons."""
ENDING = ".toml"
LESSONS_EXPECTED = f"a folder with lessons, *{ENDING}"
BYTES = 1 << 16
"""Maximum bytes of a file."""
CHARACTERS = 2000
"""Maximum characters of a text."""
DOTS = 100
"""Maximum number of dots in a line, since keys of many parts are slow."""
CHOICES = 6
"""Maximum number of choices."""
MOST_ADDED = 10
"""Maximum number of words that a lesson adds."""
NUMBERS = 30
"""Maximum number of numbers in a lesson."""
LARGEST = 10**DIGITS
FIGURES = {"lab": ("list", "condensed", "swaps")}
"""Figures of an experiment without charts: the list and its scores; the same beside the
condensed list; the same after either swap.
"""
FORMAT = re.compile(r"\|(\.\d)?[f%]\||[+]?(\.\d)?[f%]")
"""Allowed formats of a number: a subset of Python's; between bars, without its sign."""
MARGIN = re.compile(r"\d{1,2}%|\d{1,3}(\.\d{1,6})?")
"""A margin: a share of the larger number, or a number."""
GREATEST = "most"
"""In place of a number's value in a column: the greatest there."""
LEAST = "least"
"""In place of a number's value in a column: the least there."""
MACHINE = "machine"
"""Name of a lesson's simulated judge."""
DECIDED = "decided_by"
"""Placeholder for the experiment's test, correction and level."""
_NAME = re.compile(r"[a-z]\w{0,40}")
_TEXTS = ("title", "question", "experiment", "chart", "look", "punch", "formula", "work", "source")
_OPTIONAL = ("part", "judge", "beside")
_KEYS = (
    *_TEXTS,
    *_OPTIONAL,
    *("place", "choices", "right", "measures", "params", "lines", "lists", "scene", "missing"),
    *("numbers", "claims", "margin", "symbols", "adds"),
)
FILLED = ("look", "punch", "work")
"""The texts with numbers, and with words that depend on them."""


@dataclass(frozen=True)
class Number:
    """The place of a number in a table of the experiment's result."""

    where: dict[str, str | float]
    """column -> value in the one row of the number; `GREATEST` is the greatest value there,
    `LEAST` the least
    """
    column: str
    table: str = ""
    """name of the table; the first if empty"""
    less: dict[str, str | float] = field(default_factory=dict)
    over: dict[str, str | float] = field(default_factory=dict)
    """differences of the row whose number is subtracted, and of the row whose number is
    the divisor
    """
    form: str = ".2f"
    """format: ``.2f``, ``.0%``"""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One point, with the experiment that shows it."""

    name: str
    """of its file"""
    place: int
    """position in the list; the lowest is first"""
    part: str
    """of the course; may be empty"""
    title: str
    question: str
    choices: tuple[str, ...]
    """answers to choose from"""
    right: int
    """index of the right choice, from 1"""
    experiment: str
    measures: tuple[Measure, ...]
    params: Any
    chart: str
    """name of the chart; of the lab, one of `FIGURES`"""
    lines: Mapping[str, str]
    """name of a line of the chart -> its label; the others are left out, unless there
    is none
    """
    beside: str
    """name of a second chart, to be read together with the first; may be empty"""
    scene: str
    """the list that the question is about, as the lab writes it; empty if it is about
    none
    """
    missing: int
    """relevant documents that this list lacks"""
    lists: Mapping[str, str]
    """runs of a collection of the lesson's own, of one topic; empty if it has none"""
    look: str
    """what to look at in the chart; this and the next two are templates
    (`irmeval.lessons.words`)
    """
    punch: str
    """the answer"""
    work: str
    """the formula at work"""
    numbers: Mapping[str, Number]
    claims: tuple[tuple[Claim, ...], ...]
    """claims of each choice, which hold if and only if it is right"""
    margin: Margin
    """by which its claims hold"""
    formula: str
    """in LaTeX"""
    symbols: Mapping[str, str]
    """symbol of the formula -> its meaning, for those that not all lessons share"""
    source: str
    """paper and section, table, figure or equation"""
    adds: tuple[str, ...] = ()
    """measures and words that it explains, and later lessons use"""
    judge: str = ""
    """a simulated judge, as `Collection.with_judgments` takes it; empty for an
    experiment that needs no other judge
    """

    def on(self, collection: Collection) -> Collection:
        """The collection as its experiment takes it: its own; or the given one, with
        the lesson's judge, if it needs one and there is no other.
        """
        if self.lists:
            return collection_of(self.lists)
        # a judge that the visitor has loaded is more to them than a simulated one
        if self.judge and collection.panel is None:
            return collection.with_judgments(MACHINE, self.judge)
        return collection

    @property
    def data(self) -> bool:
        """Whether the lesson needs a collection that is not its own."""
        return EXPERIMENTS[self.experiment].data and not self.lists

    @property
    def explained(self) -> list[tuple[str, str]]:
        """The symbols of the formula, with their meanings."""
        shared = [pair for pair in symbols_in(self.formula) if pair[0] not in self.symbols]
        return [*self.symbols.items(), *shared]

    @property
    def said(self) -> tuple[Claim, ...]:
        """The claims on which the words of its texts depend, each once."""
        texts = (getattr(self, key) for key in FILLED)
        told = chain.from_iterable(map(conditions, texts))
        found = [claims.read_all(condition, self.numbers) for condition in told]
        return tuple(dict.fromkeys(chain.from_iterable(filter(None, found))))


def names() -> tuple[str, ...]:
    """Names of the lessons in order. A broken file is last; loading it reports the
    error.

    Examples
    --------
    >>> from irmeval import lessons
    >>> lessons.names()[:2]
    ('pool', 'ap_by_hand')
    """
    return tuple(sorted(files(), key=_place_of))


def _place_of(name: str) -> tuple[float, str]:
    try:
        return load(name).place, name
    except IrmevalError:
        return math.inf, name


def load(name: str) -> Lesson:
    """A lesson by its name.

    Raises
    ------
    UnknownName
        For a name without a file.
    ReadError
        For a file that is no lesson: file and key, what was expected, what was found.

    Examples
    --------
    >>> from irmeval import lessons
    >>> lesson = lessons.load("ideal_rbp")
    >>> lesson.choices[lesson.right - 1]
    'Less than 1: it is 1 - p'
    """
    check_known(name, found := files(), "unknown lesson")
    return read_file(found[name])


def add_folder(package: ModuleType) -> None:
    """Register the lessons in the folder of another package. Raises `ReadError` as
    `load`, and if there are none.
    """
    folders = map(Path, getattr(package, "__path__", ()))
    found = [*chain.from_iterable(map(_lessons_in, folders))]
    if not found:
        remedy = "Give a folder that is part of the package."
        raise ReadError(package.__name__, None, LESSONS_EXPECTED, "none", remedy)
    for path in found:
        OTHERS.add(read_file(path).name, path)


def read_file(path: Path) -> Lesson:
    """The lesson in a file. Raises `ReadError` as `load`."""
    return parse(path.name, read_data(path))


def read_data(path: Path) -> bytes:
    """The bytes of a file. Raises `ReadError`."""
    try:
        with path.open("rb") as file:
            # one byte more than allowed, by which `read_table` refuses a longer file
            return file.read(BYTES + 1)
    except OSError as error:
        raise ReadError(
            path.name, None, "a readable file", reason_of(error), "Check its permissions."
        ) from None


def files() -> dict[str, Path]:
    """Files of lessons by name, including those of other packages and of the served
    folder.
    """
    served = os.environ.get(SERVED)
    paths = _lessons_in(FOLDER)
    if served:
        paths = [*_lessons_in(Path(served)), *paths]
    return {**OTHERS, **{path.stem: path for path in paths}}


def _lessons_in(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{ENDING}"))


def serve_folder(folder: str) -> tuple[str, ...]:
    """Add the lessons in a folder, also those that are put there later; return their
    names. Raises `ReadError` as `load`, if there are none, or if a name is taken.
    """
    found = _lessons_in(Path(folder))
    if not found:
        raise ReadError(folder, None, LESSONS_EXPECTED, "none")
    # before the first is added: a folder with one bad lesson adds none
    taken = files()
    for path in found:
        if read_file(path).name in taken:
            came = f"that of another lesson, {path.stem}"
            raise ReadError(path.name, None, "a name of its own", came, "Rename the file.")
    # where an operator's own setting stands too, so that `files` looks in one place
    os.environ[SERVED] = folder
    return tuple(path.stem for path in found)


@lru_cache(maxsize=100)  # a page asks for every lesson, several times
def parse(name: str, data: bytes) -> Lesson:
    """Parse the text of a lesson file with this name; raises `ReadError` as `load`."""
    return _lesson(read_table(name, data))


def read_table(name: str, data: bytes) -> Record:
    """The table in the text of a file of this name. Raises `ReadError`."""
    if len(data) > BYTES:
        remedy = "Shorten it: a lesson makes one point."
        raise ReadError(name, None, f"at most {BYTES:,} bytes", "more", remedy)
    for number, line in enumerate(data.split(b"\n"), 1):
        dots = line.count(b".")
        if dots > DOTS:
            expected, remedy = f"at most {DOTS} dots", "A key has few parts."
            raise ReadError(name, number, expected, f"{dots:,}", remedy)
    try:
        found = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise ReadError(name, None, "text in UTF-8", "other bytes", "Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        remedy = "Put texts in quotes, lists in brackets."
        raise ReadError(name, None, "TOML", shorten(str(error)), remedy) from None
    except RecursionError:
        came = "lists or tables within each other, too deep to be read"
        raise ReadError(name, None, "TOML", came, "A lesson needs few.") from None
    except ValueError:  # more digits than Python reads
        expected = f"numbers of at most {DIGITS} digits"
        where = _where_digits_are(name, data.decode())
        raise ReadError(where, None, expected, "one of thousands", "Shorten it.") from None
    return Record(name, "", found)


def _where_digits_are(name: str, text: str) -> str:
    """The name of a file, with the key of its first very long number."""
    key = re.search(r"^[ \t]*([\w.-]{1,60})[ \t]*=[^\n]*?[\d_]{1000}", text, re.MULTILINE)
    if not key:
        return name
    return f"{name}, {key[1]}"


def _lesson(table: Record) -> Lesson:
    table.only(_KEYS)
    texts = {key: read_text(table, key) for key in _TEXTS}
    texts |= {key: read_text(table, key, "") for key in _OPTIONAL}
    experiment = texts["experiment"]
    unjudged = [name for name, record in EXPERIMENTS.items() if not record.judged]
    # a lesson has one judge: of two, a reader could not say which is meant
    table.check_known("experiment", experiment, unjudged)
    # of another experiment, its result alone knows the charts
    table.check_known("chart", texts["chart"], FIGURES.get(experiment, (texts["chart"],)))
    choices = read_texts(table, "choices", 2, CHOICES)
    numbers, params = read_numbers(table), read_params(table, experiment)
    known = [*numbers]
    if isinstance(params, Testing):
        known.append(DECIDED)
    for key in FILLED:
        _check_template(table, key, texts[key], numbers, known)
    lines, symbols, lists = (table.table(key, {}) for key in ("lines", "symbols", "lists"))
    return Lesson(
        _name_of(table.file),
        table.whole("place", 1 - LARGEST, LARGEST - 1, 1000),
        choices=choices,
        right=table.whole("right", 1, len(choices)),
        measures=read_measures(table),
        params=params,
        lines={name: read_text(lines, name) for name in lines.values},
        lists=read_lists(lists, experiment),
        scene=_scene(table, params),
        missing=_missing(table, params),
        numbers=numbers,
        claims=read_claims(table, numbers, len(choices)),
        margin=_margin(table),
        symbols={name: read_text(symbols, name) for name in symbols.values},
        adds=read_texts(table, "adds", 0, MOST_ADDED, []),
        **texts,
    )


def _name_of(file: str) -> str:
    """Name of the lesson in a file. Raises `ReadError` for one that is no name."""
    name = file.removesuffix(ENDING)
    if _NAME.fullmatch(name):
        return name
    expected = "a name of small letters, digits and _"
    raise ReadError(file, None, expected, shorten(name), "Rename the file.")


def _check_template(
    table: Record, key: str, text: str, numbers: Mapping[str, Number], known: Sequence[str]
) -> None:
    """Refuse a text with places for other numbers, or with words without a
    comparison.
    """
    for used in PLACE.findall(text):
        if used not in known:
            expected = f"names of [numbers.*] in braces: {', '.join(known)}"
            raise table.refuse(key, expected, used, "Add it under [numbers].")
    for condition in conditions(text):
        if not claims.read_all(condition, numbers):
            expected = "words after a comparison, as in {a < b ? words | other words}"
            raise table.refuse(key, expected, condition)


def _margin(table: Record) -> Margin:
    """The margin: a number, or a share of the larger one, as texts."""
    text = read_text(table, "margin", "0")
    if not MARGIN.fullmatch(text):
        raise table.refuse("margin", "a text such as 0.05 or 20%", text)
    if text.endswith("%"):
        return Margin(float(text.rstrip("%")) / 100, is_share=True)
    return Margin(float(text))


def _missing(table: Record, params: Any) -> int:
    """Relevant documents that the list of the question lacks: those of the lab, if the
    experiment is the lab.
    """
    rest = lab.parse(getattr(params, "rest", ""))
    return table.whole("missing", 0, default=lab.count_relevant(rest))


def describe_list(lesson: Lesson) -> str:
    """What the list of a lesson's question has and lacks, in words."""
    return legend(lab.parse(lesson.scene), lesson.missing)


def legend(documents: Sequence[str], missing: int) -> str:
    """What a list has and lacks, in words."""
    found = lab.count_relevant(documents)
    retrieved = f"{found} of {count_noun(found + missing, 'relevant document')} retrieved"
    if {*documents} & {*"ux"}:
        return f"{retrieved}; ? is unjudged"
    return retrieved


def _scene(table: Record, params: Any) -> str:
    """The list of the question: that of the lab, if the experiment is the lab."""
    scene = read_text(table, "scene", getattr(params, "list", ""))
    with table.refusing("scene", "a list, as in 0-1-x"):
        lab.parse(scene)
    return scene


def read_text(table: Record, key: str, default: str | None = None) -> str:
    """A text in one line; it may be empty if there is a default."""
    text = table.text(key, default, CHARACTERS)
    if default is None and not text.strip():
        raise table.refuse(key, "a text", text)
    return " ".join(text.split())


def read_texts(
    table: Record, key: str, least: int, most: int, default: list[str] | None = None
) -> tuple[str, ...]:
    """A list of texts, of this length. Raises `ReadError`."""
    expected = f"a list of {least} to {most} texts"
    items = table.get(key, list, expected, default)
    if least <= len(items) <= most and all(map(_is_text, items)):
        return tuple(items)
    raise table.refuse(key, expected, items)


def _is_text(item: object) -> TypeGuard[str]:
    return isinstance(item, str) and 0 < len(item) <= CHARACTERS


def _row(table: Record, key: str, default: dict[str, Any] | None = None) -> dict[str, str | float]:
    expected = 'columns and values, as in { measure = "AP", rate = 10 }'
    row: dict[str, str | float] = table.get(key, dict, expected, default)
    if all(map(_is_value, row.values())):
        return row
    raise table.refuse(key, expected, row)


def _is_value(value: object) -> bool:
    if isinstance(value, str):
        return True
    # not isinstance, for which True is a number
    return type(value) in (int, float) and abs(value) < LARGEST  # type: ignore[arg-type]


def read_measures(table: Record) -> tuple[Measure, ...]:
    """The measures. Raises `ReadError`."""
    texts = read_texts(table, "measures", 0, 20)
    with table.refusing("measures", "names of measures"):
        return tuple(map(measure, texts))


def read_params(table: Record, experiment: str) -> Any:
    """The parameters of an experiment. Raises `ReadError`."""
    record = EXPERIMENTS[experiment].params
    given = table.table("params", {})
    given.only(fields(record))
    remedy = f"irmeval {experiment} --help lists them."
    with table.refusing("params", f"parameters of {experiment}", remedy):
        return record(**given.values)


def read_numbers(table: Record) -> dict[str, Number]:
    """Name of each number -> its place. Raises `ReadError`."""
    tables = table.get("numbers", dict, "tables [numbers.NAME]")
    if not 1 <= len(tables) <= NUMBERS:
        raise table.refuse("numbers", f"1 to {NUMBERS} tables [numbers.NAME]", len(tables))
    return {name: _number(table, name, content) for name, content in tables.items()}


def _number(table: Record, name: str, content: object) -> Number:
    """The place of a number, in the table of its name."""
    # a name is put in braces in a text, where signs would end it
    if not (_NAME.fullmatch(name) and isinstance(content, dict)):
        expected = "a table with a name of small letters, digits and _"
        raise table.refuse(f"numbers.{name}", expected, content)
    one = Record(table.file, f"numbers.{name}.", content)
    one.only([part.name for part in dataclasses.fields(Number)])
    form = read_text(one, "form", ".2f")
    # no format of Python's own: ``{:1000000000.2f}`` would fill the memory
    if not FORMAT.fullmatch(form):
        raise one.refuse("form", "as in .2f, .0% or +.0%", form)
    return Number(
        where=_row(one, "where"),
        column=read_text(one, "column"),
        table=read_text(one, "table", ""),
        less=_row(one, "less", {}),
        over=_row(one, "over", {}),
        form=form,
    )


def read_claims(
    table: Record, numbers: Mapping[str, Number], choices: int
) -> tuple[tuple[Claim, ...], ...]:
    """For each choice, its claims, of which no two choices' can hold together. Raises
    `ReadError`.
    """
    expected = f"a list of claims for each of the {choices} choices"
    lists = table.get("claims", list, expected)
    if len(lists) != choices or not all(map(_are_claims, lists)):
        raise table.refuse("claims", expected, lists, "For each choice, state what makes it right.")

    def read(text: object) -> Claim:
        if _is_text(text) and (claim := claims.read(text, numbers)):
            return claim
        known = ", ".join(numbers)
        raise table.refuse("claims", f"comparisons such as a < b, with numbers or {known}", text)

    of_choices = tuple(tuple(map(read, texts)) for texts in lists)
    _check_exclusive(table, of_choices)
    return of_choices


def _are_claims(texts: object) -> bool:
    return isinstance(texts, list) and 1 <= len(texts) <= NUMBERS


def _check_exclusive(table: Record, of_choices: Sequence[Sequence[Claim]]) -> None:
    """Refuse claims that no numbers can satisfy, and two choices that the same numbers
    could make right.
    """
    numbered = [*enumerate(of_choices, 1)]
    for choice, own in numbered:
        if not can_hold(own):
            expected = f"claims that can hold together, for choice {choice}"
            raise table.refuse("claims", expected, "; ".join(map(str, own)))
    for (first, own), (second, other) in combinations(numbered, 2):
        if can_hold([*own, *other]):
            expected = "claims of which no two choices' can hold together"
            came = Unquoted(f"those of {first} and {second}, which can")
            raise table.refuse("claims", expected, came, "Add what distinguishes them.")
