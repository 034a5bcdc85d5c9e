"""The command line: numbers to standard output or a file, messages to standard error,
flags from declared parameters.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import numpy as np

from irmeval.check import Check, every_run, text_report
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS
from irmeval.cli import (
    flags,
    given_data,
    habits,
    new_judgments,
    outputs,
    several_collections,
)
from irmeval.cli import table_format as tables
from irmeval.cli.given_data import Progress
from irmeval.cli.program import (
    FILE,
    FILES,
    Flag,
    Given,
    OneOf,
    argument,
    command,
    example_of,
    parse,
)
from irmeval.collection import Collection
from irmeval.collection.team_names import kinds_text
from irmeval.core import interrupts, saving, terminal
from irmeval.core.errors import IrmevalError, ReadError, require
from irmeval.core.limits import keep_freed_memory
from irmeval.core.params import fields
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.experiments.measures.pooled_variance import variances_as_text
from irmeval.experiments.results import Frame
from irmeval.judges import Judges
from irmeval.metrics import DEFAULT, default_measures, distinct
from irmeval.papers import PAPERS
from irmeval.papers.exhibits import OVERRIDABLE, Overrides, choose_runs
from irmeval.papers.findings import EACH, VERDICTS
from irmeval.reading.exclusions import read_exclusions
from irmeval.reading.faults import FilesRefused, as_text
from irmeval.reading.parsing import read_matrix, read_scores
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.report import exports, folder, paper_folder
from irmeval.report.wide import WIDE
from irmeval.scoring.estimated_scores import describe_rare_coverage
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selection

SAMPLED = EXPERIMENTS["decisions"].params
"""Record with the parameters of a paper's exhibits."""

ALL_PAPERS = "all"
"""Placeholder for all papers."""

OF_CHECK = ("AP", "nDCG", "RBP(p=0.95)")
"""Default measures of a check."""
TEXT = "text"
"""Format of a check for people."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command. Bad input prints one line on standard error and gives exit
    status 2.
    """
    with interrupts.exit_on_interrupt(), terminal.escape_streams():
        given, words = Given(), [*(sys.argv[1:] if arguments is None else arguments)]
        output = None
        try:
            given = parse(words)
            output = given.output
            given.command.normalize(given)
            given_data.check_files(given)
            habits.take_standard_input(given)
            outputs.check(given)
            given.exclude = given.exclude and read_exclusions(given.exclude)
            given_data.open_workspace(given)
            if given.command.writes:  # a server gives it back
                keep_freed_memory()
            text = given.command.run(given)
            # of a folder, the names of its files are printed
            if given.output and not given.folder:
                saving.save(given.output, text if isinstance(text, bytes) else "".join(text))
            else:
                for part in (text,) if isinstance(text, str) else text:
                    sys.stdout.write(part)
                    sys.stdout.flush()
            if given.status:
                raise SystemExit(given.status)
        except FilesRefused as error:
            _refuse(
                habits.suggest_order(given, words) or f"{error.headline}:\n{as_text(error.kinds)}"
            )
        except IrmevalError as error:
            _refuse(
                (habits.suggest_order(given, words) if isinstance(error, ReadError) else "")
                or error
            )
        except BrokenPipeError:
            raise
        except OSError as error:
            _refuse(f"{error.filename or output or 'standard output'}: {error.strerror}")


def _refuse(why: object) -> NoReturn:
    print(f"irmeval: {why}", file=sys.stderr)
    raise SystemExit(2) from None


def _evaluate(given: Given) -> str | bytes:
    measures = given_data.measures_of(given)
    collection = given_data.read_selected(given)
    scores = evaluate(
        collection, habits.adjust(measures or distinct(default_measures(collection.design)), given)
    )
    if given.format == "trec":
        return exports.trec_scores(scores, means=not given.no_means)
    if undefined := int(np.isnan(scores.values[0]).all(axis=0).sum()):
        print(
            f"{count_noun(undefined, 'topic')} without a relevant document, so without a score;"
            " means are over the others",
            file=sys.stderr,
        )
    if rare := describe_rare_coverage(collection, scores.measures):
        print(rare, file=sys.stderr)
    return tables.write_scores(given, scores)


