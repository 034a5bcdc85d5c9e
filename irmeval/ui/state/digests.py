"""Fingerprints of the collections that visitors dropped, whatever their files are called."""

from hashlib import blake2b

from irmeval.core.parallel import map_threads
from irmeval.reading.trec import Qrels, Run
from irmeval.ui.state.dataset import Dataset
from irmeval.workspace.archive import write


def fingerprint(dataset: Dataset) -> str:
    """Digest of the qrels and runs of a dataset, whatever their files are called."""
    with dataset.lock:
        if dataset.named[0] != dataset.uploader:
            contents: list[tuple[str, Qrels | Run]] = [("", found.index.qrels) for found in (dataset.qrels, dataset.held_qrels) if found]
            contents += [("" if len(run.tags) == 1 else name, run) for name, run in (dataset.runs | dataset.held).items()]
            digests = map_threads(_digest, contents)
            dataset.named = dataset.uploader, blake2b("".join(sorted(digests)).encode(), digest_size=16).hexdigest()
        return dataset.named[1]


def _digest(item: tuple[str, Qrels | Run]) -> str:
    name, content = item
    content = content._replace(name="", sha256="") if isinstance(content, Run) else content._replace(sha256="")
    return name + blake2b(write(content), digest_size=16).hexdigest()
