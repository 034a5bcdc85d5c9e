"""``irmeval size --pool SOURCE ...``: pool the variance of this collection with that of others."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from irmeval.cli.across import sources_of
from irmeval.experiments.significance.pooled_variance import variances_as_text
from irmeval.experiments.significance.size import Params
from irmeval.metrics import DEFAULT, Measure, distinct


def add_flag(command: argparse.ArgumentParser) -> None:
    """Add the flag for other collections."""
    help = "other collections whose variance counts too: QRELS followed by RUNS, or a workspace; several in turn"
    command.add_argument("--pool", dest="others", metavar="SOURCE", nargs="+", help=help)


def pool(
    params: Params,
    measures: Sequence[Measure],
    words: Sequence[str],
    plain: Mapping[str, Any],
    decided: Mapping[Any, dict[str, Any]],
    qrels_format: str,
) -> Params:
    """The parameters with the variances of more collections. The other arguments are those of `irmeval.cli.across.sources_of`."""
    sources, _ = sources_of(words, plain, decided, qrels_format)
    texts = [variances_as_text(read(), measures or distinct(DEFAULT), params.variance) for read in sources.values()]
    return replace(params, pooled_with="; ".join(filter(None, [params.pooled_with, *texts])))
