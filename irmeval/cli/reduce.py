"""``irmeval reduce``: a reduced qrels file."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click
import numpy as np

from irmeval.cli import given_data
from irmeval.cli.flags import field_flag, format_flag, given_values, optional_flags
from irmeval.cli.program import Flag, Given, OneOf, argument, command
from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import Field, fields
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.policy import Policy
from irmeval.reductions import REDUCTIONS, reduce, with_design
from irmeval.reductions.base import RATE, SEED, check_level, check_own
from irmeval.report.exports import reduced_qrels


def _check(given: Given) -> None:
    """Raise `ParamError` for a value that the method does not take."""
    SEED.check(given.seed)
    chosen, of_methods = REDUCTIONS[given.method], _of_methods()
    for name in sorted(given.typed & of_methods.keys() - {chosen.axis.name, *chosen.params}):
        raise ParamError(f"{name}: the method {given.method} does not take it. Leave it out.")
    check_level(given.method, _params(given))
    check_own(given.method, given_values(given, chosen.params))


def _params(given: Given) -> dict[str, Any]:
    """The level and the parameters of the method."""
    chosen = REDUCTIONS[given.method]
    return given_values(given, [chosen.axis.name, *chosen.params])


def _of_methods() -> dict[str, Field]:
    """Levels and parameters of all methods."""
    found: dict[str, Field] = {}
    for reduction in REDUCTIONS.values():
        found |= {reduction.axis.name: reduction.axis, **reduction.params}
    return found


def _reduce(given: Given) -> str:
    collection = _read(given)
    chosen, params = REDUCTIONS[given.method], _params(given)
    grades = reduce(collection, given.method, seed=given.seed, **params)[0]
    kept = int(np.count_nonzero(grades >= 0))
    judged = int(np.count_nonzero(collection.grade >= 0))
    level = chosen.axis.say(check_level(given.method, params))
    sys.stderr.write(f"{level}: {kept:,} of {count_noun(judged, 'judgment')}\n")
    drawn_by = given_values(given, chosen.params)
    return reduced_qrels(with_design(collection, given.method, **drawn_by), grades)


def _read(given: Given) -> Collection:
    """All runs and topics; of duplicate lines, those that the command line chooses."""
    if given.stored is None:
        return given_data.read_files(given, Policy(repeated=given.repeated))
    policy = replace(given.stored.policy, repeated=given.repeated)
    return given.stored.everything(policy)


TEXT = "Dropped documents have the grade -1; samples have strata or probabilities."


@command("reduce", _reduce, "make judgments incomplete", "qrels.txt --rate 50", TEXT, check=_check)
def _declare() -> Iterator[click.Parameter]:
    yield argument("qrels", "a qrels file, or a workspace")
    yield argument("runs", "for methods that build a pool from runs", metavar="RUN", nargs=-1)
    yield format_flag()
    yield format_flag("run")
    yield Flag("--replace", is_flag=True, help="-o may be the file of QRELS, which is replaced")
    yield field_flag(fields(Policy)["repeated"])
    yield Flag(
        "--method",
        type=OneOf(tuple(REDUCTIONS)),
        default="stratified",
        help="method of dropping judgments; default stratified",
    )
    yield field_flag(replace(RATE, default=100.0))
    yield field_flag(fields(EXPERIMENTS["curves"].params)["seed"])
    others = _of_methods()
    del others[RATE.name]
    yield from optional_flags(others.values())
