"""A dropped file: what it holds, and why it is not used."""

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.files import MAX_BYTES, stem
from irmeval.reading.trec import Run
from irmeval.workspace.stored import NamedQrels


def stranger(run: Run, name: str, judged: NamedQrels) -> ReadError:
    """The error for a run that shares no topic with the qrels."""
    came = f"topics such as {shorten(run.topics[0])}"
    wanted = f"topics of {stem(judged.name)}, such as {shorten(judged.topics[0])}"
    return ReadError(name, None, wanted, came, "Check that run and qrels belong together.")


def name_quota(error: ReadError, name: str, left: int, why: str, remedy: str) -> ReadError:
    """The error of a file; if it is too large for the bytes left of a quota, an error that names the quota."""
    return ReadError(name, None, f"at most {why}", "more", remedy) if "MiB" in error.expected and left < MAX_BYTES else error
