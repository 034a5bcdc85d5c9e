"""The command line: figures to standard output or a file, messages to standard error, flags drawn from declared parameters."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from irmeval import __version__, evaluate, read_collection
from irmeval.collection import Collection, of_qrels, read_qrels
from irmeval.errors import IrmevalError, ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.metrics import METRICS, Measure, measure
from irmeval.params import Field, Param, fields
from irmeval.policy import PROFILES, Policy
from irmeval.reductions import REDUCTIONS, reduce
from irmeval.report.tables import FORMATS
from irmeval.report.words import counted
from irmeval.trec import write_qrels

RATE = Field("rate", float, 100.0, Param("rate, %", "share of the judgments that is kept, per cent", low=0.1, high=100))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; bad input ends with one line on standard error and exit status 2."""
    given = _parser().parse_args(arguments)
    try:
        text = given.command(given)
        if given.output:
            given.output.write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)
    except IrmevalError as error:
        print(f"irmeval: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:  # as with `| head`
        sys.stderr.close()
    except OSError as error:
        print(f"irmeval: {error.filename}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("irmeval", description="Evaluation metrics under incomplete relevance judgments.")
    parser.add_argument("--version", action="version", version=f"irmeval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = _command(commands, "evaluate", _evaluate, "scores of runs, their means (topic `all`) or topic by topic")
    _collection_flags(one)
    one.add_argument("--per-topic", action="store_true", help="a row for each topic as well")
    one.add_argument("--gains", metavar="GRADE:GAIN,...", help="gain of each grade, as in 1:1,2:3 (default: the grade)")
    one.add_argument("--format", choices=tuple(FORMATS), default="csv")
    for experiment in EXPERIMENTS.values():
        one = _command(commands, experiment.name, partial(_experiment, experiment), experiment.meaning)
        if experiment.data:
            _collection_flags(one)
        else:
            _measure_flag(one)
        for field in fields(experiment.params).values():
            _flag(one, field)
        one.add_argument("--format", choices=tuple(FORMATS), default="csv")
    one = _command(commands, "reduce", _reduce, "a reduced qrels file, in which dropped documents have the grade -1")
    one.add_argument("qrels", metavar="QRELS")
    one.add_argument("--method", choices=tuple(REDUCTIONS), default="stratified")
    _flag(one, RATE)
    _flag(one, fields(EXPERIMENTS["incompleteness"].params)["seed"])
    for reduction in REDUCTIONS.values():
        for field in reduction.params.values():
            _flag(one, field)
    one = _command(commands, "metrics", _metrics, "the catalogue of metrics")
    one.add_argument("--format", choices=tuple(FORMATS), default="markdown")
    return parser


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], str], text: str) -> argparse.ArgumentParser:
    one: argparse.ArgumentParser = commands.add_parser(name, help=text.split(".")[0].split(";")[0], description=text)
    one.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there instead of to standard output")
    one.set_defaults(command=run)
    return one


def _collection_flags(one: argparse.ArgumentParser) -> None:
    one.add_argument("qrels", metavar="QRELS")
    one.add_argument("runs", metavar="RUN", nargs="+", help="run files, or folders of them; plain, gzip or zip")
    _measure_flag(one)
    one.add_argument("--profile", choices=tuple(PROFILES), default="papers", help="decides what the flags below leave open (default papers)")
    for field in fields(Policy).values():
        _flag(one, replace(field, default=None))


def _measure_flag(one: argparse.ArgumentParser) -> None:
    one.add_argument("-m", "--measure", action="append", required=True, metavar="M", help="as in AP, nDCG@10, Q(beta=10)'; repeatable")


def _flag(one: argparse.ArgumentParser, field: Field) -> None:
    """A flag from a declared parameter; several values are separated by commas. Checked where it is used."""
    default = ",".join(f"{v:g}" for v in field.default) if field.many else field.default
    one.add_argument(
        f"--{field.name}",
        default=field.default,
        type=(lambda text: tuple(text.split(","))) if field.many else str,
        choices=field.param.choices or None,
        metavar=None if field.param.choices else field.name.upper(),
        help=f"{field.param.label}. {field.param.help}{'' if default is None else f' Default {default}.'}".replace("%", "%%"),
    )


def _measures(given: argparse.Namespace) -> list[Measure]:
    """The measures named, checked before anything is read."""
    return [measure(text) for text in given.measure]


def _read(given: argparse.Namespace) -> Collection:
    asked = {name: getattr(given, name) for name in fields(Policy) if getattr(given, name) is not None}
    found = read_collection(given.qrels, given.runs, **asdict(PROFILES[given.profile]) | asked)
    print(
        ", ".join([counted(len(found.runs), "run"), counted(len(found.topics), "topic"), counted(found.grade.size, "judgment")]),
        file=sys.stderr,
    )
    return found


def _evaluate(given: argparse.Namespace) -> str:
    import pandas as pd

    measures = _measures(given)
    scores = evaluate(_read(given), measures, gains=given.gains)
    means = scores.mean().rename_axis(columns="measure").stack(future_stack=True).rename("score").reset_index()
    frame = means.assign(topic="all")[["run", "measure", "topic", "score"]]
    if given.per_topic:
        frame = pd.concat([scores.frame(), frame], ignore_index=True)
    if undefined := int(np.isnan(scores.values[0]).all(axis=0).sum()):
        print(f"{counted(undefined, 'topic')} without a relevant document, so without a score; means are over the others", file=sys.stderr)
    return FORMATS[given.format](frame)


def _experiment(experiment: Experiment, given: argparse.Namespace) -> str:
    params = experiment.params(**{name: getattr(given, name) for name in fields(experiment.params)})

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {total}", end="" if done < total else "\n", file=sys.stderr)

    measures = _measures(given)
    if not experiment.data:
        return FORMATS[given.format](experiment.run(measures, params).frame())
    result = experiment.run(_read(given), measures, params, progress=progress)
    return FORMATS[given.format](result.frame())


def _reduce(given: argparse.Namespace) -> str:
    found = of_qrels(read_qrels(given.qrels))
    params = {name: getattr(given, name) for name in REDUCTIONS[given.method].params}
    rate = RATE.check(given.rate) / 100
    try:
        seed = int(given.seed)
    except ValueError:
        raise ParamError(f"seed: expected a whole number, came {given.seed!r}.") from None
    grades = reduce(found, given.method, rate=rate, seed=seed, **params)[0]
    return write_qrels([found.topics[t] for t in found.topic], found.documents.to_pylist(), grades.tolist())


def _metrics(given: argparse.Namespace) -> str:
    import pandas as pd

    rows = [
        (m.name, ", ".join(m.params), "yes" if m.primed else "no", f"{m.range[0]:g} to {m.range[1]:g}", m.meaning, m.source)
        for m in METRICS.values()
    ]
    return FORMATS[given.format](pd.DataFrame(rows, columns=["metric", "parameters", "prime", "range", "meaning", "source"]))
