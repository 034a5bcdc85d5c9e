"""A visitor's dataset: one stored collection, values computed from it, and the reading
of added files.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, field, fields
from functools import wraps
from hashlib import blake2b
from itertools import filterfalse
from secrets import token_hex
from threading import RLock
from typing import Any, TypeVar, cast

from irmeval.collection import Collection
from irmeval.collection.base import DEFAULT_JUDGE, lists_of
from irmeval.collection.joining import Lists
from irmeval.core.errors import ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import count_noun, list_few, verb
from irmeval.reading import foreign
from irmeval.reading.faults import Examined, FilesRefused, examine, refusal_error
from irmeval.reading.files import MAX_BYTES, path_within, stem, unpack
from irmeval.reading.formats import rater_columns
from irmeval.reading.parsing import settled_qrels
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Fault, Qrels, Run, fault_of, require_settled, unsettled_faults
from irmeval.ui.state import naming, quotas
from irmeval.workspace.stored import NamedQrels, OtherJudge, RunLists, Stored, lists_key

Method = TypeVar("Method", bound=Callable[..., Any])

log = logging.getLogger("irmeval")

JUDGES = 20
"""Maximum number of other judges of a collection."""
REPEATED = (
    "The loaded files have duplicate lines and cannot be used as they are. See the page where you"
    " dropped them."
)
FEWER = "Leave some files out, or remove others."
"""What to do about a quota."""


def hold_lock(method: Method) -> Method:
    """Run a method under its object's `lock`, so that two tabs of one visitor do not
    change it at once.
    """

    @wraps(method)
    def waiting(self: Any, *given: Any, **named: Any) -> Any:
        with self.lock:
            return method(self, *given, **named)

    return cast(Method, waiting)


@dataclass(eq=False)
class Dataset(Stored):
    """A collection of a visitor. Without files it represents the collection that all
    visitors see.
    """

    refused: list[Sequence[Fault]] = field(default_factory=list)
    """errors of each file of the last drop that no policy accepts"""
    remarks: list[str] = field(default_factory=list)
    """messages on other files of the last drop that are not used"""
    messages: list[str] = field(default_factory=list)
    """messages on how the last drop was read, if a visitor may expect something else"""
    dropped: int = 0
    """number of files in the last drop, those in archives one by one"""
    fresh: set[str] = field(default_factory=set)
    """paths of the runs and the qrels of the last drop"""
    replaced: list[str] = field(default_factory=list)
    """data replaced by the last drop"""
    tab: str = ""
    """the only tab that reports the last drop; empty for all"""
    addresses: list[str] = field(default_factory=list)
    """prefixes of its earlier fingerprints in URLs"""
    undecided: dict[str, naming.Undecided] = field(default_factory=dict)
    """dropped files that several formats fit, by name"""
    unpacked: int = 0
    """bytes of text in qrels and runs"""
    lists: dict[RunLists, Lists] = field(default_factory=dict)
    """joined lists of runs"""
    made: tuple[Policy, Collection] | None = None
    """the last joined collection, and its policy"""
    uploader: int = 0
    """number of uploads; a new number makes a new, empty uploader, so that Streamlit
    frees the bytes
    """
    named: tuple[int, str] = -1, ""
    """fingerprint of qrels and runs, after the value of `uploader` that it belongs
    to
    """
    others: tuple[int, int] = 0, 0
    """bytes and runs that all other visitors have loaded"""
    elsewhere: tuple[int, int] = 0, 0
    """bytes and runs in this visitor's other collections"""
    key: str = field(default_factory=lambda: token_hex(4))
    """identifies the dataset among the visitor's, whatever its name"""
    lock: RLock = field(default_factory=RLock, repr=False)

    @hold_lock
    def add(
        self, files: Sequence[tuple[str, bytes]], tell: naming.Tell = naming.tell_nobody
    ) -> None:
        """Read dropped files, keep the valid ones, and note which are refused and
        why. `tell` is told how many are read, and of how many.
        """
        self._begin()
        texts, left = self._unpack(files)
        if not self._have_room(texts):
            return
        self.unpacked += sum(len(text) for _, text in texts)
        self.dropped = len(texts) + len(self.refused)
        before = self.drop_collection()
        held = {type(content) for _, content in self._contents()}
        examined, undecided = naming.examine_dropped(texts, held, tell)
        self.undecided |= undecided
        self._take_examined(self._charge(examined, dict(texts), left))
        self._tell(before)
        dropped = count_noun(len(files), "file")
        log.info("%s dropped, %d refused or replaced", dropped, self._count_refused())

    def _unpack(self, files: Sequence[tuple[str, bytes]]) -> tuple[list[tuple[str, bytes]], int]:
        """Texts in dropped files, and bytes that the visitor may still load; what cannot be
        unpacked is refused.
        """
        texts = []
        left, why = self._bytes_left()
        for name, data in files:
            try:
                # the limit holds for what is unpacked: a small archive may become gigabytes
                for inner, text in unpack(name, data, max(min(MAX_BYTES, left), 1)):
                    left -= len(text)
                    texts.append((inner, text))
            except ReadError as error:
                self.refuse(naming.name_quota(error, name, left, why, FEWER))
        return texts, left

    def _have_room(self, texts: Sequence[tuple[str, bytes]]) -> bool:
        """Whether the visitor may have so many runs; else a remark says so."""
        names = self.runs.keys() | {path_within(name) for name, _ in texts}
        most, why = quotas.room_left(quotas.RUNS, quotas.RUNS_ALL, self.others[1])
        if len(names) <= most - self.elsewhere[1] + 1:  # the qrels
            return True
        said = f"{len(texts):,} files: expected at most {why}. Leave some out."
        if n := len(self.runs):
            said += f" The {count_noun(n, 'run')} loaded before {verb(n, 'is', 'are')} kept."
        self.remarks.append(said)
        return False

    def _count_refused(self) -> int:
        """Number of files of the last drop that are not used."""
        refusal = self.refusal(DEFAULT)
        if isinstance(refusal, FilesRefused):
            return len(refusal.refused) + len(self.remarks)
        return int(refusal is not None) + len(self.remarks)

    @hold_lock
    def decide(self, name: str, key: str) -> None:
        """Read a file of unknown format in the format that a visitor has picked, by its
        key in `FORMATS`.
        """
        if file := self.undecided.pop(name, None):
            kind, _, form = key.partition(" ")
            self._take_decided([(name, examine(name, file.text, kind, form))])

    @hold_lock
    def take_raters(self, name: str) -> None:
        """Read each column of grades of a file as a judge, named after the column."""
        if file := self.undecided.pop(name, None):
            if self.is_nameless:
                self.name = naming.name_of([name])
            raters = rater_columns(file.keys)
            self._take_decided(
                [
                    (f"{name}/{rater}", examine(name, file.text, "qrels", form))
                    for rater, form in raters.items()
                ]
            )

    def _take_decided(self, examined: Iterable[tuple[str, Examined]]) -> None:
        """Take what a file is after a visitor has been asked."""
        self._begin()
        self.dropped = 1
        before = self.drop_collection()
        self._take_examined(examined)
        self._tell(before)

    def _charge(
        self, examined: Sequence[tuple[str, Examined]], texts: Mapping[str, bytes], left: int
    ) -> Iterator[tuple[str, Examined]]:
        """Yield files within the quota; a file that becomes larger than its text is
        charged that, and refused if there is no room for it.
        """
        _, why = self._bytes_left()
        for name, one in examined:
            more = max(one.nbytes - len(texts[name]), 0)
            if more > left:
                self.refuse(ReadError(name, None, f"at most {why}", "more when read", FEWER))
                continue
            left -= more
            self.unpacked += more
            yield name, one

    def _take_examined(self, files: Iterable[tuple[str, Examined]]) -> None:
        """Add the contents of files; a file that no policy accepts is refused."""
        runs, matrices = [], list[Matrix]()
        # a model's judgments are no reference because of their name
        for name, examined in sorted(files, key=lambda file: naming.names_a_model(file[0])):
            if faults := examined.refused("first"):
                self.refused.append(faults)
                continue
            contents = examined.contents()
            for content in contents:
                if isinstance(content, Run):
                    runs.append(content)
                elif isinstance(content, Matrix):
                    matrices.append(content)
                else:
                    self._take_qrels(content, name)
        # runs come last, as those without a topic in common with the qrels are refused
        self.take_matrices(matrices)
        self._take_runs(runs)

    @hold_lock
    def add_dataset(self, name: str) -> None:
        """Add the qrels of an ir_datasets id."""
        self._begin()
        before = self.drop_collection()
        try:
            self._take_qrels(
                require_settled(foreign.qrels_from_ir_datasets(f"{foreign.IRDS}{name}"), "first"),
                name,
            )
        except ReadError as error:
            self.refuse(error)
        self._take_runs(())
        self._tell(before)

    @hold_lock
    def add_judges(self, files: Sequence[tuple[str, bytes]]) -> list[str]:
        """Add the qrels of other judges; return an error for each that cannot be
        used.
        """
        wrong = []
        for name, data in files:
            left, why = self._bytes_left()
            try:
                for inner, text in unpack(name, data, max(min(MAX_BYTES, left), 1)):
                    self.add_judge(inner, OtherJudge(settled_qrels(inner, text)))
            except ReadError as error:
                wrong.append(
                    str(naming.name_quota(error, name, left, why, "Remove other data first."))
                )
        return wrong

    @hold_lock
    def add_judge(self, file: str, judge: OtherJudge) -> None:
        """Add a judge under an unused name. Raises `ReadError` if there are too
        many.
        """
        if len(self.judges) >= JUDGES:
            raise ReadError(
                file, None, f"at most {count_noun(JUDGES, 'judge')}", "more", "Remove some first."
            )
        self.judges = {
            **self.judges,
            naming.judge_name(path_within(file), {DEFAULT_JUDGE, self.own, *self.judges}): judge,
        }

    def _bytes_left(self) -> tuple[int, str]:
        """Bytes of text that the visitor may still load, and the quota in words."""
        room, why = quotas.room_left(quotas.UPLOAD, quotas.UPLOAD_ALL, self.others[0])
        return room - self.elsewhere[0] - self.loaded[0], why

    @property
    def own(self) -> str:
        """Name of the first judge."""
        if self.qrels is None:
            return DEFAULT_JUDGE
        name = naming.judge_name(self.qrels.name)
        if name in self.judges:
            return DEFAULT_JUDGE
        return name

    @property
    def judge_names(self) -> tuple[str, ...]:
        """Names of the judges, the first one first."""
        return self.own, *self.judges

    @property
    def used(self) -> bool:
        """Whether the dataset contains qrels or a run."""
        return bool(self.qrels or self.runs)

    @property
    def has_content(self) -> bool:
        """Whether the dataset contains qrels, a run or a score matrix."""
        return self.used or self.matrix is not None

    @property
    def is_nameless(self) -> bool:
        """Whether neither a visitor nor a file has named it."""
        return not self.name or self.name.startswith((naming.NAMELESS, naming.UNNAMED))

    @property
    def title(self) -> str:
        """Name given by the visitor, else that of the qrels file."""
        if self.name:
            return self.name
        if self.qrels:
            return stem(self.qrels.name)
        if self.matrix:
            return self.matrix.name
        if self.runs:
            return naming.NAMELESS
        return ""

    @property
    def loaded(self) -> tuple[int, int]:
        """Bytes and number of runs that count against the quotas."""
        return self.unpacked + sum(judge.nbytes for judge in self.judges.values()), len(self.runs)

    @hold_lock
    def take(self, other: "Dataset") -> None:
        """Copy the files of another dataset."""
        self._begin()
        before = self.drop_collection()
        self.refused, self.remarks = [*other.refused], [*other.remarks]
        self.dropped, self.undecided = other.dropped, {**self.undecided, **other.undecided}
        self.unpacked += other.unpacked
        self.take_matrices(other.matrices)
        if other.qrels:
            self._take_qrels(other.qrels.qrels, other.qrels.name)
        for name, judge in other.judges.items():
            self._take_judge(judge, name)
        self._take_runs([*other.runs.values()])
        self._tell(before)

    @hold_lock
    def take_judges(self, judges: Mapping[str, OtherJudge]) -> None:
        """Add judges without a collection; the first of them becomes the first
        judge.
        """
        self._begin()
        for name, judge in judges.items():
            self._take_qrels(judge.qrels, name)
        self.unpacked += next(iter(judges.values())).nbytes
        self._tell(())

    @hold_lock
    def remove(self, files: Sequence[str]) -> None:
        """Remove runs, by their keys."""
        self._begin()
        self.drop_collection()
        before = self._lines_of_runs()
        self.runs = {name: run for name, run in self.runs.items() if name not in files}
        self.lists = {key: lists for key, lists in self.lists.items() if key[0] not in files}
        # nobody counted the bytes of each file; lines of runs are nearly all of them
        self.unpacked = self.unpacked * self._lines_of_runs() // max(before, 1)

    def _lines_of_runs(self) -> int:
        return sum(run.topic.size for run in self.runs.values())

    def drop_collection(self) -> Names[str]:
        """Drop the joined collection before the files change, but keep the lists of its
        runs; return the names of the judges.
        """
        if self.made:
            policy, collection = self.made
            for name, lists in zip(self.runs_in_use(policy), lists_of(collection), strict=True):
                self.lists.setdefault(lists_key(name, policy), lists)
            self.made = None
        return self.judges.keys()

    def _begin(self) -> None:
        self.uploader, self.dropped, self.fresh, self.replaced = self.uploader + 1, 0, set(), []
        self.forget_refused()

    def forget_refused(self) -> None:
        """Forget the messages on the last drop."""
        self.refused, self.remarks, self.messages = [], [], []

    def _tell(self, before: Names[str]) -> None:
        """Report what was replaced, which judges are new, and how to make one of them
        the first.
        """
        if self.replaced:
            self.messages.append(f"This drop replaced {list_few(self.replaced)}.")
        new = [*filterfalse(before.__contains__, self.judges)]
        if new:
            said = f"{', '.join(new)}: compared with {self.own}, which is first."
            self.messages.append(
                f'{said} To put a different judge first, choose it under "Judgments by" in the'
                " sidebar."
            )

    def refuse(self, error: ReadError) -> None:
        """Note the error of a file that is not used."""
        self.refused.append((fault_of(error),))

    def refusal(self, policy: Policy) -> ReadError | None:
        """Error that lists the files that a policy does not accept; None if it accepts
        all.
        """
        refused = [*self.refused]
        for _, content in self._contents():
            faults = unsettled_faults(content.repeated, policy.repeated)
            if faults:
                refused.append(faults)
        if not refused:
            return None
        return refusal_error(refused, max(self.dropped, len(refused)))

    def _contents(self) -> list[tuple[str, Qrels | Run]]:
        """All qrels and runs, each run by its name."""
        contents: list[tuple[str, Qrels | Run]] = []
        if self.qrels:
            contents.append(("", self.qrels.qrels))
        return [*contents, *self.runs.items()]

    def describe_missing(self, policy: Policy, *, runs: bool = False) -> str:
        """A sentence on what the files lack under a policy: judgments, and with `runs`
        also runs. Empty if nothing is missing.
        """
        if not self.used:
            return ""
        judged, taken = bool(self.judged(policy)), bool(self.runs_in_use(policy))
        is_whole = judged and (taken or not runs)
        if is_whole:
            return ""
        dropped = bool(self.qrels), bool(self.runs)
        if (judged, taken) != dropped:  # the policy settles no duplicate lines
            return REPEATED
        return self.waiting()

    def waiting(self) -> str:
        """A sentence on what is missing for a collection; empty if nothing is."""
        runs = len(self.runs)
        has_both_or_none = bool(self.qrels) == bool(runs)
        if has_both_or_none:
            return ""
        if self.qrels:
            return (
                f"Judgments for {count_noun(len(self.qrels.topics), 'topic')} loaded. Add runs to"
                " score them."
            )
        return (
            f"{count_noun(runs, 'run')} loaded. Add the qrels file to score"
            f" {verb(runs, 'it', 'them')}."
        )

    def _take_runs(self, runs: Sequence[Run]) -> None:
        """Add runs that share a topic with the qrels. A run replaces one of an earlier
        drop with the same path and tags.
        """
        judged = self.qrels
        if judged is None:
            for run in runs:
                self._take_run(run)
            return
        topics = {*judged.topics}
        for run in runs:
            if topics.isdisjoint(run.topics):
                self.refuse(naming.stranger(run, path_within(run.name), judged))
            else:
                self._take_run(run)
        for key, run in [*self.runs.items()]:
            if topics.isdisjoint(run.topics):  # it was there before these qrels
                self.refuse(naming.stranger(self.runs.pop(key), key, judged))

    def _take_run(self, run: Run) -> None:
        """Add a run, in place of one of an earlier drop with the same path and tags."""
        key, before = self._place(run)
        if before:
            if self._keeps(before, run):
                return
            if before.sha256 != run.sha256:
                topics, lines = len(before.topics), before.score.size
                held = f"{count_noun(topics, 'topic')}, {count_noun(lines, 'line')}"
                self.replaced.append(f"the run {key} ({held})")
        self.fresh.add(key)
        self.lists = {known: lists for known, lists in self.lists.items() if known[0] != key}
        self.runs[key] = run

    def _keeps(self, before: Qrels | Run, new: Qrels | Run) -> bool:
        """Refuse a file with duplicate lines in place of one without, where the policy
        refuses them; return whether it is refused.
        """
        if before.repeated or not new.repeated:
            return False
        if self.policy.repeated != "refuse":
            return False
        first = new.repeated[0].first
        remedy = (
            "The earlier file stays. To replace it, keep the first of duplicates and drop this"
            " one again."
        )
        self.refuse(ReadError(*first.parts[:4], remedy, first.kind))
        return True

    def _place(self, run: Run) -> tuple[str, Run | None]:
        """The key of a new run, its path or a numbered one, and the run that it
        replaces.
        """
        for key in naming.numbered(path_within(run.name)):
            before = self.runs.get(key)
            if before is None:
                return key, None
            is_again = key not in self.fresh and before.tags == run.tags
            if is_again:
                return key, before
        raise AssertionError  # numbers never end

    @hold_lock
    def take_matrices(self, matrices: Sequence[Matrix]) -> None:
        """Take score matrices, if there are any, and show the first. They replace those
        of the same judge and measure.
        """
        found: dict[tuple[str, str], Matrix] = {}
        for matrix in [*matrices, *self.matrices]:
            found.setdefault((matrix.judge, matrix.name), matrix)
        replaced = [
            matrix
            for matrix in self.matrices
            if found[matrix.judge, matrix.name].fingerprint != matrix.fingerprint
        ]
        self.replaced += [f"the score matrix {matrix.name}" for matrix in replaced]
        self.matrices = (*found.values(),)

    def _take_qrels(self, qrels: Qrels, name: str) -> None:
        """Add qrels: as the first judge's if there is none yet or the same file is read
        again, else as another judge's.
        """
        path = path_within(name)
        if before := self.qrels:
            if before.name != path or path in self.fresh:
                self._take_judge(OtherJudge(qrels), name)
                return
            if self._keeps(before.qrels, qrels):
                return
            if before.qrels.sha256 != qrels.sha256:
                judged = (
                    f"{count_noun(len(before.topics), 'topic')},"
                    f" {count_noun(before.qrels.grade.size, 'judgment')}"
                )
                self.replaced.append(f"the judgments {path} ({judged})")
        self.fresh.add(path)
        # lists number documents as the qrels do
        self.lists = {}
        self.qrels = NamedQrels(path, qrels)

    def _take_judge(self, judge: OtherJudge, name: str) -> None:
        """Add another judge, if they have judged some of the first judge's
        documents.
        """
        assert self.qrels
        # a policy decides only on the first judge's repeated lines
        if faults := judge.qrels.repeated:
            first, remedy = faults[0].first, "Remove the duplicate lines."
            self.refuse(
                ReadError(
                    first.file,
                    first.line,
                    f"{first.expected}, of a further judge",
                    first.came,
                    remedy,
                )
            )
        elif not self.qrels.index.shares(judge.qrels):
            wanted = f"a document that {self.own} has judged too"
            self.refuse(
                ReadError(
                    name, None, wanted, "none", "Drop it alone to make it a separate collection."
                )
            )
        else:
            try:
                self.add_judge(name, judge)
            except ReadError as error:
                self.refuse(error)

    @hold_lock
    def collection(self, policy: Policy) -> Collection | None:
        """Collection under a policy, None without qrels. Raises `ReadError` if a run
        cannot be ordered as the policy requires.
        """
        if collection := self.collection_under(policy):
            self.made = policy, collection
        return collection

    @hold_lock
    def collection_under(self, policy: Policy) -> Collection | None:
        """The same as `collection`, without changing `made`."""
        if self.made and self.made[0] == policy:
            return self.made[1]
        if not self.judged(policy):
            return None
        # lists of unchanged runs are not joined again when files are added
        return self.join(policy, self.lists)

    @hold_lock
    def fingerprint(self) -> str:
        """Digest of the qrels and runs, independent of file names."""
        # it is made of all contents, and each drawing asks for it
        if self.named[0] != self.uploader:
            digests = map_threads(naming.digest_content, self._contents())
            self.named = (
                self.uploader,
                blake2b("".join(sorted(digests)).encode(), digest_size=16).hexdigest(),
            )
        return self.named[1]

    @classmethod
    def of(cls, stored: Stored) -> "Dataset":
        """Dataset of a stored collection."""
        unpacked = sum(run.documents.nbytes + 3 * run.score.nbytes for run in stored.runs.values())
        made = cls(**vars(stored) | {"beside": ""}, unpacked=unpacked, uploader=1)
        # judges beside the shared collection have no name of their own
        if stored.beside:
            made.name = ""
        return made

    def stored(self, name: str, beside: str = "") -> Stored:
        """Stored collection, under a name."""
        return Stored(
            **{part.name: getattr(self, part.name) for part in fields(Stored)}
            | {"name": name, "beside": beside}
        )
