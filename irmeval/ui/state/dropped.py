"""A dropped file: what it holds, and why it is not used."""

from hashlib import blake2b

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.files import MAX_BYTES, stem
from irmeval.reading.trec import Qrels, Run
from irmeval.workspace.archive import write
from irmeval.workspace.stored import NamedQrels


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
