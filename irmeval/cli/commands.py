"""The command line: numbers to standard output or a file, messages to standard error, flags from declared parameters."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from irmeval.check import every_run
from irmeval.cli import (
    across,
    check,
    completion,
    flags,
    fuse,
    habits,
    judge_args,
    lesson,
    new_judgments,
    reduce,
    rerun,
    table_format,
)
from irmeval.cli.help import FILES, CommandParser, ProgramParser, example_of
from irmeval.cli.progress import Progress
from irmeval.collection import Collection
from irmeval.collection.missing_topics import describe_missing_topics
from irmeval.collection.sample_remarks import remarks_on_sample
from irmeval.collection.shards import WITHOUT_SCHEDULER, read_runs
from irmeval.collection.team_names import read_teams
from irmeval.core import interrupts, saving, terminal
from irmeval.core.errors import IrmevalError, ParamError, ReadError, require
from irmeval.core.params import fields
from irmeval.core.tables import FORMATS
from irmeval.core.text import counted
from irmeval.core.version import __version__
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.experiments.cost import duration_in_words
from irmeval.experiments.significance.pooled_variance import variances_as_text
from irmeval.judges import Judges
from irmeval.metrics import DEFAULT, Measure, distinct
from irmeval.papers import PAPERS
from irmeval.papers.exhibits import OVERRIDABLE, Overrides, choose_runs
from irmeval.papers.findings import EACH, VERDICTS
from irmeval.reading.faults import FilesRefused, as_text
from irmeval.reading.files import read_bytes
from irmeval.reading.ir_metadata import describe_unreadable
from irmeval.reading.policy import PROFILES, Policy
from irmeval.reading.score_matrix import Matrix, read_matrix
from irmeval.reading.trec import AUTO
from irmeval.report import catalogue, exports, folder, paper_folder
from irmeval.report.wide import WIDE
from irmeval.scoring.estimated_scores import describe_rare_coverage
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selection, select
from irmeval.scoring.values import check_runs
from irmeval.ui.server import serve
from irmeval.workspace import Workspace
from irmeval.workspace import base as workspace

SAMPLED = EXPERIMENTS["decisions"].params
"""The record with the parameters of a paper's exhibits."""

ALL_PAPERS = "all"
"""Stands for all papers in place of a name."""

OF_CHECK = ("AP", "nDCG", "RBP(p=0.95)")
"""Default measures of a check."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command. Bad input gives one line on standard error and exit status 2."""
    with interrupts.exit_on_interrupt(), terminal.escape_streams():
        output = None
        try:
            words = [*(sys.argv[1:] if arguments is None else arguments)]
            given = _parse(words)
            output = given.output
            habits.take_standard_input(given)
            _check_outputs(given)
            _open_workspace(given)
            text = given.command(given)
            if given.output:
                saving.save(given.output, "".join(text))
            else:
                for part in (text,) if isinstance(text, str) else text:
                    sys.stdout.write(part)
                    sys.stdout.flush()
            if given.status:
                raise SystemExit(given.status)
        except FilesRefused as error:
            _refuse(habits.suggest_order(given, words) or f"{error.headline}:\n{as_text(error.kinds)}")
        except IrmevalError as error:
            _refuse((habits.suggest_order(given, words) if isinstance(error, ReadError) else "") or error)
        except BrokenPipeError:
            raise
        except OSError as error:
            _refuse(f"{error.filename or output or 'standard output'}: {error.strerror}")


def _refuse(why: object) -> NoReturn:
    print(f"irmeval: {why}", file=sys.stderr)
    raise SystemExit(2) from None


def _check_outputs(given: argparse.Namespace) -> None:
    """Raise `ParamError` for an output path that cannot be written to, before any work."""
    if given.folder:
        saving.check_folder(_folder(given))
    elif given.output:
        saving.check_file(given.output)
    if isinstance(tables := getattr(given, "tables", None), Path):
        saving.check_folder(tables)


def _folder(given: argparse.Namespace) -> Path:
    """The output folder, by default named after the paper or experiment."""
    return given.output or Path(given.folder)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    arguments = habits.spread_measures(arguments)
    matrix = "--matrix" in (text.partition("=")[0] for text in arguments)
    given = parser(matrix, stored=any(map(workspace.split_path, arguments))).parse_args(arguments)
    if given.command is _paper:
        given.folder = "papers" if given.name == ALL_PAPERS else given.name
    return given