def _normalize_evaluate(given: Given) -> None:
    habits.sort_words(given)
    given.per_topic = given.per_topic or given.no_means
    given.average = given.average or ("judged" if given.missing_as_zero else None)


@command(
    "evaluate",
    _evaluate,
    "score runs: means, or topic by topic",
    f"{FILES} -m AP -m nDCG@10",
    exclusive=("wide", "long"),
    normalize=_normalize_evaluate,
    without_runs=False,
)
def _declare_evaluate() -> Iterator[click.Parameter]:
    yield from flags.run_flags()
    yield Flag("--qrels", dest="named_qrels", type=FILE, metavar="FILE", help="same as QRELS")
    yield Flag(
        "--runs",
        dest="named_runs",
        type=FILE,
        accepts=bool,
        metavar="RUN",
        help="same as RUN; several, or repeatable",
    )
    yield flags.measure_flag()
    yield from flags.selection_flags()
    yield from flags.trec_eval_flags()
    yield from tables.flags("trec")


def _check(given: Given) -> Iterator[str]:
    given_data.refuse_scheduler(given, "check")
    given_data.check_no_judges(given, "check")
    measures, policy = given_data.measures_of(given), given_data.policy_of(given)
    if given.stored:
        stored = given.stored
        judged = (stored.qrels or stored.require_judged(policy)).qrels
        checks = every_run.check_parsed(
            stored.name, judged, stored.runs, measures, policy, given.run
        )
    else:
        checks = every_run.check_files(
            given.qrels,
            given.runs,
            measures,
            policy,
            given.run,
            formats=given_data.formats_of(given),
        )
    return _write_checks(checks, given)


def _write_checks(checks: every_run.Checks, given: Given) -> Iterator[str]:
    """Yield the output of checks piece by piece. Sets the exit status to 1 if an error
    is shown.
    """
    subjects = [
        subject for subject in SUBJECTS if not given.only or rule_name(subject) in given.only
    ]
    found: list[Check] = []
    progress = Progress()
    for check in checks.each:
        found.append(check.only(subjects))
        progress(len(found), len(checks.names))
    given.status = max(given.status, *(int(check.level == "error") for check in found))
    if given.format != TEXT:
        yield WRITERS[given.format](found)
    elif len(found) == 1:
        yield text_report.as_text(found[0], given.tables)
    else:
        yield from text_report.write(
            found,
            text_report.Options(bool(given.only), bool(given.run) or given.verbose, given.tables),
        )


@command(
    "check",
    _check,
    "find errors and unusual properties of runs",
    FILES,
    "Exit status 1 for errors.",
    without_runs=True,
    usual=OF_CHECK,
)
def _declare_check() -> Iterator[click.Parameter]:
    yield from flags.run_flags(without_runs=True)
    yield flags.measure_flag(OF_CHECK)
    names = {rule_name(subject): subject for subject in SUBJECTS}
    yield Flag("--run", multiple=True, metavar="NAME", help="all findings on this run; repeatable")
    help = "only this check, with its notes; repeatable"
    yield Flag("--only", multiple=True, type=OneOf(tuple(names)), help=help)
    yield Flag("--verbose", is_flag=True, help="all findings on every run, including notes")
    yield Flag("--tables", is_flag=True, help="tables behind the findings")
    yield Flag(
        "--format",
        type=OneOf((TEXT, *WRITERS)),
        default=TEXT,
        help="junit, sarif: for continuous integration",
    )


def _write_files(given: Given, write: Callable[[Path], list[str]]) -> str:
    """Write files into the output folder. Returns their names as text."""
    where = outputs.folder(given)
    return "".join(f"{where / file}\n" for file in write(where))


