"""A command for each experiment. What few of them use is imported where it is used, since a
command imports what it runs alone.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from operator import methodcaller
from typing import Any

import click

from irmeval.cli import asked, flags, given_data, print_tables
from irmeval.cli import table_format as tables
from irmeval.cli.given_data import Progress
from irmeval.cli.outputs import write_files
from irmeval.cli.program import FILE, FILES, OUTPUT, Flag, Given, command
from irmeval.collection import Collection
from irmeval.collection.base import DEFAULT_JUDGE
from irmeval.collection.team_names import kinds_text, parse_kinds
from irmeval.core.errors import require
from irmeval.core.index import COMMANDS
from irmeval.core.params import ANY_JUDGE, BESIDE_FIRST, fields, takes
from irmeval.core.registry import check_known
from irmeval.core.written import split_path
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import LISTS, Experiment
from irmeval.judges import Judges
from irmeval.judges.simulation import SIMULATED, Simulation
from irmeval.metrics import DEFAULT, distinct
from irmeval.reading.parsing import read_matrix, read_scores
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.report.wide import WIDE
from irmeval.scoring.selection import Selection


def example_of(experiment: Experiment[Any, Any]) -> str:
    """Example arguments for an experiment, by its inputs."""
    parts = []
    if experiment.judged:
        parts.append("qrels.txt")
    elif experiment.data:
        parts.append(FILES)
    if experiment.judged or experiment.others:
        parts.append("--other llm=llm.txt")
    if experiment.measured:
        parts.append("-m AP -m nDCG@10")
    return " ".join(parts)


def _source(experiment: Experiment[Any, Any], given: Given) -> Collection | Matrix | Judges | None:
    """What an experiment works on: scores, judges, a collection, or nothing."""
    scores = _scores_of(experiment, given)
    if scores:
        return scores
    if experiment.judged:
        judges = given_data.read_panel(given)
        print(judges.describe(), file=sys.stderr)
        return judges
    if experiment.data:
        return given_data.read_selected(given)
    return None


def _scores_of(experiment: Experiment[Any, Any], given: Given) -> Matrix | None:
    """Scores in place of a collection: of a file, of several judges, or of a
    workspace.
    """
    if given.matrix:
        matrix = read_matrix(given.matrix)
        given_data.report_scores(matrix)
        return matrix
    if given.scores:
        return _read_scores(given)
    if given.stored is None or given.stored.matrix is None:
        return None
    if experiment.scored:
        return given.stored.judged_scores()
    if experiment.matrix:
        return given.stored.matrix.complete
    return None


def _read_scores(given: Given) -> Matrix:
    """The scores by several judges, the first of whom is the reference."""
    matrix = read_scores(given_data.scores_of(given))
    for each in (matrix, *matrix.others):
        given_data.report_scores(each, f"{each.judge}: ")
    return matrix


def _experiment(experiment: Experiment[Any, Any], given: Given) -> str | bytes:
    if "kinds" in fields(experiment.params):
        given.kinds = given.kinds or kinds_text(given_data.read_groups(given).kinds)
    params = _params(experiment, given)
    if given.others:
        params = _pooled(given, params)
    work = experiment.work(
        _source(experiment, given),
        given_data.measures_of(given) or None,
        params,
        only=given.only,
        team=given_data.read_groups(given).teams,
    )
    if given.returned:
        from irmeval.cli import new_judgments

        return new_judgments.print_changes(work.collection, work.measures, params, given)
    result = experiment.compute(replace(work, progress=Progress()))
    if experiment.data or experiment.judged:
        print(result.headline(), file=sys.stderr)
    if given.folder:
        from irmeval.report import folder

        form = tables.form_of(given)
        return write_files(given, lambda where: folder.write(experiment, result, where, form))
    return print_tables.write_result(given, result)


def _params(experiment: Experiment[Any, Any], given: Given) -> Any:
    return experiment.params(**flags.given_values(given, fields(experiment.params)))


def _check(experiment: Experiment[Any, Any], given: Given) -> None:
    """Raise an error for what no files make right."""
    params = _params(experiment, given)
    _check_texts(params)
    is_workspace = split_path(str(given.qrels)) is not None
    # scores, which a workspace may have, are by a measure of any name
    if not (experiment.matrix and (given.matrix or is_workspace)):
        _check_measures(params)
    _check_output(given)
    if given.returned:
        from irmeval.cli import new_judgments

        new_judgments.check(given)
    elif given.table:
        check_table(experiment.name, given.table, getattr(params, "tables", ()))
    if not is_workspace:  # it may have scores, and judges
        _check_source(experiment, given, params)


def _check_texts(params: Any) -> None:
    """Raise an error for a text in another form than it should be."""
    for name in TEXTS.keys() & fields(type(params)).keys():
        TEXTS[name](getattr(params, name))


def _check_measures(params: Any) -> None:
    """Raise an error for a text that should be a measure, and is none."""
    declared = fields(type(params))
    measures = [getattr(params, name) for name in declared if declared[name].param.measure]
    distinct(filter(None, measures))


def _parse_variances(text: str) -> None:
    from irmeval.experiments.measures.pooled_variance import parse_variances

    parse_variances(text)


TEXTS: dict[str, Callable[[str], Any]] = {"kinds": parse_kinds, "pooled_with": _parse_variances}
"""What reads parameters that are texts, by name."""


def _check_source(experiment: Experiment[Any, Any], given: Given, params: Any) -> None:
    """Raise `ParamError` for runs to compare, or workers, where there can be none; and
    without a judge who is needed, or named.
    """
    has_scores = bool(given.matrix or given.scores)
    experiment.check_only(given.only, has_scores)
    if has_scores:
        return
    experiment.check_beside(DEFAULT_JUDGE, given.other)
    if LISTS in experiment.takes:
        given_data.refuse_scheduler(given, experiment.name)
    # a file of qrels may have several judges, where only these are compared
    if not experiment.judged:
        _check_judges(asked.judges_of(given), given.judge, params)


def _check_judges(judges: list[str], first: str, params: Any) -> None:
    """Raise `UnknownName` for a parameter that names a judge who is not there."""
    for judge in _named(params, ANY_JUDGE):
        check_known(judge, judges, "unknown judge")
    leading = first or judges[0]
    beside = [*filter(leading.__ne__, judges)]
    for judge in _named(params, BESIDE_FIRST):
        _check_beside(judge, beside)


def _named(params: Any, which: str) -> Iterator[str]:
    """Names of judges among parameters that are taken."""
    for name, field in fields(type(params)).items():
        if field.param.judge == which and takes(params, name):
            yield from filter(None, [getattr(params, name)])


def _check_beside(judge: str, beside: list[str]) -> None:
    """Raise an error for a judge who is not beside the first, and cannot be simulated."""
    if judge.startswith(SIMULATED):
        Simulation.parsed(judge)
        return
    check_known(judge, beside, f"unknown judge {BESIDE_FIRST}")


def _pooled(given: Given, params: Any) -> Any:
    """The parameters with the variances in other collections."""
    from irmeval.cli import several_collections
    from irmeval.experiments.measures.pooled_variance import variances_as_text

    decided = {record: flags.given_values(given, fields(record)) for record in (Policy, Selection)}
    policy, formats = asdict(given_data.policy_of(given)), given_data.formats_of(given)
    others, _ = several_collections.sources_of(given.others, policy, decided, formats)
    measures = given_data.measures_of(given) or distinct(DEFAULT)
    texts = [variances_as_text(read(), measures, params.variance) for read in others.values()]
    return replace(params, pooled_with="; ".join(filter(None, [params.pooled_with, *texts])))


def check_table(experiment: str, table: str, own: tuple[str, ...] = ()) -> None:
    """Raise `UnknownName` for a table that no result of an experiment has, if its
    tables are known before any work; `own` are those of its parameters.
    """
    known = own or _tables_of(experiment)
    # such as runs-AP, one for each measure
    beginnings = (*filter(methodcaller("endswith", "-"), known),)
    if known and not table.startswith(beginnings):
        check_known(table, [*map(_offered, known)], "unknown table")


def _offered(name: str) -> str:
    """A table as a message offers it: ``runs-*`` for those that begin with ``runs-``."""
    if name.endswith("-"):
        return f"{name}*"
    return name


def _tables_of(experiment: str) -> tuple[str, ...]:
    indexed = COMMANDS.get(experiment)
    if indexed is None:
        return ()
    return indexed.tables


def _check_output(given: Given) -> None:
    """Raise an error for what would fail after all work: a format, a table in it, or no
    Plotly.
    """
    if given.format == tables.TREC and not given.returned:
        from irmeval.report import exports  # only here, since it takes long to import

        exports.check_whole(given.format, given.table)
    if not given.folder:
        return
    from irmeval.report import folder

    require("plotly", "report")
    folder.check_form(tables.form_of(given))


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
        text = "compare these runs only"
        how: dict[str, Any] = {"type": flags.Texts(), "default": (), "metavar": "A,B,..."}
        yield Flag("--runs", dest="only", help=text, **how)
    if experiment.judged:
        yield from flags.judge_flags()
        yield flags.format_flag()
        yield flags.field_flag(fields(Policy)["repeated"])
    yield from _of_collection(experiment)
    yield from map(flags.field_flag, fields(experiment.params).values())
    if experiment.listed:
        from irmeval.cli import new_judgments

        yield new_judgments.flag()
    text = (
        "print this table of the result, as on its page (default: every observation; as text, the"
        " first table of the page)"
    )
    yield Flag("--table", metavar="NAME", section=OUTPUT, help=text)
    text = (
        "write all tables and the data of all figures to a folder (-o, by default the experiment's"
        " name)"
    )
    yield Flag("--all", dest="folder", flag_value=experiment.name, section=OUTPUT, help=text)
    more = list[str]()
    if experiment.listed or experiment.sampled:
        more.append(tables.TREC)
    if experiment.name in WIDE:
        yield from tables.wide_flags(*more)
    else:
        yield from tables.flags(*more)


def add_command(name: str) -> None:
    """Add the command of an experiment to the program."""
    experiment, without_runs = EXPERIMENTS[name], None
    if experiment.data:
        without_runs = experiment.without_runs
    command(
        name,
        partial(_experiment, experiment),
        experiment.does,
        example_of(experiment),
        experiment.meaning,
        without_runs=without_runs,
        check=partial(_check, experiment),
        of_collection=partial(_of_collection, experiment),
    )(partial(_declare_experiment, experiment))
