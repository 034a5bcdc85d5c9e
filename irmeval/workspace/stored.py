"""What a collection is when it is loaded, kept and saved: the files as they were read, and its settings.

Workspaces list such records, the dashboard works on them, and the disk keeps them. Each is joined under any policy.
"""

from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, Lists, join_runs, name_runs, rejoin_runs
from irmeval.core.errors import ReadError
from irmeval.judges import grade_maps
from irmeval.judges.base import check_level
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.selection import Selected, Selection, select

PINNED, JUDGED_BY = "pinned", "judged_by"
"""Settings of a collection beside policy and selection: runs that are pinned, and whose judgments evaluate."""

RunLists = tuple[str, int, str, str]
"""Key of the joined lists of a run: its name, and what a policy says of depth, order and repeated documents."""


class OtherJudge(NamedTuple):
    """The judgments of a further judge of a collection, with map and relevance level.

    Attributes
    ----------
    qrels : the judgments, before grades are mapped
    map : (grade, new grade), ...; other grades stay, a negative new grade means not judged
    relevant : relevance level, in mapped grades

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.workspace.stored import OtherJudge
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> strict = OtherJudge(irmeval.read_qrels("sample_data/qrels.txt.gz"), map=((3, 2),), relevant=2)
    >>> strict.beside(collection, "strict").judged_by("strict").top_grade
    2
    """

    qrels: Qrels
    map: tuple[tuple[int, int], ...] = ()
    relevant: int = 1

    @classmethod
    def of(cls, qrels: Qrels, grades: str = "", relevant: int = 1) -> "OtherJudge":
        """A judge with a map in text form (`irmeval.judges.grade_maps.parse_map`). Raises `ParamError` for a bad map or level."""
        check_level(relevant)
        return cls(qrels, tuple(grade_maps.parse_map(grades).items()), relevant)

    @property
    def nbytes(self) -> int:
        """Bytes of the judgments."""
        return self.qrels.documents.nbytes + self.qrels.topic.nbytes + self.qrels.grade.nbytes

    def beside(self, collection: Collection, name: str, first: str = "") -> Collection:
        """The collection with this judge. `first` and errors as in `Collection.with_judgments`."""
        return collection.with_judgments(name, self.qrels, map=dict(self.map), relevant=self.relevant, first=first)


