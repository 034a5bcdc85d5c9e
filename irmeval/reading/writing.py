"""Write qrels, runs and score matrices as text files. Reading a file again gives an equal object."""

import csv
import io
from typing import TYPE_CHECKING

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.matrix import Matrix
from irmeval.reading.trec import Qrels, Run

if TYPE_CHECKING:
    import pyarrow as pa


def text_of(content: Qrels | Run | Matrix) -> bytes:
    """The text of a file, without lines that were left out when it was read. Which line has which of several tags is not kept.

    Raises
    ------
    ReadError
        If a name of a topic or a document of the qrels has a blank in it, which a qrels file cannot hold.
    """
    if isinstance(content, Matrix):
        return _table(content)
    return _qrels(content) if isinstance(content, Qrels) else _run(content)


def _qrels(qrels: Qrels) -> bytes:
    import pyarrow as pa
    import pyarrow.compute as pc

    for names in (pa.array(qrels.topics, pa.string()), qrels.documents):
        odd = names.filter(pc.match_substring_regex(names, r"^#|^$|\s"))
        if len(odd):
            raise ReadError("qrels", None, "names of topics and documents without blanks", shorten(odd[0].as_py()), "Rename them.")
    return _lines(_topics(qrels), "0", qrels.documents, _texts(pa.array(qrels.grade)))


def _run(run: Run) -> bytes:
    import pyarrow as pa

    n = len(run.documents)
    tags = pa.array([*run.tags[:n], *run.tags[:1] * (n - len(run.tags))], pa.string())
    return _lines(_topics(run), "Q0", run.documents, run.rank, _texts(pa.array(run.score)), tags)


def _topics(content: Qrels | Run) -> "pa.StringArray":
    import pyarrow as pa

    return pa.array(content.topics, pa.string()).take(pa.array(content.topic))


def _texts(numbers: "pa.Array") -> "pa.StringArray":
    """The shortest texts that parse back to the numbers."""
    import pyarrow as pa

    return numbers.cast(pa.string())


def _lines(*columns: "pa.Array | str") -> bytes:
    import pyarrow as pa
    import pyarrow.compute as pc

    wide = pa.large_string()
    parts = [pa.scalar(column, wide) if isinstance(column, str) else column.cast(wide) for column in [*columns, " "]]
    ended = [pc.binary_join_element_wise(*parts), pa.scalar("", wide), pa.scalar("\n", wide)]
    _, ends, text = pc.binary_join_element_wise(*ended).buffers()
    return memoryview(text)[: memoryview(ends).cast("q")[len(columns[0])]].tobytes()


def _table(matrix: Matrix) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["topic", *matrix.runs])
    rows.writerows([topic, *map(repr, scores)] for topic, scores in zip(matrix.topics, matrix.values.T.tolist(), strict=True))
    return text.getvalue().encode()


def as_lines(documents: "pa.StringArray") -> "pa.Buffer":
    """The texts, one per line."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join(pa.LargeListArray.from_arrays(pa.array([0, len(documents)]), documents), "\n")[0].as_buffer()