def parser(matrix: bool = False, *, stored: bool = False) -> argparse.ArgumentParser:
    """All commands with their flags. With `matrix` a score matrix replaces qrels, runs and measures; with `stored` a workspace replaces
    the runs."""
    made = ProgramParser("irmeval", description="Evaluation metrics under incomplete relevance judgments.")
    made.set_defaults(stored=None, folder=None)
    made.add_argument("--version", action="version", version=f"irmeval {__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)

    @flags.add_command(commands, "evaluate", _evaluate, "score runs: means, or topic by topic", f"{FILES} -m AP -m nDCG@10")
    def declare_evaluate(command: argparse.ArgumentParser) -> None:
        flags.run_flags(command, stored)
        flags.measure_flag(command)
        flags.selection_flags(command)
        command.add_argument("--per-topic", action="store_true", help="add a row for each topic")
        table_format.add_flags(command, command.add_mutually_exclusive_group(), "trec")

    @flags.add_command(commands, "check", _check, "find what is odd about files", FILES, "Exit status 1 where something is wrong.")
    def declare_check(command: argparse.ArgumentParser) -> None:
        flags.run_flags(command, stored, without_runs=True)
        flags.measure_flag(command, OF_CHECK)
        check.add_flags(command)

    for experiment in EXPERIMENTS.values():
        run, example = partial(_experiment, experiment), example_of(experiment)
        add = flags.add_command(commands, experiment.name, run, experiment.does, example, experiment.meaning)
        add(partial(_declare_experiment, experiment, matrix, stored))
    reduce.add_to(commands, _read_files)
    fuse.add_to(commands)
    text = "Runs on which primes are computed, to compare."

    @flags.add_command(commands, "condense", _condense, "leave unjudged documents out of runs", FILES, text)
    def declare_condense(command: argparse.ArgumentParser) -> None:
        flags.run_flags(command, stored)
        flags.selection_flags(command)

    does, example = "make all tables and figures of a paper on your data", f"{next(iter(PAPERS))} {FILES}"

    @flags.add_command(commands, "paper", _paper, does, example, "Into a folder (-o, by default its name).")
    def declare_paper(command: argparse.ArgumentParser) -> None:
        command.add_argument("name", metavar="NAME", choices=(*PAPERS, ALL_PAPERS), help=f"{', '.join(PAPERS)}, or {ALL_PAPERS}")
        flags.run_flags(command, stored)
        flags.selection_flags(command)
        flags.add_optional_flags(command, (fields(SAMPLED)[name] for name in OVERRIDABLE))
        command.add_argument("--as-published", action="store_true", help="one random sample per rate, as in the papers, instead of ten")
        together = "on findings. each: by itself. together: at most 10%% of all verdicts are expected to be false (Benjamini & Hochberg)"
        command.add_argument("--verdicts", choices=VERDICTS, default=EACH, help=together)

    across.add_to(commands)
    rerun.add_to(commands)
    lesson.add_to(commands)
    serve.add_command(commands)
    completion.add_to(commands, parser)

    @flags.add_command(commands, "metrics", lambda given: catalogue.format_catalogue(given.format), "list the metrics", "--format csv")
    def declare_metrics(command: argparse.ArgumentParser) -> None:
        command.add_argument("--format", choices=tuple(FORMATS), default="markdown")

    return made


def _declare_experiment(experiment: Experiment[Any, Any], matrix: bool, stored: bool, command: argparse.ArgumentParser) -> None:
    if experiment.matrix:
        command.add_argument(
            "--matrix", metavar="FILE", help="a score matrix instead of QRELS, RUN and -m: CSV, a column per run, a line per topic"
        )
        command.add_argument("--runs", dest="only", metavar="A,B,...", help="compare these runs only")
    judged = not (experiment.matrix and matrix)
    if experiment.data and judged:
        flags.run_flags(command, stored, experiment.without_runs)
        flags.selection_flags(command, fields(experiment.params))
    if experiment.judged:
        judge_args.add_flags(command)
        flags.format_flag(command)
        flags.add_flag(command, fields(Policy)["repeated"])
    if experiment.measured and judged:
        flags.measure_flag(command)
    for field in fields(experiment.params).values():
        flags.add_flag(command, field)
    if experiment.listed:
        new_judgments.add_flag(command)
    if experiment.name == "topics-needed" and judged:
        help = "other collections whose variance counts too: QRELS followed by RUNS, or a workspace; several in turn"
        command.add_argument("--pool", dest="others", metavar="SOURCE", nargs="+", help=help)
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--table", metavar="NAME", help="print this table of the result, as its page shows it (default: every observation)")
    text = "write all tables and the data of all figures into a folder (-o, by default its name)"
    shown.add_argument("--all", dest="folder", action="store_const", const=experiment.name, help=text)
    if experiment.name in WIDE:
        table_format.add_flags(command, shown)
    else:
        own = ("trec",) if experiment.listed or experiment.sampled else ()
        command.add_argument("--format", choices=(*FORMATS, *own), default="csv")


def _open_workspace(given: argparse.Namespace) -> None:
    """Open a workspace given in place of qrels and runs. Raises `ReadError` if it cannot be read; a missing argument is a usage error."""
    if "runs" in given and (named := workspace.split_path(str(given.qrels))):
        if given.runs:
            raise ParamError(f"{given.qrels}: a workspace has its own runs. Leave out {given.runs[0]}.")
        if given.qrels_format != AUTO:
            raise ParamError(f"{given.qrels}: a workspace holds judgments as they were read. Leave out --qrels-format.")
        opened = Workspace.load(named[0], named[1])
        given.stored = opened.stored(named[1])
        if "measure" in given:
            given.measure = given.measure or list(opened.measures)
    if "measure" in given:
        given.measure = given.measure or given.usual


def _measures(given: argparse.Namespace) -> list[Measure]:
    """The measures on the command line; empty if there are none. They are checked before files are read."""
    return [*distinct(getattr(given, "measure", ()))]


def _policy(given: argparse.Namespace) -> Policy:
    usual = PROFILES[given.profile or "papers"] if given.profile or not given.stored else given.stored.policy
    return Policy(**asdict(usual) | flags.given_values(given, fields(Policy)))


def _read_selected(given: argparse.Namespace) -> Collection:
    """Read the selected runs and topics. The reasons for leaving runs out go to standard error."""
    rules = asdict(given.stored.selection) if given.stored else {}
    selection = Selection(**rules | flags.given_values(given, fields(Selection)))
    collection, table = select(_read_everything(given), selection, _read_team_list(given))
    _report_selection(collection, table)
    return collection


def _read_everything(given: argparse.Namespace) -> Collection:
    """All runs and topics, from files or from a workspace."""
    if given.stored:
        _refuse_scheduler(given, "a workspace")
    read = given.stored.everything(_policy(given)) if given.stored else _read_files(given, _policy(given))
    if not given.without_runs:
        check_runs(read)
    return judge_args.add_judges(given, read)


def _read_files(given: argparse.Namespace, policy: Policy) -> Collection:
    """All runs and topics from files, on the workers of a scheduler if one is named."""
    return read_runs(given.qrels, given.runs, given.scheduler, qrels_format=given.qrels_format, progress=Progress(), **asdict(policy))


def _refuse_scheduler(given: argparse.Namespace, name: str) -> None:
    """Raise `ParamError` if a scheduler is named for a command that needs the documents of the lists, or reads no files."""
    if given.scheduler:
        raise ParamError(f"{name}: needs the ranked lists on this machine. {WITHOUT_SCHEDULER}")


def _report_selection(collection: Collection, table: Any) -> None:
    """Write to standard error which runs and topics are used, and why runs are left out."""
    for row in table[~table["kept"]].itertuples():
        print(f"left out {row.run}: {row.why}", file=sys.stderr)
    remarks = [*describe_unreadable(collection.runs, collection.headers), *remarks_on_sample(collection)]
    for said in filter(None, [*remarks, describe_missing_topics(collection)]):
        print(said, file=sys.stderr)
    sizes = (len(collection.runs), "run"), (len(collection.topics), "topic"), (collection.grade.size, "judgment")
    print(", ".join(counted(*size) for size in sizes), file=sys.stderr)


def _read_team_list(given: argparse.Namespace) -> dict[str, str]:
    """Run -> team, from a file."""
    path = getattr(given, "team_list", None)
    return read_teams(str(path), read_bytes(path)) if path else given.stored.teams if given.stored else {}


def _evaluate(given: argparse.Namespace) -> str:
    measures = _measures(given)
    scores = evaluate(collection := _read_selected(given), measures or None)
    if given.format == "trec":
        return exports.trec_scores(scores)
    if undefined := int(np.isnan(scores.values[0]).all(axis=0).sum()):
        print(f"{counted(undefined, 'topic')} without a relevant document, so without a score; means are over the others", file=sys.stderr)
    if rare := describe_rare_coverage(collection, scores.measures):
        print(rare, file=sys.stderr)
    return table_format.write_scores(given, scores)


def _check(given: argparse.Namespace) -> Iterator[str]:
    _refuse_scheduler(given, "check")
    judge_args.check_no_judges(given, "check")
    measures, policy = _measures(given), _policy(given)
    if given.stored:
        stored = given.stored
        judged = (stored.held_qrels or stored.require_judged(policy)).qrels
        checks = every_run.check_parsed(stored.name, judged, {**stored.runs, **stored.held}, measures, policy, given.run)
    else:
        checks = every_run.check_files(given.qrels, given.runs, measures, policy, given.run, qrels_format=given.qrels_format)
    return check.write(checks, given)


def _experiment(experiment: Experiment[Any, Any], given: argparse.Namespace) -> str:
    params = experiment.params(**{name: getattr(given, name) for name in fields(experiment.params)})
    measures = _measures(given)
    if getattr(given, "others", None):
        decided = {record: flags.given_values(given, fields(record)) for record in (Policy, Selection)}
        sources, _ = across.sources_of(given.others, asdict(_policy(given)), decided, given.qrels_format)
        texts = [variances_as_text(read(), measures or distinct(DEFAULT), params.variance) for read in sources.values()]
        params = replace(params, pooled_with="; ".join(filter(None, [params.pooled_with, *texts])))
    if given.folder:
        require("plotly", "report")
        given.format = given.format or "csv"
        folder.check_form(given.format)
    only = given.only.split(",") if getattr(given, "only", None) else ()
    work = experiment.work(_source(experiment, given), measures or None, params, only=only, team=_read_team_list(given))
    if getattr(given, "returned", None):
        return new_judgments.print_changes(work.collection, work.measures, params, given)
    if (cost := experiment.cost(work)).large:
        print(f"{duration_in_words(cost.seconds)}: {cost.describe()}", file=sys.stderr)
    result = experiment.compute(replace(work, progress=Progress(cost.large)))
    if experiment.data or experiment.judged:
        print(result.headline(), file=sys.stderr)
    if given.folder:
        return _write_files(given, lambda where: folder.write(experiment, result, where, given.format))
    if experiment.name in WIDE:
        return table_format.write_result(given, result)
    return exports.format_result(result, given.format, given.table)


def _write_files(given: argparse.Namespace, write: Callable[[Path], list[str]]) -> str:
    """Write files into the output folder. Returns their names as text."""
    where, given.output = _folder(given), None
    return "".join(f"{where / file}\n" for file in write(where))


def _source(experiment: Experiment[Any, Any], given: argparse.Namespace) -> Collection | Matrix | Judges | None:
    if getattr(given, "matrix", None):
        return read_matrix(given.matrix)
    if experiment.matrix and given.stored and given.stored.matrix:
        return given.stored.matrix
    if experiment.judged:
        judges = judge_args.read(given)
        print(judges.describe(), file=sys.stderr)
        return judges
    return _read_selected(given) if experiment.data else None


def _condense(given: argparse.Namespace) -> str:
    _refuse_scheduler(given, "condense")
    collection = _read_selected(given)
    return "".join(exports.condensed_run(collection, run) for run in collection.runs)


def _paper(given: argparse.Namespace) -> str:
    require("plotly", "report")
    team = _read_team_list(given)
    overrides = Overrides(
        flags.given_values(given, fields(Selection)), flags.given_values(given, OVERRIDABLE), given.as_published, given.verdicts
    )
    SAMPLED(**overrides.params)  # raises an error for an invalid value before any exhibit is made
    everything = _read_everything(given)
    how: dict[str, Any] = {"overrides": overrides, "team": team, "progress": Progress(long=True)}
    if given.name == ALL_PAPERS:
        return _write_files(given, partial(paper_folder.write_all, everything, **how))
    asked = PAPERS[given.name]
    usual = choose_runs(asked, None, everything, overrides, team)
    _report_selection(usual.collection, usual.table)
    return _write_files(given, lambda where: paper_folder.write(asked, everything, where, **how)[0])
