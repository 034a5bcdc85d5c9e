"""Lessons as files: TOML with texts, the parameters of an experiment, and where in its tables the numbers of the texts stand."""

import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.params import fields
from irmeval.core.registry import Registry, check_known
from irmeval.core.words import shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.lessons import claims
from irmeval.lessons.claims import Claim, can_hold
from irmeval.metrics import Measure, measure

FOLDER = Path(__file__).parent
"""Where the files are."""
OTHERS: Registry[Path] = Registry("lesson")
"""The files of other packages, by the names of their lessons."""
ENDING = ".toml"
BYTES, CHARACTERS, DOTS, DIGITS = 1 << 16, 2000, 100, 15
"""Most of a file, of a text in it, dots of a line (a key of many parts takes a time that grows with their square), digits of a number."""
CHOICES, NUMBERS = 6, 30
"""Most answers to choose from, and numbers."""
LARGEST = 10**DIGITS
FIGURES = {"lab": ("list", "condensed", "swaps")}
"""What can be shown of an experiment that has no charts: the list and its scores; the same beside those of the condensed list; or beside
those after either swap."""
WRITTEN = re.compile(r"[+]?(\.\d)?[f%]")
"""How a number may be written: a part of Python's formats."""
PLACE = re.compile(r"\{(\w+)\}")
"""Where a text has a number."""
_NAME = re.compile(r"[a-z]\w{0,40}")
_TEXTS = ("title", "question", "experiment", "chart", "look", "punch", "formula", "work", "source")


@dataclass(frozen=True)
class Number:
    """Where a number stands in a table of the experiment's result.

    Attributes
    ----------
    where : column -> value of the one row that it stands in
    column : in which column
    table : the table's name; empty: the first
    less, over : what is different about the row whose number is taken from it, or by which it is divided
    form : how it is written, as ``.2f`` or ``.0%``
    """

    where: Mapping[str, str | float]
    column: str
    table: str = ""
    less: Mapping[str, str | float] = field(default_factory=dict)
    over: Mapping[str, str | float] = field(default_factory=dict)
    form: str = ".2f"


@dataclass(frozen=True, eq=False)
class Lesson:
    """One point, and what makes it.

    Attributes
    ----------
    name : that of its file
    place : the lower, the earlier in the list
    title, question : what it is called, and what is asked
    choices, right : the answers to choose from, and which is right, from 1
    experiment, measures, params : what is computed
    chart : the name of the chart that is shown; of the lab, one of `FIGURES`
    look : what to look at in it
    punch, work : sentences with numbers in braces: the answer, and the formula at work
    numbers : where the numbers stand
    claims : for each choice, what holds of them where it is right, and nowhere else
    formula : LaTeX
    source : paper and section, table, figure or equation
    """

    name: str
    place: int
    title: str
    question: str
    choices: tuple[str, ...]
    right: int
    experiment: str
    measures: tuple[Measure, ...]
    params: Any
    chart: str
    look: str
    punch: str
    work: str
    numbers: Mapping[str, Number]
    claims: tuple[tuple[Claim, ...], ...]
    formula: str
    source: str

    @property
    def data(self) -> bool:
        """Whether the lesson uses a collection, the sample or another."""
        return EXPERIMENTS[self.experiment].data


def names() -> tuple[str, ...]:
    """The names of the lessons in their order; a broken file comes last, and loading it says what is wrong.

    Examples
    --------
    >>> from irmeval import lessons
    >>> lessons.names()[:2]
    ('ap_collapses', 'primes_stay')
    """

    def place(name: str) -> tuple[float, str]:
        try:
            return load(name).place, name
        except IrmevalError:
            return math.inf, name

    return tuple(sorted(files(), key=place))


def load(name: str) -> Lesson:
    """A lesson by its name.

    Raises
    ------
    UnknownName
        Where there is no file of that name.
    ReadError
        Where the file is no lesson: which file and key, what was expected, what came.

    Examples
    --------
    >>> from irmeval import lessons
    >>> lesson = lessons.load("ideal_rbp")
    >>> lesson.choices[lesson.right - 1]
    'Less than 1: 1 - p'
    """
    check_known(name, found := files(), "unknown lesson")
    return _read(found[name])


def add_folder(package: ModuleType) -> None:
    """Register the lessons in the folder of another package; raises `ReadError` as `load`, and where there are none."""
    found = [path for folder in getattr(package, "__path__", ()) for path in sorted(Path(folder).glob(f"*{ENDING}"))]
    if not found:
        raise ReadError(package.__name__, None, f"a folder with lessons, *{ENDING}", "none", "Name a folder, and see that they are packed.")
    for path in found:
        OTHERS.add(_read(path).name, path)


