"""A dropped file: what it holds, and why it is not used."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from irmeval.core.errors import ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import shorten
from irmeval.reading import formats
from irmeval.reading.faults import Examined, examine
from irmeval.reading.files import MAX_BYTES, stem
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run
from irmeval.workspace.archive import write
from irmeval.workspace.stored import NamedQrels


class Undecided(NamedTuple):
    """A file that several formats fit: its text, and the keys of the formats in `irmeval.reading.formats.FORMATS`."""

    text: bytes
    keys: tuple[str, ...]


def examine_dropped(
    texts: Sequence[tuple[str, bytes]], has_qrels: bool, has_runs: bool
) -> tuple[list[tuple[str, Examined]], dict[str, Undecided]]:
    """Examine files, and find those that several formats fit. If they could be qrels or runs, and only one of these is missing beside the
    other files, they are that."""
    examined = map_threads(lambda item: examine(*item, kind=""), texts)
    has_qrels = has_qrels or any(isinstance(one.sound, Qrels) for one in examined)
    has_runs = has_runs or any(isinstance(one.sound, Run) for one in examined)
    missing = "" if has_qrels == has_runs else "run" if has_qrels else "qrels"
    decided, undecided = [], {}
    for (name, text), one in zip(texts, examined, strict=True):
        error = next((fault.first for fault in one.faults.values() if isinstance(fault.first, formats.Undecided)), None)
        keys = [key for key in error.keys if key.startswith(f"{missing} ")] if error and missing else []
        if error is None:
            decided.append((name, one))
        elif len(keys) == 1:
            decided.append((name, examine(name, text, *keys[0].split(" "))))
        else:
            undecided[name] = Undecided(text, error.keys)
    return decided, undecided


def replace_matrices(before: Sequence[Matrix], new: Sequence[Matrix]) -> tuple[list[Matrix], list[str]]:
    """New score matrices and those before of other judges or measures; and the names of those that were replaced by others."""
    found: dict[tuple[str, str], Matrix] = {}
    for matrix in [*new, *before]:
        found.setdefault((matrix.judge, matrix.name), matrix)
    replaced = [matrix.name for matrix in before if found[matrix.judge, matrix.name].fingerprint != matrix.fingerprint]
    return [*found.values()], replaced


def stranger(run: Run, name: str, judged: NamedQrels) -> ReadError:
    """The error for a run that shares no topic with the qrels."""
    came = f"topics such as {shorten(run.topics[0])}"
    wanted = f"topics of {stem(judged.name)}, such as {shorten(judged.topics[0])}"
    return ReadError(name, None, wanted, came, "Check that run and qrels belong together.")


def name_quota(error: ReadError, name: str, left: int, why: str, remedy: str) -> ReadError:
    """The error of a file; if it is too large for the bytes left of a quota, an error that names the quota."""
    return ReadError(name, None, f"at most {why}", "more", remedy) if "MiB" in error.expected and left < MAX_BYTES else error


def digest_content(item: tuple[str, Qrels | Run]) -> str:
    """Digest of a content. The name of a run counts only if its lines have several tags, so that they do not name it."""
    name, content = item
    if not isinstance(content, Run):
        return blake2b(write(content._replace(sha256="", format="", notes=())), digest_size=16).hexdigest()
    digest = blake2b(write(content._replace(name="", sha256="", format="", notes=())), digest_size=16).hexdigest()
    return digest if len(content.tags) == 1 else name + digest
