"""Flags of the command line that name judges."""

import sys
from collections.abc import Iterator, Sequence

import click

from irmeval.cli.program import Flag, Given, argument
from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.registry import check_known
from irmeval.core.text import shorten
from irmeval.judges import Judges, grade_maps, read_judges
from irmeval.judges.simulation import KINDS, OF, SIMULATED, TABLE
from irmeval.scoring.selection import Selection, parse_topics

FURTHER = "Further judges"
"""Section of the help."""


def flags() -> Iterator[click.Parameter]:
    """The flags for the qrels of several judges."""
    yield argument("qrels", "the first judge's qrels, which the others are compared with")
    yield from _flags("Options", required=True)
    yield Flag("--judge", default="", metavar="NAME", help="compare the others with this one (default: that of QRELS)")
    topics = fields(Selection)["topics_only"].param
    yield Flag("--topics_only", default="", metavar="TOPICS_ONLY", help=f"{topics.label}. {topics.help}")


def other_flags() -> Iterator[Flag]:
    """The flags for further judges of a collection, and for the judge whose grades evaluate the runs."""
    yield from _flags(FURTHER, required=False)
    yield Flag("--judge", default="", metavar="NAME", section=FURTHER, help="score by the grades of this judge (default: those of QRELS)")


def _flags(section: str, required: bool) -> Iterator[Flag]:
    yield Flag("--name", dest="first", default="", metavar="NAME", section=section, help="name of the judge of QRELS")
    kinds = ", ".join(KINDS)
    yield Flag(
        "--other",
        multiple=True,
        required=required,
        metavar="NAME=FILE",
        section=section,
        help=f"another judge's qrels; repeatable. In place of FILE, {SIMULATED}KIND,SHARE,SEED is a simulated judge: {kinds}; "
        f"or {SIMULATED}{TABLE}.7:.3/0:1,SEED, with the chance of each grade for each grade of the first judge. Names of runs at the end: "
        f"errs only on what these runs retrieved in their top 10. {OF}NAME at the beginning: errs on the grades of that judge",
    )
    text = "the lowest grade of a relevant document"
    yield Flag("--relevant", multiple=True, metavar="NAME=GRADE", section=section, help=text)
    text = "map the grades of a judge; repeatable"
    yield Flag("--map", multiple=True, metavar="NAME=0-49:0,50:1,...", section=section, help=text)


def read(given: Given) -> Judges:
    """Read the judges on the command line, with mapped grades."""
    maps, others = _maps(given), _by_name(given.other, "other", "a different name for each judge")
    judges = read_judges(given.qrels, others, name=given.first, maps=maps, repeated=given.repeated, qrels_format=given.qrels_format)
    for name in maps:
        judges.number(name)
    for name, level in _levels(given).items():
        judges = judges.relevant_from(name, level)
    judges = judges.led_by(judges.number(given.judge)) if given.judge else judges
    return judges.within(parse_topics(judges.topics, given.topics_only)) if given.topics_only else judges


def add_judges(given: Given, collection: Collection) -> Collection:
    """Add the judges on the command line to a collection, and move the judge who evaluates to the front."""
    maps, levels, others = _maps(given), _levels(given), _by_name(given.other, "other", "a different name for each judge")
    for name in {**maps, **levels}:
        check_known(name, others, "unknown judge")
    for name, judged in others.items():
        more = {"map": maps.get(name), "relevant": levels.get(name, 1), "first": given.first}
        collection = collection.with_judgments(name, judged, **more)
    if collection.panel:
        sys.stderr.write(f"{collection.panel.judges.describe()}\n")
    return collection.judged_by(given.judge) if given.judge else collection


def check_no_judges(given: Given, name: str) -> None:
    """Raise `ParamError` if further judges are given to a command that does not use them."""
    if given.other or given.judge:
        raise ParamError(f"{name}: uses the files as they are. Leave out --other and --judge.")


def _by_name(texts: Sequence[str], flag: str, expected: str) -> dict[str, str]:
    """The values of a repeatable flag by the names of judges. Raises `ParamError` where a name stands twice."""
    values = dict(split_name(text, flag) for text in texts)
    if len(values) < len(texts):
        raise ParamError(f"{flag}: expected {expected}, found one twice.")
    return values


def _maps(given: Given) -> dict[str, dict[int, int]]:
    return {name: grade_maps.parse_map(text) for name, text in _by_name(given.map, "map", "one for each judge").items()}


def _levels(given: Given) -> dict[str, int]:
    levels = {}
    for name, text in (split_name(text, "relevant") for text in given.relevant):
        try:
            levels[name] = int(text)
        except ValueError:
            raise ParamError(f"relevant: expected a whole number, found {shorten(text)}.") from None
    return levels


def split_name(text: str, flag: str) -> tuple[str, str]:
    """Split ``NAME=VALUE`` into name and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ParamError(f"{flag}: expected NAME=..., found {shorten(text)}.")
    return name, value
