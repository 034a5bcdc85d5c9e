"""The files a visitor has dropped, and the collection they make under any policy."""

import logging
from dataclasses import dataclass, field

from irmeval import Collection, ReadError
from irmeval.collection import Index, Lists, assemble, name_runs
from irmeval.parallel import each
from irmeval.policy import Policy
from irmeval.reading import foreign, matrix
from irmeval.reading.files import MAX_BYTES, stem, unpack
from irmeval.reading.matrix import Matrix
from irmeval.reading.trec import Qrels, Run, read
from irmeval.words import counted, shorten

log = logging.getLogger("irmeval")

MAX_FILES = 2001
"""Two thousand runs and their qrels."""
SESSION_BYTES = 8 << 30
"""Text that one visitor may upload, unpacked; of a run about half stays in memory."""


@dataclass
class Desk:
    """The files a visitor has dropped, and the collection they make."""

    qrels: Qrels | None = None
    qrels_name: str = ""
    index: Index | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    matrix: Matrix | None = None
    """a score matrix, which stands for itself: it needs neither qrels nor runs"""
    refused: list[str] = field(default_factory=list)
    unpacked: int = 0
    """bytes so far"""
    lists: dict[tuple[str, int, str], Lists] = field(default_factory=dict)
    """(run, depth, order) -> its lists, joined"""
    made: tuple[Policy, Collection] | None = None
    """the collection last made, and the policy it is under"""
    uploader: int = 0
    """Counts the uploads: a new number is a new, empty uploader, and Streamlit lets go of the bytes."""

    def add(self, files: list[tuple[str, bytes]]) -> None:
        """Read what was dropped, keep what is sound, note what is refused and why."""
        self.uploader += 1
        self.refused = []
        texts = []
        unpacked = self.unpacked
        for name, data in files:
            try:
                for inner, text in unpack(name, data, min(MAX_BYTES, SESSION_BYTES - unpacked)):
                    unpacked += len(text)
                    texts.append((inner, text))
            except ReadError as error:
                self.refused.append(str(error))
        names = self.runs.keys() | {stem(name) for name, _ in texts}
        if len(names) > MAX_FILES:
            kept = f" What was loaded before, {counted(len(self.runs), 'run')}, is kept." if self.runs else ""
            self.refused.append(f"{len(texts):,} files: expected at most {MAX_FILES:,} in a session. Leave some out.{kept}")
            return
        self.unpacked = unpacked
        for (name, _), parsed in zip(texts, each(lambda item: _attempt(*item), texts), strict=True):
            if isinstance(parsed, ReadError):
                self.refused.append(str(parsed))
            elif isinstance(parsed, Matrix):
                self.matrix = parsed
            elif isinstance(parsed, Run):
                self.runs[stem(name)] = parsed
                self.lists = {key: lists for key, lists in self.lists.items() if key[0] != stem(name)}
            else:
                self._take_qrels(parsed, name)
        self.runs = dict(sorted(self.runs.items()))  # as in a folder, whatever order a browser sends them in
        self.made = None
        self._drop_strangers()
        log.info("%s dropped, %d refused or replaced", counted(len(files), "file"), len(self.refused))

    def add_dataset(self, name: str) -> None:
        """Take the qrels that ir_datasets has under an id."""
        self.uploader += 1
        self.refused = []
        try:
            self._take_qrels(foreign.qrels_of_ir_datasets(f"{foreign.IRDS}{name}"), name)
        except ReadError as error:
            self.refused.append(str(error))
        self.made = None
        self._drop_strangers()

    def waiting(self) -> str:
        """What is still missing before there is a collection."""
        if self.qrels is None and self.runs:
            return f"Read so far: {counted(len(self.runs), 'run')}. Drop the qrels file they belong to, and they will be scored."
        if self.qrels is not None and not self.runs:
            return f"Read so far: the judgments of {counted(len(self.qrels.topics), 'topic')}. Drop one or more run files to score."
        return ""

    def _take_qrels(self, qrels: Qrels, name: str) -> None:
        if self.qrels is not None:
            self.refused.append(f"{self.qrels_name}: no longer in use, {name} took its place.")
        self.qrels, self.qrels_name, self.index, self.lists = qrels, stem(name), Index(qrels), {}

    def _drop_strangers(self) -> None:
        """Refuse the runs that share no topic with the qrels."""
        if self.qrels is None:
            return
        for name, run in list(self.runs.items()):
            if not set(run.topics) & set(self.qrels.topics):
                came = f"topics such as {shorten(run.topics[0])}"
                wanted = f"topics of {self.qrels_name}, such as {shorten(self.qrels.topics[0])}"
                self.refused.append(str(ReadError(name, None, wanted, came, "Check that run and qrels belong together.")))
                del self.runs[name]

    def collection(self, policy: Policy) -> Collection | None:
        """What the files make under a policy; None while qrels or runs are missing.

        Raises
        ------
        ReadError
            Where a run cannot be ordered as the policy asks.
        """
        if self.index is None or not self.runs:
            return None
        if self.made is None or self.made[0] != policy:
            files = list(self.runs)
            names = name_runs([(name, self.runs[name].tags) for name in files])
            self.made = policy, assemble(self.index.qrels, names, [self._lists(name, policy) for name in files], policy)
        return self.made[1]

    def _lists(self, name: str, policy: Policy) -> Lists:
        key = (name, policy.depth, policy.order)
        if key not in self.lists and self.index is not None:
            self.lists[key] = self.index.join(self.runs[name], policy.depth, policy.order)
        return self.lists[key]


def _attempt(name: str, text: bytes) -> Qrels | Run | Matrix | ReadError:
    try:
        return matrix.parse(name, text) if matrix.looks_like_one(name, text) else read(name, text)
    except ReadError as error:
        return error
