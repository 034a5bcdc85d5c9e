"""Data and results in the formats of TREC.

Also tables of all metrics and formats.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from irmeval.collection import Collection, Design
from irmeval.collection.base import qrels_of
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.params import REQUIRED, Field
from irmeval.core.places import pick
from irmeval.core.tables import write_table
from irmeval.core.text import shorten
from irmeval.core.version import __version__
from irmeval.experiments.axes import AXES, Trial
from irmeval.experiments.results import Frame, table_named
from irmeval.metrics import METRICS, Measure, Metric, distinct
from irmeval.papers.layout import WORDS
from irmeval.reading import formats
from irmeval.reading.arrays import to_arrow
from irmeval.reading.ir_metadata import read_headers
from irmeval.reading.trec import Qrels
from irmeval.reading.writing import text_of, with_stage, write_header, write_qrels
from irmeval.scoring.score_table import Scores


def format_result(result: Any, form: str, name: str | None) -> str:
    """A table of a result, by default all observations, in a format of `FORMATS`; or a
    list of documents to judge, as qrels (``trec``).
    """
    check_whole(form, name)
    if form == "trec":
        return qrels_to_fill_in(result.chosen)
    if not name:
        return write_table(result.frame(), form, result.note)
    table = table_named(result, name)
    return write_table(table.make(), form, table.noted(result.note))


def check_whole(form: str, name: str | None) -> None:
    """Raise `ParamError` for a table in the format of a list of documents to judge."""
    if form == "trec" and name:
        raise ParamError(f"format: trec writes the whole list, found the table {shorten(name)}.")


def qrels_to_fill_in(chosen: Frame) -> str:
    """Documents to judge as a qrels file, from a frame with the columns topic and
    document: ``topic 0 document -1``. A sample, which also has the columns stratum and
    grade, gives its whole pool: ``topic 0 document stratum grade``, with -1 for
    documents not drawn and ? for those to be judged.
    """
    _check_words([*chosen["topic"], *chosen["document"]])
    if "stratum" in chosen:
        columns = (chosen[name] for name in ("topic", "document", "stratum", "grade"))
        return "".join(map("{} 0 {} {} {}\n".format, *columns))
    return write_qrels(chosen["topic"], chosen["document"], [-1] * len(chosen))


def reduced_qrels(collection: Collection, grades: np.ndarray) -> str:
    """Qrels text under a grade vector [J]; a dropped document has the grade -1. A
    sample is written in a format with five columns: with strata; or with inclusion
    probabilities, for the drawn documents alone.
    """
    _check_words([*collection.topics, *collection.documents.to_pylist()])
    if collection.design:
        return text_of(_reduced_sample(collection, collection.design, grades)).decode()
    return write_qrels(
        pick(collection.topics, collection.topic),
        collection.documents.to_pylist(),
        grades.tolist(),
    )


def _reduced_sample(collection: Collection, design: Design, grades: np.ndarray) -> Qrels:
    """A sample under a grade vector; unless its documents had equal chances, the drawn
    ones with theirs.
    """
    qrels = replace(qrels_of(collection), grade=grades)
    if design.alike:
        return qrels
    # the format lists a probability with each judgment, and no other documents
    drawn = np.flatnonzero(grades >= 0)
    chances = design.probability(grades)[drawn]
    return replace(
        qrels,
        topic=qrels.topic[drawn],
        documents=qrels.documents.take(drawn),
        grade=grades[drawn],
        design=replace(Design.plain(qrels.topic[drawn], len(qrels.topics)), stated=chances),
    )


def _check_words(names: list[str]) -> None:
    """Raise `ParamError` for a name with blanks, which frames and dictionaries can hold
    but files cannot.
    """
    if odd := [name for name in names if name.split() != [name]]:
        raise ParamError(
            f"TREC's formats have blanks between the columns, so that {shorten(odd[0])} cannot be"
            " written. Rename it."
        )


def sample(
    collection: Collection, params: Any, level: Any, number: int, team: Mapping[str, str]
) -> str:
    """The qrels text of one sample of *Curves*, with its parameters and the teams of
    runs; of topics out of use, every judgment is dropped.
    """
    axis = AXES[params.of]
    own, trial = params.own_of(axis), Trial(collection, params.seed, number, team)
    (drawn,) = axis.draw(trial, [level], own)
    # with its design, so that a sample is written with its strata or probabilities
    return reduced_qrels(axis.prepare(collection, own), drawn.of_topics(collection))


def condensed_run(collection: Collection, run: str) -> str:
    """Run text without unjudged documents, as primed measures see it. A readable
    ir_metadata header is kept, with one more stage. A run without one gets none, since
    other programs may not support comments.
    """
    T, r = len(collection.topics), collection.runs.index(run)
    header = _condensed_header(run, collection.headers[r : r + 1])
    bounds = collection.start[r * T : (r + 1) * T + 1]
    topic = np.repeat(np.arange(T), np.diff(bounds))
    judgment_index = collection.judgment_index[bounds[0] : bounds[-1]]
    judged = collection.grade[judgment_index] >= 0
    topic, judgment_index = topic[judged], judgment_index[judged]
    rank = np.arange(1, topic.size + 1) - np.searchsorted(topic, topic)
    _check_words([run, *collection.topics, *collection.documents.to_pylist()])
    rows = zip(
        topic.tolist(),
        collection.documents.take(to_arrow(judgment_index)).to_pylist(),
        rank.tolist(),
        strict=True,
    )
    # scores of 1 / rank decrease with rank and never tie, even in 32 bits
    return header + "".join(
        f"{collection.topics[t]} Q0 {document} {r} {1 / r!r} {run}\n" for t, document, r in rows
    )


def _condensed_header(run: str, headers: Sequence[str]) -> str:
    """The header of a condensed run; empty if the run has no readable one."""
    header = read_headers([run], headers).get(run)
    if not header or not isinstance(header, dict):
        return ""
    stage = with_stage(header, run, "condensed list", f"irmeval {__version__} condense")
    return write_header(stage)


def trec_scores(scores: Scores, *, topics: bool = True, means: bool = True) -> str:
    """Scores in the format of ``trec_eval -q``: measure, topic and value, separated by
    tabs; the mean has the topic ``all``. Without `topics` there are means alone, as of
    ``trec_eval``. Topics without a score are left out. The lines of a run start with
    its name, as in trec_eval.
    """
    lines = []
    _check_words([*scores.runs, *scores.topics])
    for r, run in enumerate(scores.runs):
        # as trec_eval begins what it writes of a run, and its readers part runs by it
        lines.append(f"{'runid':<22}\tall\t{run}\n")
        if topics:
            for topic, column in zip(scores.topics, scores.values[:, r].T, strict=True):
                lines += _trec_lines(scores.measures, topic, column)
        if means:
            lines += _trec_lines(scores.measures, "all", scores.means[:, r])
    return "".join(lines)


def _trec_lines(measures: Sequence[Measure], topic: str, scores: np.ndarray) -> list[str]:
    known = compress(zip(measures, scores, strict=True), ~np.isnan(scores))
    return [f"{measure:<22}\t{topic}\t{score:.4f}\n" for measure, score in known]


PROPERTIES: dict[str, Callable[[Metric], bool]] = {
    "graded": lambda m: m.graded,
    "binary": lambda m: not m.graded,
    "recall-based": lambda m: m.recall_based,
    "judged documents only": lambda m: m.judged_only,
    "top-heavy": lambda m: m.top_heavy,
    "has a prime": lambda m: m.primed,
    "ideal list scores 1": lambda m: m.ideal == 1,
}
"""Properties by which metrics are filtered."""


def families() -> list[str]:
    """The families of metrics, in the order of the registry."""
    return list(dict.fromkeys(m.family for m in METRICS.values()))


def find(text: str = "", properties: Iterable[str] = (), family: str | None = None) -> list[Metric]:
    """Metrics of a family that have every property, and every word of the text in name,
    aliases, meaning, source or parameters.
    """
    words = {*text.lower().split()}
    found = [*METRICS.values()]
    if family is not None:
        found = [metric for metric in found if metric.family == family]
    for name in properties:
        found = [*filter(PROPERTIES[name], found)]
    return [metric for metric in found if _has_words(metric, words)]


def _has_words(metric: Metric, words: set[str]) -> bool:
    searched = _searched(metric)
    return all(map(searched.__contains__, words))


def _searched(metric: Metric) -> str:
    labels = (f"{name} {field.param.label}" for name, field in metric.params.items())
    return " ".join(
        (
            metric.name,
            *metric.aliases,
            metric.family,
            metric.meaning,
            metric.unjudged,
            metric.source,
            *labels,
        )
    ).lower()


def scale(metric: Metric) -> str:
    """The lowest and the highest score in words."""
    low, high = metric.range
    if high == float("inf"):
        return f"{low:g} or more"
    return f"{low:g} to {high:g}"


def describe_parameter(field: Field) -> str:
    """Text of a parameter with its range and default."""
    said = {REQUIRED: "required", None: "default none"}
    default = said.get(field.default) or f"default {field.default:g}"
    return f"{field.name}: {field.param.label}, {field.bounds()}, {default}. {field.param.help}"


def frame(metrics: Iterable[Metric]) -> "pd.DataFrame":
    """One row per metric."""
    return pd.DataFrame([*map(_describe_row, metrics)])


def _describe_row(metric: Metric) -> dict[str, str]:
    properties = {name: WORDS[has(metric)] for name, has in PROPERTIES.items()}
    return {
        "metric": metric.name,
        "family": metric.family,
        "example": metric.example,
        "parameters": ", ".join(metric.params),
        "range": scale(metric),
        "prime": properties.pop("has a prime"),
        **properties,
        "meaning": metric.meaning,
        "unjudged": metric.unjudged,
        "source": metric.source,
        "formula": metric.formula,
    }


def list_formats() -> "pd.DataFrame":
    """One row per format of files."""
    rows = [
        {
            "file": found.kind,
            "format": found.name,
            "what": found.title,
            "looks": found.looks,
            "written by": found.source,
        }
        for found in formats.FORMATS.values()
    ]
    return pd.DataFrame(rows)


def describe_metric(measure: Measure) -> str:
    """One metric in lines of text, with its formula."""
    row = frame([measure.metric]).iloc[0]
    width = max(map(len, row.index))
    lines = "".join(f"{name:{width}}  {value}\n" for name, value in row.items() if value)
    return f"{lines}{'measure':{width}}  {measure}\n"


def list_metrics(form: str, names: Iterable[str] = ()) -> "pd.DataFrame":
    """One row per metric, all or those of the measures in `names`; with all columns in
    the forms that programs read.
    """
    chosen = [one.metric for one in distinct(names)] or METRICS.values()
    table = frame(chosen)
    if form in ("csv", "json"):
        return table
    return table[["metric", "parameters", "prime", "range", "meaning", "source"]]
