"""The dataset of a visitor: one collection as it is stored, what the dashboard knows of it beside, and how files are dropped on it."""

import logging
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, field, fields
from functools import wraps
from hashlib import blake2b
from secrets import token_hex
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar, cast

from irmeval.collection import Collection
from irmeval.collection.base import DEFAULT_JUDGE, lists_of
from irmeval.collection.joining import Lists
from irmeval.core.errors import ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import counted, shorten
from irmeval.reading import foreign, matrix
from irmeval.reading.faults import Examined, FilesRefused, examine
from irmeval.reading.files import MAX_BYTES, stem, unpack
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.trec import Fault, Qrels, Run, could_be_either, detect_columns, fault_of, read_qrels, require_settled, unsettled_faults
from irmeval.reading.unrelated import refuse_unrelated
from irmeval.ui.state import quotas
from irmeval.ui.state.naming import NAMELESS
from irmeval.workspace.archive import write
from irmeval.workspace.stored import NamedQrels, OtherJudge, RunLists, Stored, lists_key

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger("irmeval")

JUDGES = 20
"""Further judges of a collection, at most."""


def hold_lock(method: Callable[Concatenate["Dataset", P], R]) -> Callable[Concatenate["Dataset", P], R]:
    """Make a method hold the dataset's lock, so that two tabs of one visitor do not change it at a time."""

    @wraps(method)
    def waiting(self: "Dataset", /, *given: P.args, **named: P.kwargs) -> R:
        with self.lock:
            return method(self, *given, **named)

    return cast(Callable[Concatenate["Dataset", P], R], waiting)


