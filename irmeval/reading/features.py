"""Judgments in files for learning to rank: a grade, a topic, features, and the document
in a comment.
"""

import re
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.first_block import BYTES, LINES, FirstBlock
from irmeval.reading.lines import LONGEST, check_text, numbered_lines
from irmeval.reading.named_columns import table_of

_QUERY = re.compile(rb"[^\s#]+[ \t]+qid:\S")
_LINE = re.compile(
    rb"[ \t]*(?P<grade>[^\s#]+)[ \t]+qid:(?P<topic>\S+)[^\n#]*"
    rb"(?:#[ \t]*(?:docid[ \t]*=[ \t]*)?(?P<document>\S+))?"
)


def mentions_queries(block: FirstBlock) -> bool:
    """Whether the id of a query is near the beginning: most files are told by that."""
    return b"qid:" in block.data[:LONGEST]


def begins_with_queries(block: FirstBlock) -> bool:
    """Whether the second word of each line is the id of a query."""
    numbered = islice(numbered_lines(block.data[:BYTES]), LINES)
    lines = [*map(itemgetter(1), numbered)]
    queries = [*filter(_QUERY.match, lines)]
    return len(queries) >= max(block.least * len(lines), 1)


def read_features(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Columns of a file of features. The document is the first word of the comment, or
    the one behind ``docid =``. Raises `ReadError` for a line without a document, and a
    grade that is not a number.
    """
    check_text(name, data)
    topics, documents, grades = [], [], []
    for number, line in enumerate(data.splitlines(), 1):
        is_row = line.strip()[:1] not in (b"", b"#")
        if not is_row:
            continue
        parts = _LINE.match(line)
        if not parts or not parts["document"]:
            expected = "grade qid:TOPIC features # document"
            raise ReadError(name, number, expected, shorten(line), "Add the document.")
        try:
            grades.append(float(parts["grade"]))
        except ValueError:
            came = shorten(parts["grade"])
            raise ReadError(name, number, "a number as grade", came, "Fix the line.") from None
        topics.append(parts["topic"].decode("utf-8", "replace"))
        documents.append(parts["document"].decode("utf-8", "replace"))
    table = table_of(name, {"topic": topics, "document": documents})
    return table | {"number": np.array(grades)}
