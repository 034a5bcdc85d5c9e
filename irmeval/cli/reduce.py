"""``irmeval reduce``: a reduced qrels file."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from irmeval.cli.flags import add_command, add_flag, add_optional_flags, format_flag, given_values
from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.text import counted, shorten
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.policy import Policy
from irmeval.reductions import REDUCTIONS, reduce, with_design
from irmeval.reductions.base import RATE
from irmeval.report.exports import reduced_qrels


def add_to(commands: Any, read: Callable[[argparse.Namespace, Policy], Collection]) -> None:
    """Add the command. `read` reads qrels and runs."""
    text = "Dropped documents have the grade -1; samples have strata or probabilities."

    @add_command(commands, "reduce", partial(_reduce, read=read), "make judgments incomplete", "qrels.txt --rate 50", text)
    def declare(command: argparse.ArgumentParser) -> None:
        command.add_argument("qrels", metavar="QRELS")
        command.add_argument("runs", metavar="RUN", nargs="*", help="for the methods that build a pool from runs")
        format_flag(command)
        add_flag(command, fields(Policy)["repeated"])
        command.add_argument("--method", choices=tuple(REDUCTIONS), default="stratified")
        add_flag(command, replace(RATE, default=100.0))
        add_flag(command, fields(EXPERIMENTS["curves"].params)["seed"])
        wanted = {field.name: field for reduction in REDUCTIONS.values() for field in [reduction.axis, *reduction.params.values()]}
        add_optional_flags(command, (field for name, field in wanted.items() if name != RATE.name))


def _reduce(given: argparse.Namespace, read: Callable[[argparse.Namespace, Policy], Collection]) -> str:
    if given.stored:
        collection = given.stored.everything(replace(given.stored.policy, repeated=given.repeated))
    else:
        collection = read(given, Policy(repeated=given.repeated))
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
    sys.stderr.write(f"{level}: {kept:,} of {counted(judged, 'judgment')}\n")
    return reduced_qrels(with_design(collection, given.method, **own), grades)
