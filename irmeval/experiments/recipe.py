"""Recipes of results: the command and the script that reproduce them."""

import shlex
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, product
from pprint import pformat
from typing import Annotated, Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import Field, fields, format_value
from irmeval.core.records import Digest, one_of, to_json, whole
from irmeval.core.text import list_few
from irmeval.experiments.work import Work
from irmeval.judges import Judges
from irmeval.judges.grade_maps import map_as_text
from irmeval.judges.simulation import Simulation
from irmeval.metrics import Measure
from irmeval.reading.policy import DEFAULT, PROFILES, Policy, profile_of
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import SelectedBy, Selection

QRELS = "QRELS"
"""Placeholder for a qrels file in a command, since browsers do not reveal its path."""
RUNS = "RUNS"
"""Placeholder for run files."""
MATRIX_FILE = "MATRIX"
"""Placeholder for a score matrix."""
SCORES = "SCORES"
"""Placeholder for the scores by a judge."""
TEAMS = "TEAMS"
"""Placeholder for a CSV of teams."""
EXCLUDE = "EXCLUDE"
"""Placeholder for a list of excluded pairs of topic and document."""
OTHER = "OTHER"
"""Placeholder for the qrels of another judge."""
WORKSPACE = "WORKSPACE"
"""Placeholder for a workspace."""
COLLECTION = "collection"
"""Source of a recipe: a collection."""
MATRIX = "matrix"
"""Source of a recipe: a score matrix."""
JUDGES = "judges"
"""Source of a recipe: judges."""
COLLECTIONS = "collections"
"""Source of a recipe: several collections."""
ACROSS = "across"
"""The command that compares collections."""
SCRIPT = '''"""{name}: every observation as CSV, of {files}."""

import sys

from irmeval.core.tables import csv
from irmeval.report import rerun

recipe = {recipe}
print(csv(rerun(recipe, sys.argv[1:]).frame()), end="")
'''


class RecordedJudge(NamedTuple):
    """A judge of a result, as in `irmeval.Judges`."""

    name: str
    relevant: Annotated[int, whole(1)] = 1
    """lowest grade that is relevant, after its map"""
    simulated: str = ""
    """the simulation in text form; empty for judgments of a file"""
    map: tuple[tuple[int, int], ...] = ()
    """(grade, new grade), ..."""
    sha256: Digest = ""
    """of the unpacked text of its file; empty if there is no file"""

    def describe(self) -> str:
        """Name of the judge, and in brackets what changes its grades."""
        grades = map_as_text(self.map).replace(":", " as ").replace(",", ", ")
        changes = {
            self.simulated: bool(self.simulated),
            f"grades {grades}": bool(self.map),
            f"relevant from grade {self.relevant}": self.relevant != 1,
        }
        said = "; ".join(text for text, is_so in changes.items() if is_so)
        if not said:
            return self.name
        return f"{self.name} ({said})"


