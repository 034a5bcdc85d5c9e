"""A collection with its settings, as files that were read, so that it can be joined under any policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, join_runs, name_runs, rejoin_runs
from irmeval.core.errors import ReadError
from irmeval.judges import grade_maps
from irmeval.judges.base import check_level
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.selection import Selected, Selection, select


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
class Stored:
    """One collection of a workspace: its files as they were read, and its settings.

    Attributes
    ----------
    name : given by the user
    qrels, qrels_name : the judgments, or None, and the name of their file
    runs : runs by the names of their files
    held_qrels, held_name, held : the same for files with repeated lines; used only if the policy keeps the first of them
    matrix : a score matrix in place of qrels and runs
    policy, selection : how it is scored, and what is selected
    pinned : runs with a colour of their own in charts
    teams, team_file : run -> team, and the name of the CSV file with it
    notes : written by the user
    judges : further judges by name
    beside : if only judges are stored, the name of the collection of a sample or server that they belong to
    """

    name: str
    qrels: Qrels | None = None
    qrels_name: str = ""
    runs: Mapping[str, Run] = field(default_factory=dict)
    held_qrels: Qrels | None = None
    held_name: str = ""
    held: Mapping[str, Run] = field(default_factory=dict)
    matrix: Matrix | None = None
    policy: Policy = DEFAULT
    selection: Selection = field(default_factory=Selection)
    pinned: tuple[str, ...] = ()
    teams: Mapping[str, str] = field(default_factory=dict)
    team_file: str = ""
    notes: str = ""
    judges: Mapping[str, OtherJudge] = field(default_factory=dict)
    beside: str = ""

    def judged(self, policy: Policy) -> Qrels:
        """The judgments that are used under a policy. Raises `ReadError` if there are none."""
        for qrels in (self.held_qrels, self.qrels) if policy.repeated == "first" else (self.qrels,):
            if qrels:
                return qrels
        if self.beside:
            came = f"judges beside {self.beside}, which is not in the file"
            raise ReadError(self.name, None, "qrels and runs", came, "Open the file in a dashboard that shows that.")
        raise ReadError(self.name, None, "qrels and runs", "no qrels that can be used", self._remedy())

    def everything(self, policy: Policy) -> Collection:
        """All its runs and topics under a policy, joined, with its further judges. Raises `ReadError` if there are no qrels, or if none of
        its runs can be used."""
        qrels, runs = self.judged(policy), runs_in_use(policy, self.runs, self.held)
        if self.held and not runs:
            raise ReadError(self.name, None, "qrels and runs", "no run that can be used", self._remedy())
        lists = join_runs(Index(qrels), [*runs.values()], policy.depth, policy.order)
        names = name_runs([(name, run.tags) for name, run in runs.items()])
        collection = assemble(qrels, names, lists, policy, partial(rejoin_runs, [*runs.values()], policy))
        for name, judge in self.judges.items():
            collection = judge.beside(collection, name)
        return collection

    def selected(self) -> Selected:
        """Its selection applied under its policy, and why runs are left out."""
        return select(self.everything(self.policy), self.selection, self.teams)

    def _remedy(self) -> str:
        return "Take the first of lines that repeat others (repeated=first)." if self.held or self.held_qrels else "Add them."


def runs_in_use(policy: Policy, runs: Mapping[str, Run], held: Mapping[str, Run]) -> dict[str, Run]:
    """The runs that are used under a policy, sorted by name; `held` are those with repeated lines."""
    return dict(sorted(({**runs, **held} if policy.repeated == "first" else runs).items()))
