"""Stored collections: the files as they were read, and settings. A stored collection is
joined under any policy.

Workspaces list them, the dashboard works on them, and the disk keeps them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, Lists, join_runs, name_runs, rejoin_runs
from irmeval.core.errors import ReadError
from irmeval.core.places import pick
from irmeval.core.records import read_kept, to_json
from irmeval.core.text import natural_key
from irmeval.judges import grade_maps
from irmeval.judges.base import check_level
from irmeval.reading.exclusions import take_judgments
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.score_matrix import Matrix, with_judges
from irmeval.reading.sources import drop_comments
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.selection import Selected, Selection, select

PINNED = "pinned"
"""Setting: pinned runs."""
JUDGED_BY = "judged_by"
"""Setting: the judge who evaluates."""

RunLists = tuple[str, int, str, str, bool, str]
"""Key of the joined lists of a run: name, and the policy's treatment, order and
depth.
"""


class OtherJudge(NamedTuple):
    """Judgments of another judge, with a grade map and a relevance level.

    Attributes
    ----------
    qrels : the judgments, before grades are mapped
    map : (grade, new grade), ...; other grades stay, and a negative new grade means not
        judged
    relevant : lowest mapped grade that is relevant

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.workspace.stored import OtherJudge
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    >>> strict = OtherJudge(qrels, map=((3, 2),), relevant=2)
    >>> strict.beside(collection, "strict").judged_by("strict").top_grade
    2
    """

    qrels: Qrels
    map: tuple[tuple[int, int], ...] = ()
    relevant: int = 1

    @classmethod
    def of(cls, qrels: Qrels, grades: str = "", relevant: int = 1) -> "OtherJudge":
        """A judge with a map in text form (`irmeval.judges.grade_maps.parse_map`).
        Raises `ParamError` for a bad map or level.
        """
        check_level(relevant)
        return cls(qrels, tuple(grade_maps.parse_map(grades).items()), relevant)

    @property
    def nbytes(self) -> int:
        """Bytes of the judgments."""
        return self.qrels.nbytes

    def beside(self, collection: Collection, name: str, first: str = "") -> Collection:
        """The collection with this judge. `first` and errors as in
        `Collection.with_judgments`.
        """
        return collection.with_judgments(
            name, self.qrels, map=dict(self.map), relevant=self.relevant, first=first
        )


class Marks(NamedTuple):
    """Settings that are neither policy nor selection, as `Stored` has them."""

    pinned: tuple[str, ...] = ()
    judged_by: str = ""


@dataclass(frozen=True, eq=False)
class NamedQrels:
    """Judgments and the name of their file."""

    name: str
    qrels: Qrels

    @cached_property
    def index(self) -> Index:
        """Judged documents with which runs are joined."""
        return Index(self.qrels)

    def taken(self, policy: Policy) -> "NamedQrels":
        """Documents that a policy does not exclude."""
        if not policy.exclude:
            return self
        # the last list alone: each has an index as large as the qrels
        if self._taken.get(policy.exclude) is None:
            self._taken.clear()
            self._taken[policy.exclude] = NamedQrels(self.name, take_judgments(self.qrels, policy))
        return self._taken[policy.exclude]

    @cached_property
    def _taken(self) -> "dict[str, NamedQrels]":
        return {}

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
    runs : runs by the names of their files; only some policies use files with duplicate
        lines
    matrices : score matrices in place of qrels and runs; the one that is shown, then
        those by other measures and judges
    policy, selection : how it is scored, and what is selected
    pinned : runs with a colour of their own in charts
    judged_by : the judge used for evaluation in the dashboard, if not the first
    teams, kinds, team_file : run -> team, run -> kind of system, and the name of the
        CSV file with them
    notes : written by the user
    judges : further judges by name
    beside : if only judges are stored, the name of the collection of a sample or server
        that they belong to
    """

    name: str = ""
    qrels: NamedQrels | None = None
    runs: dict[str, Run] = field(default_factory=dict)
    matrices: tuple[Matrix, ...] = ()
    policy: Policy = DEFAULT
    selection: Selection = field(default_factory=Selection)
    pinned: tuple[str, ...] = ()
    judged_by: str = ""
    teams: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    team_file: str = ""
    notes: str = ""
    judges: dict[str, OtherJudge] = field(default_factory=dict)
    beside: str = ""

    @property
    def matrix(self) -> Matrix | None:
        """The score matrix that is shown."""
        if not self.matrices:
            return None
        return self.matrices[0]

    def all_scores(self) -> Iterator[Matrix]:
        """The score matrices one by one, and those of several judges by each measure
        and reference.
        """
        for matrix in self.matrices:
            yield matrix.complete
            of_judges = map(partial(self.judged_scores, matrix.measure), self.score_judges)
            yield from filter(None, of_judges)

    def contents(self) -> Iterator[Qrels | Run | Matrix]:
        """All its files."""
        if self.qrels:
            yield self.qrels.qrels
        yield from self.runs.values()
        yield from (judge.qrels for judge in self.judges.values())
        yield from self.matrices

    @property
    def score_judges(self) -> tuple[str, ...]:
        """The judges whose scores are there."""
        return tuple(dict.fromkeys(matrix.judge for matrix in self.matrices))

    def judged_scores(self, measure: str = "", reference: str = "") -> Matrix | None:
        """The scores of its judges by a measure, by default that of `matrix`; those of
        the reference first, by default its judge.

        Files that name no measure are compared whatever they are called. None for fewer
        than two judges.
        """
        if not self.matrices:
            return None
        by_judge = self._by_judge(measure or self.matrices[0].measure)
        if len(by_judge) < 2:
            return None
        first = reference or self.score_judges[0]
        others = sorted(by_judge.keys() - {first}, key=natural_key)
        order = [*by_judge.keys() & {first}, *others]
        return with_judges({judge: by_judge[judge] for judge in order})

    def _by_judge(self, measure: str) -> dict[str, Matrix]:
        """The scores of each judge by a measure."""
        # of two files of one judge, the first counts: it is shown
        last_first = reversed(self.matrices)
        return {matrix.judge: matrix for matrix in last_first if matrix.measure == measure}

    @property
    def has_duplicates(self) -> bool:
        """Whether the judgments or a run have duplicate lines."""
        if self.qrels and self.qrels.qrels.repeated:
            return True
        return any(run.repeated for run in self.runs.values())

    @property
    def bare(self) -> bool:
        """Whether nothing is stored but the name."""
        empty = Stored(name=self.name)
        return all(getattr(self, part.name) == getattr(empty, part.name) for part in fields(Stored))

    @property
    def settings(self) -> dict[str, Any]:
        """Policy, selection, pinned runs and judge in one record, without default
        values.
        """
        return find_decisions(self.policy, self.selection, Marks(self.pinned, self.judged_by))

    @settings.setter
    def settings(self, found: dict[str, Any]) -> None:
        # lenient: another version has stored them, and one that it renamed must not cost
        # the visitor the others
        self.policy = read_kept(Policy, found, "settings").record
        self.selection = read_kept(Selection, found, "settings").record
        marks = read_kept(Marks, found, "settings").record
        self.pinned, self.judged_by = marks.pinned, marks.judged_by

    def judged(self, policy: Policy) -> NamedQrels | None:
        """Judgments under a policy; None without any, or if they have duplicate lines
        that it refuses.
        """
        if self.qrels is None:
            return None
        if self.qrels.qrels.repeated and policy.repeated == "refuse":
            return None
        return self.qrels

    def require_judged(self, policy: Policy) -> NamedQrels:
        """Judgments under a policy. Raises `ReadError` if there are none."""
        judged = self.judged(policy)
        if judged:
            return judged
        came, remedy = "no usable qrels", self._remedy()
        if self.beside:
            came = f"judges beside {self.beside}, which is not in the file"
            remedy = "Open the file in a dashboard that can show it."
        raise ReadError(self.name, None, "qrels and runs", came, remedy)

    def runs_in_use(self, policy: Policy) -> dict[str, Run]:
        """Runs under a policy, in natural order of their names."""
        # a file with duplicate lines is kept for policies that choose among them
        used = self.runs
        if policy.repeated == "refuse":
            used = {name: run for name, run in self.runs.items() if not run.repeated}
        # natural order, so that it does not depend on which file was dropped first
        return dict(sorted(used.items(), key=lambda named: natural_key(named[0])))

    def join(self, policy: Policy, known: dict[RunLists, Lists]) -> Collection:
        """Qrels and runs under a policy, without other judges. Lists in `known` are not
        joined again, and new ones are added to it.

        Raises `ReadError` if there are no qrels, or if a run cannot be ordered as the
        policy asks.
        """
        judged, runs = self.require_judged(policy).taken(policy), self.runs_in_use(policy)
        topics = set[str]().union(*(run.topics for run in runs.values()))
        without = drop_comments(judged.qrels, topics)
        if without is not judged.qrels:
            # known lists were joined with the comments
            judged, known = NamedQrels(judged.name, without), {}
        return assemble(
            judged.qrels,
            name_runs([(name, run.tags) for name, run in runs.items()]),
            _joined(judged.index, runs, policy, known),
            policy,
            partial(rejoin_runs, [*runs.values()], policy),
        )

    def everything(self, policy: Policy) -> Collection:
        """All runs and topics under a policy, with other judges. Raises `ReadError` if
        there are no qrels, or no run can be used.
        """
        self.require_judged(policy)
        if self.runs and not self.runs_in_use(policy):
            raise ReadError(self.name, None, "qrels and runs", "no usable run", self._remedy())
        collection = self.join(policy, {})
        for name, judge in self.judges.items():
            collection = judge.beside(collection, name)
        return collection

    def selected(self) -> Selected:
        """The selected runs and topics under its policy, and why runs are left out."""
        return select(self.everything(self.policy), self.selection, self.teams)

    def _remedy(self) -> str:
        if self.has_duplicates:
            first = "--repeated first, in Python repeated='first'"
            return f"Keep the first of duplicate lines: {first}."
        return "Add them."


def _joined(
    index: Index, runs: Mapping[str, Run], policy: Policy, known: dict[RunLists, Lists]
) -> list[Lists]:
    """Joined lists of each run. A new setting, such as a depth seen before, joins only
    what is not known.
    """
    keys = {name: lists_key(name, policy) for name in runs}
    new = [name for name, key in keys.items() if key not in known]
    joined = join_runs(index, pick(runs, new), policy)
    known.update(zip(pick(keys, new), joined, strict=True))
    return pick(known, keys.values())


def find_decisions(*records: Policy | Selection | Marks) -> dict[str, Any]:
    """Fields of records of settings that differ from the defaults."""
    decided: dict[str, Any] = {}
    for record in records:
        decided |= to_json(record, brief=True)
    return decided


def lists_key(name: str, policy: Policy) -> RunLists:
    """Key of the joined lists of a run."""
    return name, policy.depth, policy.order, policy.repeated, policy.exclude_own, policy.exclude