@dataclass(frozen=True)
class RecordedPanel:
    """Judges of a result, at least two. The first evaluates."""

    judges: tuple[RecordedJudge, ...]
    own: str
    """the judge of the first file on the command line"""
    before: Annotated[int, whole(0)] = 0
    """number of selections of runs and topics made by the grades of that judge"""
    only: tuple[str, ...] = ()
    """topics on which judgments alone were compared; () for all"""

    def __post_init__(self) -> None:
        if len(set(self.names)) < max(len(self.names), 2):
            raise ParamError(f"expected at least two judges, each with a name, found {self.names}")
        if self.own not in self.names:
            raise ParamError(f"own: expected one of {list_few([*self.names])}, found {self.own}")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the judges."""
        return tuple(judge.name for judge in self.judges)

    def judge(self, name: str) -> RecordedJudge:
        """The judge with a name."""
        return self.judges[self.names.index(name)]

    def others(self) -> list[RecordedJudge]:
        """All judges except `own`. A judge follows those it was made from: the first may
        have been drawn from one of the others.
        """
        in_order = self.judges
        if self.judges[0].simulated:
            in_order = (*self.judges[1:], self.judges[0])
        return [judge for judge in in_order if judge.name != self.own]

    def grade_flags(self) -> list[str]:
        """Flags of levels, then of maps of the judges that have any."""
        levels = [f"{one.name}={one.relevant}" for one in self.judges if one.relevant != 1]
        maps = [f"{one.name}={map_as_text(one.map)}" for one in self.judges if one.map]
        return [*_repeated("--relevant", levels), *_repeated("--map", maps)]

    def describe(self) -> str:
        """Description of the judges."""
        first, *others = [judge.describe() for judge in self.judges]
        return f"By the judgments of {first}; others: {', '.join(others)}."


class Data(NamedTuple):
    """Data of a result."""

    fingerprint: str
    """of the collection or the score matrix"""
    runs: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    qrels: Digest = ""
    """SHA-256 of the unpacked text of the qrels file; empty without a file"""
    files: tuple[Digest, ...] = ()
    """the same for the file of each run"""
    headers: tuple[str, ...] = ()
    """ir_metadata headers of the run files; empty if no file has one"""
    recognised: tuple[str, ...] = ()
    """recognised formats of the files"""


@dataclass(frozen=True)
class Recipe:
    """Everything that determines a result, except the contents of files.

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> heavy = EXPERIMENTS["top-heaviness"]
    >>> print(heavy(measures=["AP", "RBP(p=0.8)"], params=heavy.params(last=5)).recipe().command())
    python -m irmeval top-heaviness -m AP -m 'RBP(p=0.8)' --last 5
    """

    experiment: str
    params: Any
    measures: tuple[str, ...] = ()
    """() for a score matrix, and for an experiment without measures"""
    source: Annotated[str, one_of("", COLLECTION, MATRIX, JUDGES, COLLECTIONS)] = ""
    """``collection``, ``matrix``, ``judges``, ``collections``, or empty without data"""
    policy: Policy = DEFAULT
    """under which a collection is read"""
    chosen: tuple[SelectedBy, ...] = ()
    """selections of runs and topics, in turn, without those that keep everything"""
    only: tuple[str, ...] = ()
    """compared runs; () for all"""
    team: tuple[tuple[str, str], ...] = ()
    """(run, team), if a list gives the teams"""
    data: Data | None = None
    """None without data"""
    panel: RecordedPanel | None = None
    """judges, if there are several"""
    judges: tuple[str, ...] = ()
    """judges of score matrices, if there are several; the reference first"""
    of: "tuple[tuple[str, Recipe], ...]" = ()
    """name and recipe of each of several collections; () for one"""

    @property
    def fingerprint(self) -> str:
        """That of its data; empty without data."""
        return self.data.fingerprint if self.data else ""

    @property
    def on(self) -> "tuple[Recipe, ...]":
        """Recipes of several collections, or this one alone."""
        return tuple(part for _, part in self.of) or (self,)

    def command(self, table: str = "") -> str:
        """Command line, with `QRELS`, `RUNS`, `EXCLUDE`, `MATRIX`, `SCORES` and `TEAMS`
        in place of files.

        It prints a table by its name, or every observation. `WORKSPACE` is a
        placeholder for the file of several collections that differ in how they were
        read and selected. Raises `ParamError` where runs were selected several times,
        which only a script can do.
        """
        line = ["python", "-m", "irmeval"]
        if self.of:
            line += self._command_of_several()
            # of several collections, only a comparison of findings has no measures
            usual = "" if self.measures else "answers"
        else:
            line += self._command_of_one()
            usual = ""
        line += _listed("--table", [table or usual])
        return " ".join(map(_quoted, line))

    def _command_of_one(self) -> list[str]:
        return [
            self.experiment,
            *self._file_words(),
            *self._panel_flags(),
            *_listed("--runs", self.only),
            *self._value_flags(),
            *self._reading_flags(),
            *self._team_flags(),
        ]

    def _file_words(self) -> list[str]:
        """Placeholders of its files."""
        if self.judges:
            return _repeated("--scores", [f"{name}={SCORES}" for name in self.judges])
        if self.source == MATRIX:
            return ["--matrix", MATRIX_FILE]
        return [*filter((QRELS, RUNS).__contains__, self.files())]

    def _value_flags(self) -> list[str]:
        """Flags of the measures and of the parameters."""
        usual = type(self.params)()
        return [*_repeated("-m", self.measures), *_flags(self.params, usual)]

    def _team_flags(self) -> list[str]:
        """Flag of a list of teams, which the experiment or a selection of runs uses."""
        lists = [self.team, *(choice.team for choice in self.chosen)]
        if not any(lists):
            return []
        return ["--team-list", TEAMS]

    def _panel_flags(self) -> list[str]:
        """Flags of the other judges, of how each one is read, and of who evaluates."""
        if not self.panel:
            return []
        own, first = self.panel.own, self.panel.judges[0].name
        others = [f"{name}={made or OTHER}" for name, made in self.others().items()]
        words = ["--name", own, *_repeated("--other", others), *self.panel.grade_flags()]
        if first != own:
            words += ["--judge", first]
        words += _listed("--topics-only", self.panel.only)
        if self.source == JUDGES:
            # without runs, a policy decides on repeated judgments alone
            words += _flags(self.policy, DEFAULT, fields(Policy).keys() - {"repeated"})
        return words

    def _reading_flags(self) -> list[str]:
        """Flags of the policy and of the selection of a collection."""
        if self.source != COLLECTION:
            return []
        self._check_chosen_once()
        words = _policy_flags(self.policy)
        # a flag that both have, such as --team-rule, is given once, by the parameters
        for rules, _ in self.chosen:
            words += _flags(rules, Selection(), fields(type(self.params)))
        return words

    def _check_chosen_once(self) -> None:
        before = self.panel.before if self.panel else 0
        if before or len(self.chosen) > 1:
            raise ParamError(
                "recipe: runs were chosen by one selection after another, which no command can"
                " express. Use its script."
            )

    def _command_of_several(self) -> list[str]:
        first, *rest = self.on
        for part in self.on:
            part._check_chosen_once()
        reads_alike = all(map(first._reads_like, rest))
        lists_teams = any(choice.team for choice in first.chosen)
        if first.panel or lists_teams or not reads_alike:
            return [ACROSS, WORKSPACE, *self._value_flags()]
        files = [QRELS, RUNS] * len(self.of)
        return [ACROSS, *files, *self._value_flags(), *first._reading_flags()]

    def _reads_like(self, other: "Recipe") -> bool:
        """Whether two collections were read and selected alike, by their own judges."""
        return (self.policy, self.chosen, self.panel) == (other.policy, other.chosen, other.panel)

    def script(self) -> str:
        """Python script that takes the files as its arguments, qrels first, and prints
        every observation as CSV.
        """
        on = tuple((name, replace(part, data=None)) for name, part in self.of)
        recipe = pformat(
            to_json(replace(self, data=None, of=on), brief=True), 1, 88, sort_dicts=False
        )
        return SCRIPT.format(
            name=self.experiment, files=" ".join(self.files()) or "no files", recipe=recipe
        )

    def files(self) -> list[str]:
        """What its script takes, in this order: placeholders, for judges their names."""
        if self.of:
            return [f"{word} of {name}" for name, part in self.of for word in part.files()]
        judged = [QRELS, *_of_each(QRELS, self.read_judges())]
        # a recipe without data does not tell, and nearly all collections have runs
        has_runs = self.data is None or bool(self.data.runs)
        by_source = {
            "": [],
            MATRIX: _of_each(SCORES, self.judges) or [MATRIX_FILE],
            JUDGES: judged,
            COLLECTION: [*judged, *[RUNS] * has_runs],
        }
        return by_source[self.source]

    def others(self) -> dict[str, str]:
        """How each judge except the panel's `own` was simulated; empty for one of a
        file. A simulation that takes runs is read from a file if there are no runs.
        """
        if not self.panel:
            return {}
        judges = self.panel.others()
        return {judge.name: self._simulation_of(judge) for judge in judges}

    def _simulation_of(self, judge: RecordedJudge) -> str:
        if self.source != JUDGES or not judge.simulated:
            return judge.simulated
        takes_runs = Simulation.parsed(judge.simulated).runs
        if takes_runs:
            return ""
        return judge.simulated

    def read_judges(self) -> list[str]:
        """Names of the other judges whose judgments are read from files."""
        return [name for name, made in self.others().items() if not made]


def recipe_of(experiment: str, work: Work[Any]) -> Recipe:
    """Recipe of a result of the experiment with this name."""
    return Recipe(
        experiment,
        work.params,
        tuple(map(str, work.measures)),
        only=work.only,
        team=work.listed_teams,
        **_describe_source(work),
    )


def _describe_source(work: Work[Any]) -> dict[str, Any]:
    """Fields of a recipe on the data that were worked on; none without data."""
    source = work.source
    if isinstance(source, Collection):
        return _describe_collection(source)
    if work.panel:
        return _describe_judges(work.panel)
    if isinstance(source, Matrix):
        return _describe_matrix(source)
    return {}


def _describe_collection(c: Collection) -> dict[str, Any]:
    qrels, *files = c.digests or ("",)
    data = Data(c.fingerprint, c.runs, c.topics, qrels, tuple(files), c.headers, c.recognised)
    fields = {"source": COLLECTION, "policy": c.policy, "chosen": c.chosen, "data": data}
    if c.panel is None:
        return fields
    panel = replace(_panel_of(c.panel.judges), before=c.panel.before, only=())
    return fields | {"panel": panel}


def _describe_judges(judges: Judges) -> dict[str, Any]:
    qrels = judges.digests[judges.number(judges.own)]
    data = Data(judges.fingerprint, (), judges.topics, qrels)
    return {"source": JUDGES, "panel": _panel_of(judges), "data": data}


def _describe_matrix(matrix: Matrix) -> dict[str, Any]:
    read_as = tuple(filter(None, [matrix.format]))
    data = Data(matrix.fingerprint, matrix.runs, matrix.topics, recognised=read_as)
    fields = {"source": MATRIX, "data": data}
    if not matrix.others:
        return fields
    return fields | {"judges": matrix.judges}


def _panel_of(judges: Judges) -> RecordedPanel:
    maps = dict(judges.maps)
    described = zip(judges.names, judges.level, judges.made, judges.digests, strict=True)
    recorded = tuple(
        RecordedJudge(name, level, made, maps.get(name, ()), digest)
        for name, level, made, digest in described
    )
    return RecordedPanel(recorded, judges.own, only=judges.only)


def recipe_of_several(
    experiment: str, measures: Iterable[Measure], params: Any, on: Mapping[str, Recipe]
) -> Recipe:
    """Recipe of a comparison of collections, from the name and recipe of each."""
    of = tuple(
        (name, replace(part, experiment=experiment, params=params)) for name, part in on.items()
    )
    return Recipe(experiment, params, tuple(map(str, measures)), COLLECTIONS, of=of)


def _of_each(word: str, names: Iterable[str]) -> list[str]:
    """A placeholder for the file of each name."""
    return [f"{word} of {name}" for name in names]


def _repeated(flag: str, values: Iterable[str]) -> list[str]:
    """A flag before each of its values."""
    return [*chain.from_iterable(product([flag], values))]


def _listed(flag: str, values: Iterable[str]) -> list[str]:
    """A flag with all its values; nothing if these are empty."""
    text = ",".join(values)
    if not text:
        return []
    return [flag, text]


def _quoted(word: str) -> str:
    """A word quoted for a shell; double quotes around primes are easier to read."""
    has_prime, has_special = "'" in word, not set('"$`\\!').isdisjoint(word)
    if has_prime and not has_special:
        return f'"{word}"'
    return shlex.quote(word)


def _policy_flags(policy: Policy) -> list[str]:
    """Flags of a policy: the name of its profile, and the decisions in which it differs
    from that profile.
    """
    profile = profile_of(policy)
    if profile is None:
        return _flags(policy, DEFAULT)
    usual = PROFILES[profile]
    flags = _flags(policy, usual)
    if usual == DEFAULT:
        return flags
    return ["--profile", profile, *flags]


def _flags(values: Any, usual: Any, taken: Container[str] = ()) -> list[str]:
    """Flag of each declared value that differs from its default, except the names in
    `taken`.
    """
    words: list[str] = []
    for name, field in fields(type(values)).items():
        value = getattr(values, name)
        if name not in taken and value != getattr(usual, name):
            words += _flag_of(field, value)
    return words


def _flag_of(field: Field, value: Any) -> list[str]:
    flag = f"--{field.name.replace('_', '-')}"
    if field.kind is bool:
        return [flag]
    if field.name == "exclude":  # its pairs are a file of the user
        return [flag, EXCLUDE]
    text = str(value)
    if field.is_list:
        text = ",".join(map(format_value, value))
    if text.startswith("-"):  # it would be taken for a flag
        return [f"{flag}={text}"]
    return [flag, text]
