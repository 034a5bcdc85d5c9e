"""A dropped file: what it holds, and why it is not used."""

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading import score_matrix
from irmeval.reading.faults import Examined, examine
from irmeval.reading.files import MAX_BYTES, stem
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run, detect_columns, fault_of
from irmeval.reading.unrelated import refuse_unrelated
from irmeval.workspace.stored import NamedQrels


def parse_dropped(name: str, text: bytes) -> Matrix | Examined:
    """The score matrix, qrels or run in a text; a file that is none of them has a fault."""
    try:
        refuse_unrelated(name, text)
        if score_matrix.looks_like_matrix(name, text):
            return score_matrix.parse_matrix(name, text)
        return examine(name, text, detect_columns(name, text))
    except ReadError as error:
        return Examined(None, {error.expected: fault_of(error)})


def describe_guess(name: str, qrels: Qrels) -> str:
    """Whether a file was read as strata or as probabilities, and how to have it read as the other."""
    if qrels.design is not None and qrels.design.stated is not None:
        return f"{name} could hold strata or probabilities: read as probabilities. If they are strata, write 0 in its second column."
    return f"{name} could hold strata or probabilities: read as strata. If they are probabilities, write 1.0 in place of 1."


def stranger(run: Run, name: str, judged: NamedQrels) -> ReadError:
    """The error for a run that shares no topic with the qrels."""
    came = f"topics such as {shorten(run.topics[0])}"
    wanted = f"topics of {stem(judged.name)}, such as {shorten(judged.topics[0])}"
    return ReadError(name, None, wanted, came, "Check that run and qrels belong together.")


def name_quota(error: ReadError, name: str, left: int, why: str, remedy: str) -> ReadError:
    """The error of a file; if it is too large for the bytes left of a quota, an error that names the quota."""
    return ReadError(name, None, f"at most {why}", "more", remedy) if "MiB" in error.expected and left < MAX_BYTES else error