@dataclass(frozen=True, eq=False)
class NamedQrels:
    """Judgments and the name of their file."""

    name: str
    qrels: Qrels

    @cached_property
    def index(self) -> Index:
        """The judged documents, which runs are joined with."""
        return Index(self.qrels)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics with judgments."""
        return self.qrels.topics


@dataclass(eq=False)
class Stored:
    """One collection: its files as they were read, and its settings.

    Attributes
    ----------
    name : given by the user
    qrels : the judgments with the name of their file, or None
    runs : runs by the names of their files
    held_qrels, held : the same for files with repeated lines; used only if the policy keeps the first of them
    matrix : a score matrix in place of qrels and runs
    policy, selection : how it is scored, and what is selected
    pinned : runs with a colour of their own in charts
    judged_by : the judge whose judgments evaluate in the dashboard, if not the first
    teams, team_file : run -> team, and the name of the CSV file with it
    notes : written by the user
    judges : further judges by name
    beside : if only judges are stored, the name of the collection of a sample or server that they belong to
    """

    name: str = ""
    qrels: NamedQrels | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    held_qrels: NamedQrels | None = None
    held: dict[str, Run] = field(default_factory=dict)
    matrix: Matrix | None = None
    policy: Policy = DEFAULT
    selection: Selection = field(default_factory=Selection)
    pinned: tuple[str, ...] = ()
    judged_by: str = ""
    teams: dict[str, str] = field(default_factory=dict)
    team_file: str = ""
    notes: str = ""
    judges: dict[str, OtherJudge] = field(default_factory=dict)
    beside: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """Policy, selection, pinned runs and judge in one record, without what is as by default."""
        found = find_decisions(self.policy, self.selection)
        return found | ({PINNED: [*self.pinned]} if self.pinned else {}) | ({JUDGED_BY: self.judged_by} if self.judged_by else {})

    @settings.setter
    def settings(self, found: dict[str, Any]) -> None:
        named = ({name: found[name] for name in vars(kind()) if name in found} for kind in (Policy, Selection))
        self.policy, self.selection = Policy(**next(named)), Selection(**next(named))
        self.pinned, self.judged_by = tuple(found.get(PINNED, ())), found.get(JUDGED_BY, "")

    def put_qrels(self, name: str, qrels: Qrels) -> None:
        """Take judgments in place of those before; those that repeat lines are held beside them."""
        judged = NamedQrels(name, qrels)
        self.qrels, self.held_qrels = (self.qrels, judged) if qrels.repeated else (judged, None)

    def put_run(self, name: str, run: Run) -> None:
        """Take a run in place of one of its name; one that repeats lines is held beside it."""
        if run.repeated:
            self.held[name] = run
        else:
            self.runs[name] = run
            self.held.pop(name, None)

    def judged(self, policy: Policy) -> NamedQrels | None:
        """The judgments that a policy uses."""
        return (self.held_qrels if policy.repeated == "first" else None) or self.qrels

    def require_judged(self, policy: Policy) -> NamedQrels:
        """The judgments that a policy uses. Raises `ReadError` if there are none."""
        if judged := self.judged(policy):
            return judged
        if self.beside:
            came = f"judges beside {self.beside}, which is not in the file"
            raise ReadError(self.name, None, "qrels and runs", came, "Open the file in a dashboard that can show it.")
        raise ReadError(self.name, None, "qrels and runs", "no usable qrels", self._remedy())

    def runs_in_use(self, policy: Policy) -> dict[str, Run]:
        """The runs that a policy uses, sorted by name."""
        return dict(sorted(({**self.runs, **self.held} if policy.repeated == "first" else self.runs).items()))

    def join(self, policy: Policy, known: dict[RunLists, Lists] | None = None) -> Collection:
        """The qrels and runs under a policy, without further judges; `known` are lists that were joined before, and takes the new ones.

        Raises `ReadError` if there are no qrels, or if a run cannot be ordered as the policy asks.
        """
        judged, runs = self.require_judged(policy), self.runs_in_use(policy)
        known = {} if known is None else known
        keys = {name: lists_key(name, policy) for name in runs}
        new = [name for name, key in keys.items() if key not in known]
        joined = join_runs(judged.index, [runs[name] for name in new], policy.depth, policy.order)
        known |= {keys[name]: lists for name, lists in zip(new, joined, strict=True)}
        names = name_runs([(name, run.tags) for name, run in runs.items()])
        return assemble(judged.qrels, names, [known[key] for key in keys.values()], policy, partial(rejoin_runs, [*runs.values()], policy))

    def everything(self, policy: Policy) -> Collection:
        """All its runs and topics under a policy, joined, with its further judges. Raises `ReadError` if there are no qrels, or if none of
        its runs can be used."""
        self.require_judged(policy)
        if self.held and not self.runs_in_use(policy):
            raise ReadError(self.name, None, "qrels and runs", "no usable run", self._remedy())
        collection = self.join(policy)
        for name, judge in self.judges.items():
            collection = judge.beside(collection, name)
        return collection

    def selected(self) -> Selected:
        """Its selection applied under its policy, and why runs are left out."""
        return select(self.everything(self.policy), self.selection, self.teams)

    def _remedy(self) -> str:
        return "Keep the first of repeated lines (repeated=first)." if self.held or self.held_qrels else "Add them."


def find_decisions(*records: Policy | Selection) -> dict[str, Any]:
    """The fields of a policy and a selection that are not as by default."""
    return {name: value for record in records for name, value in asdict(record).items() if value != getattr(type(record)(), name)}


def lists_key(name: str, policy: Policy) -> RunLists:
    """All that the joined lists of a run depend on."""
    return name, policy.depth, policy.order, policy.repeated
