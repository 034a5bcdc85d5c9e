"""Names of collections, made from the names of their files; a visitor can give others."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import count, takewhile

from irmeval.core.text import count_noun
from irmeval.reading.files import path_ends, stem

NAMELESS = "Runs without qrels"
"""The name of a collection without qrels."""
UNNAMED = "Judgments of "
"""How the name of a collection begins if no file says more."""
GENERIC = (
    r"(qrels?|judge?ments?|relevance|rels?|runs?|results?|submissions?|input|data|dataset|collection|files?|uploads?|downloads?|documents|"
    r"desktop|archive|new|my|test|tmp|temp|all|txt|tsv|csv|trec|zip|tar|gz|out)"
)
_ENDING = re.compile(r"\.(txt|tsv|csv|qrels?|trec|zip|gz|out|dat|run)$", re.IGNORECASE)
_FIRST = re.compile(rf"^{GENERIC}(?=[\W_]|$)[\W_]*", re.IGNORECASE)
_LAST = re.compile(rf"(?<![^\W_]){GENERIC}$", re.IGNORECASE)
LONGEST = 255
"""Letters of a name that are read. No file system allows more, but an archive may."""
LONGEST_JUDGE = 80
"""Letters of the name of a judge."""
LEAST = 3
"""Letters that the names of the runs must share at the beginning to name the collection."""


def numbered(name: str) -> Iterator[str]:
    """The name, and then the name with 2, 3, ... behind it."""
    return (f"{name} ({n})" if n > 1 else name for n in count(1))


def number_if_taken(name: str, taken: Iterable[str]) -> str:
    """The name, with a number if it is taken."""
    names = {*taken}
    return next(text for text in numbered(name) if text not in names)


def judge_name(file: str, taken: Collection[str] = ()) -> str:
    """A name for a judge, from the path of their file: its shortest end that is not taken, else numbered."""
    names = ["".join(c for c in end.removesuffix(".txt") if c.isprintable())[:LONGEST_JUDGE] or "judge" for end in path_ends(file)]
    return next((name for name in names if name not in taken), None) or number_if_taken(names[0], taken)


def name_of(files: Iterable[str], runs: Iterable[str] = (), topics: int = 0) -> str:
    """The first `distinctive` name of the files: the qrels, then the archive or folder that they came in. Else the name that runs share,
    or the number of judged topics.

    Examples
    --------
    >>> name_of(["qrels.robust04.txt", "trec.zip"]), name_of(["qrels.txt", "robust04.zip"]), name_of(["qrels.txt"], ["Sel50", "Sel40"])
    ('robust04', 'robust04', 'Sel')
    """
    if found := next(filter(None, map(distinctive, files)), ""):
        return found
    names = sorted(map(stem, runs))
    alike = takewhile(lambda letters: letters[0] == letters[1], zip(names[0], names[-1], strict=False)) if len(names) > 1 else ()
    common = "".join(letter for letter, _ in alike).rstrip("-_. ")
    if len(common) >= LEAST and distinctive(common):
        return common
    if names:
        return names[0] if len(names) == 1 else f"{names[0]} and others"
    return f"{UNNAMED}{count_noun(topics, 'topic')}"


def distinctive(file: str) -> str:
    """The name of a file or folder without words such as qrels, runs and data; empty if nothing or only numbers are left."""
    name = before = stem(file)[:LONGEST]
    while True:
        name = _LAST.sub("", _FIRST.sub("", _ENDING.sub("", name))).strip("-_. ")
        if name == before:
            return name if re.search(r"[^\W\d_]", name) else ""
        before = name
