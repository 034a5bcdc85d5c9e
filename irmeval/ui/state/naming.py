"""Dropped files: what each holds and why it is not used, and the names of collections,
which a visitor can change.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain, count, filterfalse
from os.path import commonprefix
from typing import NamedTuple

from irmeval.core.errors import ReadError, TooLarge
from irmeval.core.parallel import map_threads
from irmeval.core.text import count_noun, shorten
from irmeval.reading import formats
from irmeval.reading.faults import Examined, examine
from irmeval.reading.files import MAX_BYTES, path_ends, stem, unpack
from irmeval.reading.trec import Qrels, Run
from irmeval.workspace.archive import write
from irmeval.workspace.stored import NamedQrels

Tell = Callable[[int, int], None]
"""Function that any thread may call with what is done, and of how much."""


def tell_nobody(done: int, total: int) -> None:
    """Ignore what is done."""


NAMELESS = "Runs without qrels"
"""Fallback name of a collection without qrels."""
UNNAMED = "Judgments of "
"""Prefix of the fallback name of a collection."""
GENERIC = (
    r"(qrels?|judge?ments?|relevance|rels?|runs?|results?|submissions?|input|data|"
    r"dataset|collection|files?|uploads?|downloads?|documents|"
    r"desktop|archive|new|my|test|tmp|temp|all|txt|tsv|csv|trec|zip|tar|gz|out)"
)
_ENDING = re.compile(r"\.(txt|tsv|csv|qrels?|trec|zip|gz|out|dat|run)$", re.IGNORECASE)
_FIRST = re.compile(rf"^{GENERIC}(?=[\W_]|$)[\W_]*", re.IGNORECASE)
_LAST = re.compile(rf"(?<![^\W_]){GENERIC}$", re.IGNORECASE)
LONGEST = 255
"""Maximum length of a name that is read. No file system allows more, but an archive
may.
"""
LONGEST_JUDGE = 80
"""Maximum length of the name of a judge."""
LEAST = 3
"""Minimum length of the common prefix of run names that names the collection."""


def numbered(name: str) -> Iterator[str]:
    """Yield the name, and then the name followed by 2, 3, ..."""
    yield name
    for n in count(2):
        yield f"{name} ({n})"


def number_if_taken(name: str, taken: Iterable[str]) -> str:
    """The name, numbered if it is taken."""
    names = {*taken}
    return next(filterfalse(names.__contains__, numbered(name)))


def judge_name(file: str, taken: Collection[str] = ()) -> str:
    """Name of a judge, from the path of their file: its shortest unused suffix, else
    numbered.
    """
    names = [*map(_name_at, path_ends(file))]
    return next(name for name in chain(names, numbered(names[0])) if name not in taken)


def _name_at(end: str) -> str:
    """Name of a judge, from the end of a path."""
    name = "".join(filter(str.isprintable, end.removesuffix(".txt")))
    return name[:LONGEST_JUDGE] or "judge"


def name_of(files: Iterable[str], runs: Iterable[str] = (), topics: int = 0) -> str:
    """The first `distinctive` name of the files: the qrels, then their archive or
    folder. Else the common prefix of runs, or the number of judged topics.

    Examples
    --------
    >>> name_of(["qrels.robust04.txt", "trec.zip"]), name_of(["qrels.txt", "robust04.zip"])
    ('robust04', 'robust04')
    >>> name_of(["qrels.txt"], ["Sel50", "Sel40"])
    'Sel'
    """
    named = next(filter(None, map(distinctive, files)), "")
    if named:
        return named
    names = sorted(map(stem, runs))
    if not names:
        return f"{UNNAMED}{count_noun(topics, 'topic')}"
    if len(names) == 1:
        return names[0]
    common = commonprefix(names).rstrip("-_. ")  # noqa: RUF071 (these are no paths)
    if len(common) >= LEAST and distinctive(common):
        return common
    return f"{names[0]} and others"


def distinctive(file: str) -> str:
    """Name of a file or folder without words such as qrels, runs and data; empty if
    nothing or only numbers are left.
    """
    name, before = stem(file)[:LONGEST], ""
    while name != before:  # a word that is taken away may lay bare another
        before = name
        name = _LAST.sub("", _FIRST.sub("", _ENDING.sub("", name))).strip("-_. ")
    if re.search(r"[^\W\d_]", name):
        return name
    return ""


_MODELS = "gpt|llm|model|umbrela|llama|claude|gemini|mistral|qwen"
_MACHINES = "synthetic|simulated|automatic|machine"
_MADE = re.compile(f"{_MODELS}|{_MACHINES}")
"""Words in the names of files with judgments that nobody made."""


def names_a_model(path: str) -> bool:
    """Whether the name of a file says that its judgments are those of a model."""
    return _MADE.search(stem(path).lower()) is not None


class Undecided(NamedTuple):
    """A file that several formats fit: its text, and the keys of the formats in
    `irmeval.reading.formats.FORMATS`.
    """

    text: bytes
    keys: tuple[str, ...]


def examine_dropped(
    texts: Sequence[tuple[str, bytes]],
    held: set[type],
    tell: Tell = tell_nobody,
) -> tuple[list[tuple[str, Examined]], dict[str, Undecided]]:
    """Read files, and find those that several formats fit. If they could be qrels or
    runs, and only one of these is missing among the other files and the types of what is
    `held`, they are that.
    """
    done = count(1)

    def read(item: tuple[str, bytes]) -> Examined:
        examined = examine(*item, kind="")
        tell(next(done), len(texts))
        return examined

    examined = map_threads(read, texts)
    # files of one drop come in any order: what one of them is may depend on all
    missing = _missing(held.union(type(one.sound) for one in examined))
    decided, undecided = [], {}
    for (name, text), one in zip(texts, examined, strict=True):
        keys = _formats_that_fit(one)
        fitting = [form for kind, form in map(str.split, keys) if kind == missing]
        if not keys:
            decided.append((name, one))
        elif len(fitting) == 1:
            decided.append((name, examine(name, text, missing, fitting[0])))
        else:
            undecided[name] = Undecided(text, keys)
    return decided, undecided


def _missing(kinds: set[type]) -> str:
    """Kind of files that is missing for a collection; empty if both or none are there."""
    has_qrels = Qrels in kinds
    if has_qrels == (Run in kinds):
        return ""
    if has_qrels:
        return "run"
    return "qrels"


def _formats_that_fit(examined: Examined) -> tuple[str, ...]:
    """Keys of the formats of a file that several fit; none if its format is known."""
    for fault in examined.faults.values():
        if isinstance(fault.first, formats.UndecidedFormat):
            return fault.first.keys
    return ()


def holds_scores(name: str, data: bytes) -> bool:
    """Whether a file, plain or packed, holds scores alone."""
    try:
        return all(
            formats.recognise(inner, text).format.kind == "scores"
            for inner, text in unpack(name, data)
        )
    except ReadError:
        return False


def stranger(run: Run, name: str, judged: NamedQrels) -> ReadError:
    """Error for a run that shares no topic with the qrels."""
    came = f"topics such as {shorten(run.topics[0])}"
    wanted = f"topics of {stem(judged.name)}, such as {shorten(judged.topics[0])}"
    return ReadError(name, None, wanted, came, "Check that run and qrels belong together.")


def name_quota(error: ReadError, name: str, left: int, why: str, remedy: str) -> ReadError:
    """Error of a file; if it exceeds the remaining quota, an error that states the
    quota.
    """
    if isinstance(error, TooLarge) and left < MAX_BYTES:
        return ReadError(name, None, f"at most {why}", "more", remedy)
    return error


def digest_content(item: tuple[str, Qrels | Run]) -> str:
    """Digest of a content. The name of a run counts only if its lines have several
    tags, which then do not identify it.
    """
    name, content = item
    if not isinstance(content, Run):
        return _digest(replace(content, sha256="", format="", notes=()))
    # the same run under another file name, or packed, is the same
    digest = _digest(content._replace(name="", sha256="", format="", notes=()))
    if len(content.tags) == 1:
        return digest
    return name + digest


def _digest(content: Qrels | Run) -> str:
    return blake2b(write(content), digest_size=16).hexdigest()