def _source(experiment: Experiment[Any, Any], given: Given) -> Collection | Matrix | Judges | None:
    """What an experiment works on: scores, judges, a collection, or nothing."""
    if given.matrix:
        matrix = read_matrix(given.matrix)
        given_data.report_scores(matrix)
        return matrix
    if given.scores:
        return _read_scores(given)
    takes_scores = experiment.matrix or experiment.scored
    if takes_scores and given.stored and given.stored.matrix:
        return given.stored.judged_scores() if experiment.scored else given.stored.matrix.complete
    if experiment.judged:
        judges = given_data.read_panel(given)
        print(judges.describe(), file=sys.stderr)
        return judges
    return given_data.read_selected(given) if experiment.data else None


def _read_scores(given: Given) -> Matrix:
    """The scores by several judges, the first of whom is the reference."""
    files = given_data.by_name(given.scores, "scores", "a different name for each judge")
    matrix = read_scores(files)
    for each in (matrix, *matrix.others):
        given_data.report_scores(each, f"{each.judge}: ")
    return matrix


def _experiment(experiment: Experiment[Any, Any], given: Given) -> str | bytes:
    if "kinds" in fields(experiment.params):
        given.kinds = given.kinds or kinds_text(given_data.read_groups(given).kinds)
    params = experiment.params(**{name: getattr(given, name) for name in fields(experiment.params)})
    measures = given_data.measures_of(given)
    if given.others:
        decided = {
            record: flags.given_values(given, fields(record)) for record in (Policy, Selection)
        }
        policy, formats = asdict(given_data.policy_of(given)), given_data.formats_of(given)
        others, _ = several_collections.sources_of(given.others, policy, decided, formats)
        texts = [
            variances_as_text(read(), measures or distinct(DEFAULT), params.variance)
            for read in others.values()
        ]
        params = replace(params, pooled_with="; ".join(filter(None, [params.pooled_with, *texts])))
    if given.folder:
        require("plotly", "report")
        folder.check_form(tables.form_of(given))
    only = given.only.split(",") if given.only else ()
    work = experiment.work(
        _source(experiment, given),
        measures or None,
        params,
        only=only,
        team=given_data.read_groups(given).teams,
    )
    if given.returned:
        return new_judgments.print_changes(work.collection, work.measures, params, given)
    result = experiment.compute(replace(work, progress=Progress()))
    if experiment.data or experiment.judged:
        print(result.headline(), file=sys.stderr)
    if given.folder:
        return _write_files(
            given, lambda where: folder.write(experiment, result, where, tables.form_of(given))
        )
    return tables.write_result(given, result)


def _of_collection(experiment: Experiment[Any, Any]) -> Iterator[click.Parameter]:
    """The flags of an experiment's collection, which a score matrix replaces."""
    if experiment.data:
        yield from flags.run_flags(experiment.without_runs)
        yield from flags.selection_flags(fields(experiment.params))
    if experiment.measured:
        yield flags.measure_flag()
    if experiment.name == "topics-needed":
        text = (
            "other collections to pool the variance with: QRELS followed by RUNS, or a workspace;"
            " several in turn"
        )
        yield Flag("--pool", dest="others", type=FILE, accepts=bool, metavar="SOURCE", help=text)


def _declare_experiment(experiment: Experiment[Any, Any]) -> Iterator[click.Parameter]:
    if experiment.matrix:
        text = (
            "a score matrix instead of QRELS, RUN and -m: CSV, a column per run, a line per topic"
        )
        yield Flag("--matrix", type=FILE, metavar="FILE", help=text)
    if experiment.scored:
        text = (
            "the scores of a judge in place of QRELS, RUN and -m, the reference first; repeatable."
            " FILE:MEASURE: one of several measures"
        )
        yield Flag("--scores", multiple=True, metavar="NAME=FILE", help=text)
    if experiment.matrix or experiment.scored:
        yield Flag("--runs", dest="only", metavar="A,B,...", help="compare these runs only")
    if experiment.judged:
        yield from flags.judge_flags()
        yield flags.format_flag()
        yield flags.field_flag(fields(Policy)["repeated"])
    yield from _of_collection(experiment)
    yield from map(flags.field_flag, fields(experiment.params).values())
    if experiment.listed:
        yield new_judgments.flag()
    text = (
        "print this table of the result, as on its page (default: every observation; as text, the"
        " first table of the page)"
    )
    yield Flag("--table", metavar="NAME", help=text)
    text = (
        "write all tables and the data of all figures to a folder (-o, by default the experiment's"
        " name)"
    )
    yield Flag("--all", dest="folder", flag_value=experiment.name, help=text)
    own = ("trec",) if experiment.listed or experiment.sampled else ()
    yield from tables.flags(*own) if experiment.name in WIDE else [tables.format_flag(*own)]


