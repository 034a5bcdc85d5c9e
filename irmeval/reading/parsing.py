"""Parsing of files of any format to qrels, runs and score matrices."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from irmeval.core.errors import ReadError
from irmeval.core.text import count_noun, list_few
from irmeval.reading import files
from irmeval.reading.contents import qrels_from, runs_from
from irmeval.reading.formats import AUTO, Recognised, Table, recognise
from irmeval.reading.ir_metadata import header_of
from irmeval.reading.lines import description_lines, without_description
from irmeval.reading.score_matrix import Matrix, matrices_from, with_judges
from irmeval.reading.text_layout import Layout, comments, nameless_columns
from irmeval.reading.trec import Qrels, Run, digest_of, read_text, require_settled

Content = Qrels | Run | Matrix
"""Contents of a file."""


def parse(name: str, data: bytes, kind: str = "", form: str = AUTO) -> list[Content]:
    """Contents of a file: qrels, one or several runs, or a score matrix per measure.
    `kind` and `form` are as for `recognise`.

    Repeated lines are left out and noted as faults of the content. Raises `ReadError`,
    also if no format or several fit.
    """
    return parse_as(name, data, recognise(name, data, kind, form))


def parse_as(name: str, data: bytes, recognised: Recognised) -> list[Content]:
    """Contents of a file in a recognised format."""
    format, found = recognised
    table = format.read(name, without_description(data), found)
    notes = _notes(data, found, table)
    if format.kind == "scores":
        matrices = table.get("matrices") or matrices_from(name, table)
        return [
            replace(matrix, format=format.title, notes=(*matrix.notes, *notes))
            for matrix in matrices
        ]
    if format.kind == "qrels":
        qrels = qrels_from(name, table)
        return [
            replace(
                qrels,
                sha256=digest_of(data),
                format=format.title,
                notes=(*qrels.notes, *notes),
            )
        ]
    digest, header = digest_of(data), header_of(data)
    return [
        run._replace(sha256=digest, header=header, format=format.title, notes=(*run.notes, *notes))
        for run in runs_from(name, table)
    ]


def _notes(data: bytes, found: object, table: Table) -> list[str]:
    """Comments and columns of a text that are left out."""
    if not isinstance(found, Layout):
        return []
    lines, comments = description_lines(data), count_comments(data, found)
    # columns of other raters keep their names: they are read as further judges, or the
    # title of the format says whose grades are read
    unused = [name for name in nameless_columns(len(found.columns)) if name in found.columns]
    left_out = {
        f"{count_noun(lines, 'line')} of description left out": lines,
        count_noun(comments, "comment line"): comments,
        # without a header nobody has named them
        f"{count_noun(len(unused), 'further column')} left out": found.header and unused,
    }
    return [note for note, any_of_it in left_out.items() if any_of_it]


def count_comments(data: bytes, layout: Layout) -> int:
    """Comment lines below a header: those that begin with a number sign and are not
    rows.
    """
    if b"#" not in data:
        return 0
    lines = 0
    for found in comments(layout).finditer(data):
        is_cut = not found[0].endswith(b"\n")
        lines += found[0].count(b"\n") + is_cut
    return max(lines - header_of(data).count("\n"), 0)


def parse_lines(name: str, data: bytes, layout: Layout) -> Qrels | Run:
    """Qrels or run in a text of a given layout, without recognition; separated by tabs
    if there are any.
    """
    if b"\t" in data:
        layout = layout._replace(separator="\t")
    table = read_text(name, data, layout)
    if "score" in table:
        return runs_from(name, table)[0]._replace(sha256=digest_of(data), header=header_of(data))
    return replace(qrels_from(name, table), sha256=digest_of(data))


def parse_qrels(name: str, data: bytes, form: str = AUTO) -> Qrels:
    """Judgments in a file. The first of duplicate judgments is kept; the others are
    noted as errors.
    """
    (qrels,) = parse(name, data, "qrels", form)
    assert isinstance(qrels, Qrels)
    return qrels


def parse_run(name: str, data: bytes, form: str = AUTO) -> Run:
    """The only run in a file. The first of lines that duplicate a document is kept; the
    others are noted as errors. Raises `ReadError` also for several runs.
    """
    runs = parse(name, data, "run", form)
    if len(runs) > 1:
        raise ReadError(name, None, "one run", f"{len(runs)} runs", "Split the file.")
    assert isinstance(runs[0], Run)
    return runs[0]


def settled_qrels(name: str, data: bytes, repeated: str = "refuse", form: str = AUTO) -> Qrels:
    """The judgments in a file; `repeated` is the field of a policy, `form` the name of
    its format.
    """
    return require_settled(parse_qrels(name, data, form), repeated)


def read_matrix(path: str | Path) -> Matrix:
    """Read the score matrix in a file, on the topics that all runs have; files and
    errors as in `read_scores`.
    """
    return _read_scores(path).complete


def read_scores(paths: Mapping[str, str | Path]) -> Matrix:
    """Read the scores that judges gave, by their names; the first is the reference.
    Each file is plain, packed, or the only file in an archive. Of a file with scores by
    several measures, ``FILE:MEASURE`` reads one.

    Raises `ReadError` with the line at fault, and for several measures without a name;
    `ParamError` for fewer than two judges.
    """
    return with_judges({name: _read_scores(path) for name, path in paths.items()})


def _read_scores(path: str | Path) -> Matrix:
    file, _, measure = str(path).rpartition(":")
    if os.path.exists(path) or not os.path.exists(file):
        file, measure = str(path), ""
    name, data = files.unpack_one(file, files.read_bytes(file), "file of scores")
    found = {
        content.name: content
        for content in parse(name, data, "scores")
        if isinstance(content, Matrix)
    }
    if measure and measure in found:
        return found[measure]
    if measure or len(found) > 1:
        remedy = f"Name one: {file}:{next(iter(found))}"
        expected = f"scores by {measure or 'one measure'}"
        raise ReadError(file, None, expected, list_few([*found]), remedy)
    return next(iter(found.values()))
