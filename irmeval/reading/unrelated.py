"""Files that are plainly no run, no qrels and no score matrix: images, documents, tables of text."""

import csv
from itertools import islice

from irmeval.core.errors import ReadError
from irmeval.reading.score_matrix import is_number, looks_like_matrix

_STARTS = {
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"BM": "an image",
    b"%PDF": "a PDF",
    b"\xd0\xcf\x11\xe0": "an Office document",
}
"""First bytes of a file -> what it is."""
LINES = 100
"""Lines of a table that are looked at."""


def refuse_unrelated(name: str, data: bytes) -> None:
    """Raise `ReadError` for an image, a document, or a table with commas that has no number beside its first column."""
    kind = next((kind for start, kind in _STARTS.items() if data.startswith(start) and b"\0" in data), "")
    if not kind and looks_like_matrix(name, data) and _is_prose(data):
        kind = "a table without numbers"
    if kind:
        raise ReadError(name, None, "a run, qrels or a score matrix", kind, "Leave it out.")


def _is_prose(data: bytes) -> bool:
    """Whether the lines below the first of a table have text alone beside their first cell."""
    lines = data[:100_000].decode("utf-8-sig", "replace").splitlines()[1 : LINES + 1]
    try:
        cells = [cell for row in islice(csv.reader(lines), LINES) for cell in row[1:] if cell]
    except csv.Error:
        return False
    return bool(cells) and not any(map(is_number, cells))
