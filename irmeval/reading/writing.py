"""Writing of qrels, runs with their headers, and score matrices as text files. Reading
a file again gives an equal object.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa, pc, pd, pq, yaml
from irmeval.core.text import shorten
from irmeval.reading.arrays import to_arrow, to_texts
from irmeval.reading.ir_metadata import END, LARGEST, START, Value
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.text_layout import PRELS, QRELS, RUN, STRATA, Layout
from irmeval.reading.trec import Qrels, Run


def text_of(content: Qrels | Run | Matrix) -> bytes:
    """Text of a file, without the lines left out on reading, but with those that score
    higher than their duplicates, at the end. Of several tags, the tag of a line is not
    kept.

    Columns are separated by tabs if the name of a topic or document holds a blank.
    Raises `ReadError` if one is empty, or holds a tab or the end of a line.
    """
    if isinstance(content, Matrix):
        return _table(content)
    blank = False
    for names in (to_texts(content.topics), content.documents):
        odd = names.filter(pc.match_substring_regex(names, r"^#\s|^$|[\t\n\r\v\f]"))
        if len(odd):
            raise ReadError(
                "qrels",
                None,
                "names of topics and documents without tabs",
                shorten(odd[0].as_py()),
                "Rename them.",
            )
        blank = blank or bool(pc.any(pc.match_substring(names, " ")).as_py())
    separator = "\t" if blank else " "
    if isinstance(content, Qrels):
        return _qrels(content, separator)
    return _run(content, separator)


def layout_of(content: Qrels | Run) -> Layout:
    """Columns that `text_of` writes."""
    if isinstance(content, Run):
        return RUN
    if content.design is None:
        return QRELS
    if content.design.stated is None:
        return STRATA
    return PRELS


def _qrels(qrels: Qrels, separator: str) -> bytes:
    topics, grades, design = _topics(qrels), _texts(qrels.grade), qrels.design
    if design is None:
        return _lines(topics, "0", qrels.documents, grades, separator=separator)
    if design.stated is not None:
        stated = to_texts(map(repr, design.stated.tolist()))
        return _lines(topics, qrels.documents, grades, "1", stated, separator=separator)
    strata = to_texts(design.names).take(to_arrow(design.stratum))
    return _lines(topics, "0", qrels.documents, strata, grades, separator=separator)


def _run(run: Run, separator: str) -> bytes:
    line, names = np.arange(len(run.documents)), run.tags or ("-",)
    # every tag is in the text, so that a run that is read again has all of them
    tags = to_texts(names).take(to_arrow(np.where(line < len(names), line, 0)))
    columns = _topics(run), run.documents, run.rank, _texts(run.score), tags
    # the duplicates go with it: the policy that reads the file may keep the best
    if run.better:
        row = to_arrow(run.better.row)
        more = (
            columns[0].take(row),
            columns[1].take(row),
            run.better.rank,
            _texts(run.better.score),
            tags.take(row),
        )
        columns = tuple(pa.concat_arrays(parts) for parts in zip(columns, more, strict=True))
    topics, documents, ranks, scores, tags = columns
    return run.header.encode() + _lines(
        topics, "Q0", documents, ranks, scores, tags, separator=separator
    )


def _topics(content: Qrels | Run) -> "pa.StringArray":
    return to_texts(content.topics).take(to_arrow(content.topic))


def _texts(numbers: np.ndarray) -> "pa.StringArray":
    """Shortest texts that parse to the numbers."""
    return to_arrow(numbers).cast(pa.string())


def _lines(*columns: "pa.Array | str", separator: str) -> bytes:
    parts = [*map(_wide, columns), _wide(separator)]
    # the buffer of the joined texts is the file, without a text object per line
    ended = [pc.binary_join_element_wise(*parts), _wide(""), _wide("\n")]
    _, ends, text = pc.binary_join_element_wise(*ended).buffers()
    return memoryview(text)[: memoryview(ends).cast("q")[len(columns[0])]].tobytes()


def _wide(column: "pa.Array | str") -> "pa.Array | pa.Scalar":
    """A column, or the text of every line, for a file of more than 2 GB."""
    if isinstance(column, str):
        return _wide(to_texts([column]))[0]
    return column.cast(pa.large_string())


def _table(matrix: Matrix) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["topic", *matrix.runs])
    by_topic = zip(matrix.topics, matrix.values.T.tolist(), strict=True)
    for topic, scores in by_topic:
        rows.writerow([topic, *map(_cell, scores)])
    return text.getvalue().encode()


def _cell(score: float) -> str:
    """A score as text; empty where a run lacks the topic."""
    if np.isnan(score):
        return ""
    return repr(score)


def as_lines(documents: "pa.StringArray") -> "pa.Buffer":
    """The texts, one per line."""
    return pc.binary_join(
        pa.LargeListArray.from_arrays(pa.array([0, len(documents)]), documents), "\n"
    )[0].as_buffer()


def write_header(found: Mapping[str, Value]) -> str:
    """A header as comment lines, empty for an empty header. Reading it again gives an
    equal one.

    Examples
    --------
    >>> print(write_header({"tag": "bm25", "actor": {"fields": ["ir", "nlp: all"]}}), end="")
    # ir_metadata.start
    # tag: bm25
    # actor:
    #   fields:
    #   - ir
    #   - 'nlp: all'
    # ir_metadata.end
    """
    if not found:
        return ""
    events = [
        yaml.StreamStartEvent(),
        yaml.DocumentStartEvent(),
        *_events(found),
        yaml.DocumentEndEvent(),
        yaml.StreamEndEvent(),
    ]
    text = yaml.emit(events, width=LARGEST, allow_unicode=True)
    return "".join(f"# {line}\n" for line in [START, *text.splitlines(), END])


def _events(value: "Mapping[str, Value] | Value") -> Iterator[Any]:
    """Events of a value, from which PyYAML writes texts without unneeded quotes."""
    if isinstance(value, str):
        yield yaml.ScalarEvent(
            None, None, (True, True), value, style=None if value.isprintable() else '"'
        )
    elif isinstance(value, list):
        yield yaml.SequenceStartEvent(None, None, True, flow_style=False)
        for part in value:
            yield from _events(part)
        yield yaml.SequenceEndEvent()
    else:
        yield yaml.MappingStartEvent(None, None, True, flow_style=False)
        for key, part in value.items():
            yield from (*_events(key), *_events(part))
        yield yaml.MappingEndEvent()


def with_stage(found: Mapping[str, Value], tag: str, name: str, method: str) -> dict[str, Value]:
    """Header of a run that was made from another run: a new tag, and one more stage of
    the method.
    """
    # a header is written by hand: any part may have another form
    before = found.get("method")
    described = before if isinstance(before, dict) else {}
    stages = described.get("retrieval")
    if not isinstance(stages, list):
        stages = []
    more: Value = {"name": name, "method": method, "reranks": str(found.get("tag", tag))}
    return {
        **found,
        "tag": tag,
        "method": {**described, "retrieval": [*stages, more]},
    }


def merge_headers(
    headers: Sequence[Mapping[str, Value]], tag: str, stage: Mapping[str, Value]
) -> dict[str, Value]:
    """Header of a run that one stage made from several runs: the sections on which
    their headers agree, and this stage as the method.
    """
    alike = {
        section: said
        for section, said in headers[0].items()
        if all(other.get(section) == said for other in headers)
    }
    return {**alike, "tag": tag, "method": {"retrieval": [dict(stage)]}}


def write_qrels(topics: Iterable[str], documents: Iterable[str], grades: Iterable[int]) -> str:
    """Qrels text, one line per judgment, from columns of equal length."""
    return "".join(f"{t} 0 {d} {g}\n" for t, d, g in zip(topics, documents, grades, strict=True))


def parquet(frame: "pd.DataFrame") -> bytes:
    """The bytes of a Parquet file; cells that are no numbers are texts."""
    # by position, as columns may have equal names
    texts = [i for i, kind in enumerate(frame.dtypes) if kind.kind not in "biuf"]
    plain = frame.copy(deep=False)
    for i in texts:
        cells = plain.iloc[:, i]
        plain.isetitem(i, cells.map(str).where(cells.notna(), None).array)
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pandas(plain, preserve_index=False), sink)
    return bytes(sink.getvalue())