for _each in EXPERIMENTS.values():
    command(
        _each.name,
        partial(_experiment, _each),
        _each.does,
        example_of(_each),
        _each.meaning,
        exclusive=("table", "folder", "wide", "long"),
        without_runs=_each.without_runs if _each.data else None,
        of_collection=partial(_of_collection, _each),
    )(partial(_declare_experiment, _each))


def _condense(given: Given) -> str:
    given_data.refuse_scheduler(given, "condense")
    collection = given_data.read_selected(given)
    return "".join(exports.condensed_run(collection, run) for run in collection.runs)


@command(
    "condense",
    _condense,
    "leave unjudged documents out of runs",
    FILES,
    "Writes the runs on which primes are computed.",
    without_runs=False,
)
def _declare_condense() -> Iterator[click.Parameter]:
    yield from flags.run_flags()
    yield from flags.selection_flags()


def _paper(given: Given) -> str:
    require("plotly", "report")
    team = given_data.read_groups(given).teams
    overrides = Overrides(
        flags.given_values(given, fields(Selection)),
        flags.given_values(given, OVERRIDABLE),
        given.as_published,
        given.verdicts,
    )
    SAMPLED(**overrides.params)  # raises an error for an invalid value before any exhibit is made
    everything = given_data.read_everything(given)
    how: dict[str, Any] = {"overrides": overrides, "team": team, "progress": Progress()}
    if given.name == ALL_PAPERS:
        given_data.report_remarks(everything)
        return _write_files(given, partial(paper_folder.write_all, everything, **how))
    asked = PAPERS[given.name]
    usual = choose_runs(asked, None, everything, overrides, team)
    given_data.report_selection(usual.collection, usual.table)
    return _write_files(given, lambda where: paper_folder.write(asked, everything, where, **how)[0])


def _name_folder(given: Given) -> None:
    given.folder = "papers" if given.name == ALL_PAPERS else given.name


PAPER = "reproduce all tables and figures of a paper on your data"
FOLDER = "Writes to a folder (-o, by default the paper's name)."


@command(
    "paper",
    _paper,
    PAPER,
    f"{next(iter(PAPERS))} {FILES}",
    FOLDER,
    normalize=_name_folder,
    without_runs=False,
)
def _declare_paper() -> Iterator[click.Parameter]:
    yield argument(
        "name", f"{', '.join(PAPERS)}, or {ALL_PAPERS}", type=OneOf((*PAPERS, ALL_PAPERS))
    )
    yield from flags.run_flags()
    yield from flags.selection_flags()
    yield from flags.optional_flags(fields(SAMPLED)[name] for name in OVERRIDABLE)
    yield Flag(
        "--as-published",
        is_flag=True,
        help="one random sample per rate, as in the papers, instead of ten",
    )
    text = (
        "on findings. each: separately. together: at most 10% of all verdicts are expected to be"
        " false (Benjamini & Hochberg)"
    )
    yield Flag("--verdicts", type=OneOf(VERDICTS), default=EACH, help=text)


def _list(name: str, does: str, make: Callable[[str], Frame], words: int) -> None:
    """Add a command that prints a table, made in a format, whose first columns are
    words.
    """
    command(
        name,
        lambda given: tables.write_frame(given, make(tables.form_of(given)), words=words),
        does,
        "--format csv",
    )(lambda: [tables.format_flag()])


_list("metrics", "list the metrics", exports.list_metrics, 1)
_list("formats", "list the supported file formats", lambda _: exports.list_formats(), 2)
