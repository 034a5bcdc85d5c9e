"""Judges as the command line names them."""

import argparse

from irmeval.errors import ParamError
from irmeval.judges import Judges, read_judges
from irmeval.simulation import KINDS, SIMULATED, TABLE
from irmeval.words import shorten


def add_flags(command: argparse.ArgumentParser) -> None:
    """The qrels of several judges."""
    command.add_argument("qrels", metavar="QRELS", help="the first judge's qrels, which the others are compared with")
    command.add_argument("--name", default="", help="the first judge's name (default: that of the file)")
    kinds = ", ".join(KINDS)
    command.add_argument(
        "--other",
        action="append",
        required=True,
        metavar="NAME=FILE",
        help=f"another judge's qrels; repeatable. In place of FILE, {SIMULATED}KIND,SHARE,SEED is a judge who does not exist: {kinds}; "
        f"or {SIMULATED}{TABLE}.7:.3/0:1,SEED, with the chance of each grade by that of the first judge",
    )
    command.add_argument("--relevant", action="append", default=[], metavar="NAME=GRADE", help="from which grade on a document is relevant")
    command.add_argument("--map", action="append", default=[], metavar="NAME=0:0,1:1,...", help="other grades of a judge; repeatable")


def read(given: argparse.Namespace) -> Judges:
    """The judges named, with their grades as they are mapped."""
    others = dict(_named(text, "other") for text in given.other)
    if len(others) < len(given.other):
        raise ParamError("other: expected a name of its own for each judge, came one twice.")
    judges = read_judges(given.qrels, others, name=given.name, repeated=given.repeated)
    for name, text in (_named(text, "map") for text in given.map):
        try:
            judges = judges.mapped(name, {int(a): int(b) for a, b in (pair.split(":") for pair in text.split(","))})
        except ValueError:
            raise ParamError(f"map: expected pairs of grades as in 1:1,2:1, came {shorten(text)}.") from None
    for name, text in (_named(text, "relevant") for text in given.relevant):
        try:
            judges = judges.relevant_from(name, int(text))
        except ValueError:
            raise ParamError(f"relevant: expected a whole number, came {shorten(text)}.") from None
    return judges


def _named(text: str, flag: str) -> tuple[str, str]:
    """``NAME=VALUE``"""
    name, equals, value = text.partition("=")
    if not equals:
        raise ParamError(f"{flag}: expected NAME=..., came {shorten(text)}.")
    return name, value
