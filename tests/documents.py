"""The documents of the project, the scripts beside them, and the blocks between
fences.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.conftest import ROOT

SCRIPTS = [
    ROOT / "Dockerfile",
    ROOT / "Makefile",
    ROOT / "pyproject.toml",
    *(ROOT / ".ci").iterdir(),
    *(ROOT / ".github").rglob("*.yml"),
]
DOCUMENTS = [
    path
    for folder in (".", "docs", "benchmarks", "sample_data")
    for path in (ROOT / folder).glob("*.md")
]
READ = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [*SCRIPTS, *DOCUMENTS]
    if path.name != "CHANGELOG.md"
}
"""File -> text."""
KINDS = {
    "sh": r"(pip|make|docker|streamlit|irmeval|python|dask|IRMEVAL_\w+=\S+) ",
    "toml": r"\[",
    "python": r"(from|import) ",
    "run": "# ir_metadata",
    "text": "",
}
"""Of a block without a language: what it is -> how it begins."""


class Block(NamedTuple):
    """What stands between two fences."""

    document: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}-{self.line}"


def find_blocks(document: str) -> Iterator[Block]:
    """The blocks of a document."""
    text = READ[document]
    for found in re.finditer(r"^```(\S*).*?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        language, block = found.groups()
        kind = language or next(kind for kind, begins in KINDS.items() if re.match(begins, block))
        yield Block(document, text[: found.start()].count("\n") + 2, kind, block)


BLOCKS = [
    block
    for path in DOCUMENTS
    if (name := str(path.relative_to(ROOT))) in READ
    for block in find_blocks(name)
]


def of_documents(*kinds: str) -> dict[str, list[Block]]:
    """The documents with blocks of some kinds, and these in their order."""
    found: dict[str, list[Block]] = {}
    for block in BLOCKS:
        if block.kind in kinds:
            found.setdefault(block.document, []).append(block)
    return found
