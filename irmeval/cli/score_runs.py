"""``irmeval evaluate``: scores of runs."""

import sys
from collections.abc import Iterator
from typing import Any

import click
import numpy as np

from irmeval.cli import flags, given_data, meant
from irmeval.cli import table_format as tables
from irmeval.cli.program import FILES, Given, command
from irmeval.core.registry import check_known
from irmeval.core.tables import PARQUET, PRINTED, sort_rows, write_table
from irmeval.core.text import count_noun
from irmeval.metrics import default_measures, distinct
from irmeval.metrics.base import REL
from irmeval.scoring.estimated_scores import describe_rare_coverage
from irmeval.scoring.score_table import ENDS, Scores
from irmeval.scoring.scores import evaluate


def _evaluate(given: Given) -> str | bytes:
    measures = given_data.measures_of(given)
    collection = given_data.read_selected(given)
    if not measures:
        measures = distinct(default_measures(collection.design))
    scores = evaluate(collection, meant.adjust(measures, given))
    if given.format == tables.TREC:
        from irmeval.report.exports import trec_scores  # only here, since it takes long to import

        return trec_scores(scores, topics=given.per_topic, means=not given.no_means)
    # trec_eval counts these topics as 0, so that its means are lower
    if undefined := int(np.isnan(scores.values[0]).all(axis=0).sum()):
        print(
            f"{count_noun(undefined, 'topic')} without a relevant document, so without a score;"
            " means are over the others",
            file=sys.stderr,
        )
    if rare := describe_rare_coverage(collection, scores.measures):
        print(rare, file=sys.stderr)
    return _write(given, scores)


def _write(given: Given, scores: Scores) -> str | bytes:
    """Text of the means, and with ``--per-topic`` of the topics before them. Rows for
    programs need no pandas, which would take most of the time of the command.
    """
    form = tables.form_of(given)
    if form in (*PRINTED, PARQUET) or given.wide or scores.estimator:
        from irmeval.cli.print_tables import write_scores

        return write_scores(given, scores)
    columns = _columns(scores, given)
    if given.sort:
        columns = sort_rows(columns, tables.column_of(given))
    return write_table(columns, form, digits=given.digits)


def _columns(scores: Scores, given: Given) -> dict[str, list[Any]]:
    """Rows of topics and of means, as they are asked for."""
    means = scores.columns(means=True)
    if not given.per_topic:
        return means
    topics = scores.columns()
    if given.no_means:
        return topics
    return {name: [*of_topics, *means[name]] for name, of_topics in topics.items()}


def _normalize_evaluate(given: Given) -> None:
    meant.sort_words(given)
    if given.no_means:
        given.per_topic = True
    if given.missing_as_zero:
        given.average = given.average or "judged"


COLUMNS = ("run", "measure", "topic", "topics", "score")
"""Columns of scores beside those of measures."""


def _check(given: Given) -> None:
    """Raise `ParamError` for a level of relevance that is no grade, and `UnknownName` for
    a column that scores do not have.
    """
    if given.level is not None:
        REL.check(given.level)
    measures = meant.adjust(given_data.measures_of(given), given)
    if measures:  # a sample has others by default
        _check_sort(tables.column_of(given), [*map(str, measures)])


def _check_sort(by: str, measures: list[str]) -> None:
    # on a sample there are columns of estimates, in a wide table by measure
    of_sample = {*ENDS, *(f"{name} {end}" for name in measures for end in ENDS)}
    if by and by not in of_sample:
        check_known(by, [*COLUMNS, *measures], "unknown column")


@command(
    "evaluate",
    _evaluate,
    "score runs: means, or topic by topic",
    f"{FILES} -m AP -m nDCG@10",
    normalize=_normalize_evaluate,
    check=_check,
    without_runs=False,
)
def _declare_evaluate() -> Iterator[click.Parameter]:
    yield from flags.run_flags()
    yield flags.measure_flag()
    yield from flags.selection_flags()
    yield from flags.trec_eval_flags()
    yield from tables.wide_flags("trec")
