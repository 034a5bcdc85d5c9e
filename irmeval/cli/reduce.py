"""``irmeval reduce``: a reduced qrels file."""

import sys
from collections.abc import Iterator
from dataclasses import replace

import click
import numpy as np

from irmeval.cli import given_data
from irmeval.cli.flags import field_flag, format_flag, given_values, optional_flags
from irmeval.cli.program import Flag, Given, OneOf, argument, command
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.text import count_noun, shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.policy import Policy
from irmeval.reductions import REDUCTIONS, reduce, with_design
from irmeval.reductions.base import RATE
from irmeval.report.exports import reduced_qrels


def _reduce(given: Given) -> str:
    if given.stored:
        collection = given.stored.everything(replace(given.stored.policy, repeated=given.repeated))
    else:
        collection = given_data.read_files(given, Policy(repeated=given.repeated))
    chosen = REDUCTIONS[given.method]
    params = given_values(given, [chosen.axis.name, *chosen.params])
    try:
        seed = int(given.seed)
    except ValueError:
        raise ParamError(f"seed: expected a whole number, found {shorten(given.seed)}.") from None
    own = {name: params[name] for name in chosen.params if name in params and chosen.design}
    grades = reduce(collection, given.method, seed=seed, **params)[0]
    level = chosen.axis.say(chosen.axis.check(params[chosen.axis.name]))
    kept, judged = (int(np.count_nonzero(graded >= 0)) for graded in (grades, collection.grade))
    sys.stderr.write(f"{level}: {kept:,} of {count_noun(judged, 'judgment')}\n")
    return reduced_qrels(with_design(collection, given.method, **own), grades)


TEXT = "Dropped documents have the grade -1; samples have strata or probabilities."


@command("reduce", _reduce, "make judgments incomplete", "qrels.txt --rate 50", TEXT)
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
    wanted = {
        field.name: field
        for reduction in REDUCTIONS.values()
        for field in [reduction.axis, *reduction.params.values()]
    }
    yield from optional_flags(field for name, field in wanted.items() if name != RATE.name)