def _read(path: Path) -> Lesson:
    try:
        with path.open("rb") as file:
            data = file.read(BYTES + 1)
    except OSError as error:
        raise ReadError(path.name, None, "a readable file", (error.strerror or str(error)).lower(), "Look at its rights.") from None
    return parse(path.name, data)


def files() -> dict[str, Path]:
    """Name of a lesson -> its file, ours and those of other packages."""
    return {**OTHERS, **{path.stem: path for path in FOLDER.glob(f"*{ENDING}")}}


def parse(name: str, data: bytes) -> Lesson:
    """The lesson in the text of a file of this name; raises `ReadError` as `load`."""
    if len(data) > BYTES:
        raise ReadError(name, None, f"at most {BYTES:,} bytes", "more", "A lesson makes one point.")
    for number, line in enumerate(data.split(b"\n"), 1):
        if (dots := line.count(b".")) > DOTS:
            raise ReadError(name, number, f"at most {DOTS} dots", f"{dots:,}", "A key has few parts.")
    try:
        found = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise ReadError(name, None, "text in UTF-8", "other bytes", "Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise ReadError(name, None, "TOML", shorten(str(error)), "Texts stand in quotes, lists in brackets.") from None
    except RecursionError:
        raise ReadError(name, None, "TOML", "lists or tables within each other, too deep to be read", "A lesson needs few.") from None
    except ValueError:  # Python itself reads no more of them
        where = ", ".join(filter(None, [name, _key_of_digits(data.decode())]))
        raise ReadError(where, None, f"numbers of at most {DIGITS} digits", "one of thousands", "Shorten it.") from None
    return _Table(name, "", found).lesson()


def _key_of_digits(text: str) -> str:
    """The key of the first number of thousands of digits."""
    found = re.search(r"^[ \t]*([\w.-]{1,60})[ \t]*=[^\n]*?[\d_]{1000}", text, re.MULTILINE)
    return found[1] if found else ""


@dataclass(frozen=True)
class _Table:
    """A table of a lesson's file, which reports its own errors."""

    file: str
    above: str
    found: Mapping[str, Any]

    def refuse(self, key: str, expected: str, came: object, remedy: str = "") -> ReadError:
        said = came if isinstance(came, _Unquoted) else shorten(came)
        return ReadError(f"{self.file}, {self.above}{key}", None, expected, said, remedy)

    def only(self, known: Collection[str]) -> None:
        """Refuse an unknown key."""
        for key in self.found:
            if key not in known:
                raise self.refuse(key, f"one of the keys {', '.join(known)}", key, "Check how it is written.")

    def get(self, key: str, kind: type, expected: str, default: Any = None) -> Any:
        value = self.found.get(key, default)
        if value is None:
            raise self.refuse(key, expected, _Unquoted("nothing"), "Add it.")
        if type(value) is not kind or (isinstance(value, int) and abs(value) >= LARGEST):
            raise self.refuse(key, expected, value)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        text: str = self.get(key, str, "a text", default)
        if default is None and not text.strip():
            raise self.refuse(key, "a text", text)
        if len(text) > CHARACTERS:
            raise self.refuse(key, f"at most {CHARACTERS:,} characters", _Unquoted(f"{len(text):,}"))
        return " ".join(text.split())

    def texts(self, key: str, least: int, most: int) -> tuple[str, ...]:
        expected = f"a list of {least} to {most} texts"
        items = self.get(key, list, expected)
        if not least <= len(items) <= most or not all(isinstance(item, str) and 0 < len(item) <= CHARACTERS for item in items):
            raise self.refuse(key, expected, items)
        return tuple(items)

    def row(self, key: str, default: dict[str, Any] | None = None) -> Mapping[str, str | float]:
        expected = 'columns and values, as in { measure = "AP", rate = 10 }'
        row: dict[str, str | float] = self.get(key, dict, expected, default)
        if not all(isinstance(v, str) or (isinstance(v, int | float) and type(v) is not bool and abs(v) < LARGEST) for v in row.values()):
            raise self.refuse(key, expected, row)
        return row

    def lesson(self) -> Lesson:
        self.only((*_TEXTS, "place", "choices", "right", "measures", "params", "numbers", "claims"))
        texts = {key: self.text(key) for key in _TEXTS}
        choices = self.texts("choices", 2, CHOICES)
        right = self.get("right", int, f"a whole number from 1 to {len(choices)}")
        if not 1 <= right <= len(choices):
            raise self.refuse("right", f"a whole number from 1 to {len(choices)}", right)
        numbers = self._numbers()
        for key in ("punch", "work"):
            for name in PLACE.findall(texts[key]):
                if name not in numbers:
                    raise self.refuse(key, f"names of [numbers.*] in braces: {', '.join(numbers)}", name, "Add it under [numbers].")
        name = self.file.removesuffix(ENDING)
        if not _NAME.fullmatch(name):
            raise ReadError(self.file, None, "a name of small letters, digits and _", shorten(name), "Rename the file.")
        if texts["experiment"] not in EXPERIMENTS or EXPERIMENTS[texts["experiment"]].judged:
            raise self.refuse("experiment", f"one of {', '.join(n for n, e in EXPERIMENTS.items() if not e.judged)}", texts["experiment"])
        figures = FIGURES.get(texts["experiment"])
        if figures and texts["chart"] not in figures:
            raise self.refuse("chart", f"one of {', '.join(figures)}", texts["chart"])
        return Lesson(
            name=name,
            place=self.get("place", int, "a whole number", 1000),
            choices=choices,
            right=right,
            measures=self._measures(),
            params=self._params(texts["experiment"]),
            numbers=numbers,
            claims=self._claims(numbers, len(choices)),
            **texts,
        )

    def _measures(self) -> tuple[Measure, ...]:
        try:
            return tuple(map(measure, self.texts("measures", 0, 20)))
        except ReadError:
            raise
        except IrmevalError as error:
            raise self.refuse("measures", "names of measures", _Unquoted(str(error).rstrip("."))) from None

    def _params(self, experiment: str) -> Any:
        record = EXPERIMENTS[experiment].params
        given = self.get("params", dict, "the parameters of the experiment", {})
        _Table(self.file, "params.", given).only(fields(record))
        try:
            return record(**given)
        except (TypeError, IrmevalError) as error:
            remedy = f"irmeval {experiment} --help lists them."
            raise self.refuse("params", f"parameters of {experiment}", _Unquoted(str(error).rstrip(".")), remedy) from None

    def _numbers(self) -> dict[str, Number]:
        tables = self.get("numbers", dict, "tables [numbers.NAME]")
        if not 1 <= len(tables) <= NUMBERS:
            raise self.refuse("numbers", f"1 to {NUMBERS} tables [numbers.NAME]", len(tables))
        numbers = {}
        for name, found in tables.items():
            if not _NAME.fullmatch(name) or not isinstance(found, dict):
                raise self.refuse(f"numbers.{name}", "a table with a name of small letters, digits and _", found)
            table = _Table(self.file, f"numbers.{name}.", found)
            table.only(("table", "where", "column", "less", "over", "form"))
            form = table.text("form", ".2f")
            if not WRITTEN.fullmatch(form):
                raise table.refuse("form", "as in .2f, .0% or +.0%", form)
            numbers[name] = Number(
                table.row("where"), table.text("column"), table.text("table", ""), table.row("less", {}), table.row("over", {}), form
            )
        return numbers

    def _claims(self, numbers: Mapping[str, Number], choices: int) -> tuple[tuple[Claim, ...], ...]:
        expected = f"a list of claims for each of the {choices} choices"
        lists = self.get("claims", list, expected)
        if len(lists) != choices or not all(isinstance(texts, list) and 1 <= len(texts) <= NUMBERS for texts in lists):
            raise self.refuse("claims", expected, lists, "Say of each what must hold of the numbers for it to be right.")
        read = [[self._claim(text, numbers) for text in texts] for texts in lists]
        for i, own in enumerate(read):
            if not can_hold(own):
                raise self.refuse("claims", f"claims that can hold together, for choice {i + 1}", "; ".join(map(str, own)))
            for other in range(i):
                if can_hold([*own, *read[other]]):
                    came = _Unquoted(f"those of {other + 1} and {i + 1}, which can")
                    raise self.refuse("claims", "claims of which no two choices' can hold together", came, "Say what tells them apart.")
        return tuple(map(tuple, read))

    def _claim(self, text: object, numbers: Mapping[str, Number]) -> Claim:
        claim = claims.read(text, numbers) if isinstance(text, str) and len(text) <= CHARACTERS else None
        if claim is None:
            raise self.refuse("claims", f"comparisons such as a < b, with numbers or {', '.join(numbers)}", text)
        return claim


class _Unquoted(str):
    """A description of what came, which is not quoted."""