@dataclass(eq=False)
class Dataset(Stored):
    """A collection of a visitor, with what became of the last drop and what was made of the files. Without files it stands for what
    everybody sees: the sample or the server's own files."""

    refused: list[Sequence[Fault]] = field(default_factory=list)
    """the faults of each file of the last drop that no policy accepts"""
    remarks: list[str] = field(default_factory=list)
    """sentences on what else of the last drop is not used"""
    told: list[str] = field(default_factory=list)
    """sentences on what became of the last drop, where a visitor may expect something else"""
    dropped: int = 0
    """files in the last drop, those in archives one by one"""
    tab: str = ""
    """the tab that they were dropped in, which alone tells of them; empty for all"""
    unpacked: int = 0
    """bytes of qrels and runs so far"""
    lists: dict[RunLists, Lists] = field(default_factory=dict)
    """the joined lists of runs"""
    made: tuple[Policy, Collection] | None = None
    """the collection last made, and the policy it is under"""
    uploader: int = 0
    """Counts the uploads: a new number is a new, empty uploader, and Streamlit lets go of the bytes."""
    named: tuple[int, str] = -1, ""
    """the fingerprint of qrels and runs, and `uploader` when it was taken"""
    others: tuple[int, int] = 0, 0
    """bytes and runs that all other visitors have loaded"""
    elsewhere: tuple[int, int] = 0, 0
    """the same of this visitor's other collections"""
    key: str = field(default_factory=lambda: token_hex(4))
    """tells it from the visitor's others, whatever they are called"""
    lock: RLock = field(default_factory=RLock, repr=False)

    @hold_lock
    def add(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Read what was dropped, keep what is sound, note what is refused and why."""
        self._begin()
        texts = []
        unpacked, judged = self.unpacked, self.loaded[0] - self.unpacked
        room, why = quotas.room(quotas.UPLOAD, quotas.UPLOAD_ALL, self.others[0])
        room -= self.elsewhere[0] + judged
        for name, data in files:
            try:
                for inner, text in unpack(name, data, max(min(MAX_BYTES, room - unpacked), 1)):
                    unpacked += len(text)
                    texts.append((inner, text))
            except ReadError as error:
                self.refuse(name_quota(error, name, room - unpacked, why, "Leave some files out, or remove others."))
        names = self.runs.keys() | self.held.keys() | {stem(name) for name, _ in texts}
        most, why = quotas.room(quotas.RUNS, quotas.RUNS_ALL, self.others[1])
        if len(names) > most - self.elsewhere[1] + 1:  # the qrels
            kept = f" What was loaded before, {counted(len(self.runs), 'run')}, is kept." if self.runs else ""
            self.remarks.append(f"{len(texts):,} files: expected at most {why}. Leave some out.{kept}")
            return
        self.unpacked, self.dropped = unpacked, len(texts) + len(self.refused)
        before = self.drop_collection()
        for (name, text), parsed in zip(texts, map_threads(lambda item: _attempt(*item), texts), strict=True):
            if isinstance(parsed, Matrix):
                self.matrix = parsed
            elif faults := parsed.refused("first"):  # whatever the policy
                self.refused.append(faults)
            elif isinstance(parsed.sound, Run):
                self._take_run(parsed.sound, stem(name))
            elif parsed.sound:
                self._take_qrels(parsed.sound, name)
                if could_be_either(text):
                    self.told.append(
                        _told_either(stem(name), prels=parsed.sound.design is not None and parsed.sound.design.stated is not None)
                    )
        self._drop_strangers()
        self._tell(before)
        refusal = self.refusal(DEFAULT)
        refused = len(refusal.refused) if isinstance(refusal, FilesRefused) else int(refusal is not None)
        log.info("%s dropped, %d refused or replaced", counted(len(files), "file"), refused + len(self.remarks))

    @hold_lock
    def add_dataset(self, name: str) -> None:
        """Take the qrels that ir_datasets has under an id."""
        self._begin()
        self.drop_collection()
        try:
            self._take_qrels(require_settled(foreign.qrels_from_ir_datasets(f"{foreign.IRDS}{name}"), "first"), name)
        except ReadError as error:
            self.refuse(error)
        self._drop_strangers()

    @hold_lock
    def add_judges(self, files: Sequence[tuple[str, bytes]]) -> list[str]:
        """Take the qrels of further judges, each under a name of its own; what is wrong with those that cannot be used."""
        wrong = []
        room, why = quotas.room(quotas.UPLOAD, quotas.UPLOAD_ALL, self.others[0])
        for name, data in files:
            left = room - self.elsewhere[0] - self.loaded[0]
            try:
                for inner, text in unpack(name, data, max(min(MAX_BYTES, left), 1)):
                    self.add_judge(inner, OtherJudge(read_qrels(inner, text)))
            except ReadError as error:
                wrong.append(str(name_quota(error, name, left, why, "Remove other data first.")))
        return wrong

    @hold_lock
    def add_judge(self, file: str, judge: OtherJudge) -> None:
        """Add a judge under a name of their own; raises `ReadError` where there are too many."""
        if len(self.judges) >= JUDGES:
            raise ReadError(file, None, f"at most {counted(JUDGES, 'judge')}", "more", "Remove some first.")
        names = (judge_name(file) if n == 1 else f"{judge_name(file)} ({n})" for n in range(1, JUDGES + 4))
        free = next(name for name in names if name not in {DEFAULT_JUDGE, self.own, *self.judges})
        self.judges = {**self.judges, free: judge}

    @property
    def first(self) -> NamedQrels | None:
        """The qrels of the first judge, whom the others are compared with."""
        return self.qrels or self.held_qrels

    @property
    def own(self) -> str:
        """Whose these are."""
        name = judge_name(self.first.name) if self.first else DEFAULT_JUDGE
        return DEFAULT_JUDGE if name in self.judges else name

    @property
    def used(self) -> bool:
        """Whether the dataset holds qrels or a run."""
        return bool(self.qrels or self.runs or self.held_qrels or self.held)

    @property
    def has_content(self) -> bool:
        """Whether the dataset holds anything that was dropped."""
        return self.used or self.matrix is not None

    @property
    def title(self) -> str:
        """The name that the visitor gave it, else that of the qrels' file."""
        judged = self.held_qrels or self.qrels
        return self.name or (judged.name if judged else self.matrix.name if self.matrix else NAMELESS if self.used else "")

    @property
    def whole(self) -> bool:
        """Whether there are judgments and runs."""
        return bool((self.qrels or self.held_qrels) and (self.runs or self.held))

    @property
    def loaded(self) -> tuple[int, int]:
        """Bytes and number of runs that count against the quotas."""
        return self.unpacked + sum(judge.nbytes for judge in self.judges.values()), len(self.runs) + len(self.held)

    @hold_lock
    def take(self, other: "Dataset") -> None:
        """Take over what was dropped on another dataset."""
        self._begin()
        before = self.drop_collection()
        self.refused, self.remarks, self.matrix = [*other.refused], [*other.remarks], other.matrix or self.matrix
        self.dropped = other.dropped
        self.unpacked += other.unpacked
        for name, run in (other.runs | other.held).items():
            self._take_run(run, name)
        for judged in (other.held_qrels, other.qrels):
            if judged:
                self._take_qrels(judged.qrels, judged.name)
        for name, judge in other.judges.items():
            self._take_judge(judge, name)
        self._drop_strangers()
        self._tell(before)

    @hold_lock
    def take_judges(self, judges: Mapping[str, OtherJudge]) -> None:
        """Take judges without a collection; the first is the one whom the others are compared with."""
        self._begin()
        for name, judge in judges.items():
            self._take_qrels(judge.qrels, name)
        self.unpacked += next(iter(judges.values())).nbytes
        self._tell(())

    @hold_lock
    def remove(self, files: Sequence[str]) -> None:
        """Remove runs, by the names of their files."""
        self._begin()
        self.drop_collection()
        before = sum(run.topic.size for run in (*self.runs.values(), *self.held.values()))
        for runs in (self.runs, self.held):
            for name in files:
                runs.pop(name, None)
        self.lists = {key: lists for key, lists in self.lists.items() if key[0] not in files}
        left = sum(run.topic.size for run in (*self.runs.values(), *self.held.values()))
        self.unpacked = self.unpacked * left // max(before, 1)

    def drop_collection(self) -> Names[str]:
        """Drop the collection before the files change, and return the names of the judges; the joined lists of the runs stay."""
        if self.made:
            policy, collection = self.made
            for name, lists in zip(self.runs_in_use(policy), lists_of(collection), strict=True):
                self.lists.setdefault(lists_key(name, policy), lists)
            self.made = None
        return self.judges.keys()

    def _begin(self) -> None:
        self.uploader, self.dropped = self.uploader + 1, 0
        self.forget_refused()

    def forget_refused(self) -> None:
        """Forget what became of the last drop."""
        self.refused, self.remarks, self.told = [], [], []

    def _tell(self, before: Names[str]) -> None:
        """Note which judges were added since, and how to make another one the first."""
        if new := [name for name in self.judges if name not in before]:
            said = f"{', '.join(new)}: compared with {self.own}, which is first."
            self.told.append(f'{said} To put a different judge first, choose it under "Judgments by" in the sidebar.')

    def refuse(self, error: ReadError) -> None:
        """Note the faults of a file that is not used."""
        self.refused.append((fault_of(error),))

    def refusal(self, policy: Policy) -> ReadError | None:
        """The error that says which files a policy does not accept, and why; None where it accepts all."""
        judged = [judgments.qrels for judgments in (self.qrels, self.held_qrels) if judgments]
        sound: list[Run | Qrels] = [*judged, *self.runs.values(), *self.held.values()]
        unsettled = [faults for file in sound if (faults := unsettled_faults(file.repeated, policy.repeated))]
        refused = [*self.refused, *unsettled]
        if sum(max(fault.lines, 1) for faults in refused for fault in faults) == 1:
            return refused[0][0].first
        return FilesRefused(refused, max(self.dropped, len(refused))) if refused else None

    def waiting(self) -> str:
        """What is still missing before there is a collection."""
        qrels, runs = self.qrels or self.held_qrels, self.runs.keys() | self.held.keys()
        if qrels is None and runs:
            return f"{counted(len(runs), 'run')} loaded. Add the qrels file they belong to, and they are scored."
        if qrels is not None and not runs:
            return f"Judgments for {counted(len(qrels.topics), 'topic')} loaded. Add runs to score them."
        return ""

    def _take_run(self, run: Run, name: str) -> None:
        self.lists = {key: lists for key, lists in self.lists.items() if key[0] != name}
        self.put_run(name, run)

    def _take_qrels(self, qrels: Qrels, name: str) -> None:
        """Take qrels as the first judge's where there is none yet or the same file comes again, else as a further judge's."""
        if self.first and self.first.name != stem(name):
            self._take_judge(OtherJudge(qrels), name)
            return
        if self.first:
            self.told.append(f"{stem(name)} was read again and replaces what was read before.")
        self.lists = {}
        self.put_qrels(stem(name), qrels)

    def _take_judge(self, judge: OtherJudge, name: str) -> None:
        """Take qrels as a further judge's, who has judged some of the first judge's documents."""
        assert self.first
        if faults := judge.qrels.repeated:  # the policy decides of the first judge's alone
            first, remedy = faults[0].first, "Remove the repeated lines."
            self.refuse(ReadError(first.file, first.line, f"{first.expected}, of a further judge", first.came, remedy))
        elif not self.first.index.shares(judge.qrels):
            wanted = f"a document that {self.own} has judged too"
            self.refuse(ReadError(name, None, wanted, "none", "Drop it alone to make it a separate collection."))
        else:
            try:
                self.add_judge(name, judge)
            except ReadError as error:
                self.refuse(error)

    def _drop_strangers(self) -> None:
        """Refuse the runs that share no topic with the qrels."""
        judged = self.held_qrels or self.qrels
        if judged is None:
            return
        topics = {topic for qrels in (self.qrels, self.held_qrels) if qrels for topic in qrels.topics}
        for runs in (self.runs, self.held):
            for name, run in list(runs.items()):
                if topics.isdisjoint(run.topics):
                    came = f"topics such as {shorten(run.topics[0])}"
                    wanted = f"topics of {judged.name}, such as {shorten(judged.topics[0])}"
                    self.refuse(ReadError(name, None, wanted, came, "Check that run and qrels belong together."))
                    del runs[name]

    @hold_lock
    def collection(self, policy: Policy) -> Collection | None:
        """The collection of the files under a policy, without runs where there are none; None while there are no qrels.

        Raises
        ------
        ReadError
            Where a run cannot be ordered as the policy asks.
        """
        if collection := self.made_under(policy):
            self.made = policy, collection
        return collection

    @hold_lock
    def made_under(self, policy: Policy) -> Collection | None:
        """The collection under another policy; the one that was made last stays in `made`."""
        if self.made and self.made[0] == policy:
            return self.made[1]
        return self.join(policy, self.lists) if self.judged(policy) else None

    @hold_lock
    def fingerprint(self) -> str:
        """Digest of the qrels and runs, whatever their files are called."""
        if self.named[0] != self.uploader:
            contents: list[tuple[str, Qrels | Run]] = [("", found.qrels) for found in (self.qrels, self.held_qrels) if found]
            contents += [("" if len(run.tags) == 1 else name, run) for name, run in (self.runs | self.held).items()]
            digests = map_threads(_digest, contents)
            self.named = self.uploader, blake2b("".join(sorted(digests)).encode(), digest_size=16).hexdigest()
        return self.named[1]

    @classmethod
    def of(cls, stored: Stored) -> "Dataset":
        """The dataset of a collection that was stored."""
        runs = (*stored.runs.values(), *stored.held.values())
        name = "" if stored.beside else stored.name
        unpacked = sum(run.documents.nbytes + 3 * run.score.nbytes for run in runs)
        return cls(**vars(stored) | {"name": name, "beside": ""}, unpacked=unpacked, uploader=1)

    def stored(self, name: str, beside: str = "") -> Stored:
        """The collection alone, under a name."""
        return Stored(**{part.name: getattr(self, part.name) for part in fields(Stored)} | {"name": name, "beside": beside})


def name_quota(error: ReadError, name: str, left: int, why: str, remedy: str) -> ReadError:
    """The error of a file; where it is too large because so few bytes of a quota are left, one that names the quota."""
    return ReadError(name, None, f"at most {why}", "more", remedy) if "MiB" in error.expected and left < MAX_BYTES else error


def judge_name(file: str) -> str:
    """The name of a judge, from the name of their file."""
    return "".join(c for c in stem(file).removesuffix(".txt") if c.isprintable())[:80] or "judge"


def _told_either(name: str, prels: bool) -> str:
    """As what a file was read that could be strata or prels, and how to have it read as the other."""
    if prels:
        return f"{name} could hold strata or probabilities: read as probabilities. If they are strata, write 0 in its second column."
    return f"{name} could hold strata or probabilities: read as strata. If they are probabilities, write 1.0 in place of 1."


def _digest(item: tuple[str, Qrels | Run]) -> str:
    name, content = item
    content = content._replace(name="", sha256="") if isinstance(content, Run) else content._replace(sha256="")
    return name + blake2b(write(content), digest_size=16).hexdigest()


def _attempt(name: str, text: bytes) -> Matrix | Examined:
    try:
        refuse_unrelated(name, text)
        return matrix.parse_matrix(name, text) if matrix.looks_like_matrix(name, text) else examine(name, text, detect_columns(name, text))
    except ReadError as error:
        return Examined(None, {error.expected: fault_of(error)})
