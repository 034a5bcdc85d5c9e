"""Recipes of results: the command and the script that reproduce them."""

import shlex
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import fields, format_value, takes
from irmeval.experiments.work import Work
from irmeval.judges import Judges
from irmeval.judges.grade_maps import map_as_text
from irmeval.judges.simulation import Simulation
from irmeval.metrics import Measure
from irmeval.reading.policy import DEFAULT, PROFILES, Policy, profile_of
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Choice, Selection

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
SELECTS = "from irmeval.scoring.selection import Selection, select"
SCRIPT = '''"""{name}: every observation as CSV, of {files}."""

import sys

{imports}

{lines}
print(csv(result.frame()), end="")
'''


class RecordedPanel(NamedTuple):
    """Judges of a result. `names`, `level`, `made` and `maps` are those of
    `irmeval.Judges`; the first judge evaluates.
    """

    names: tuple[str, ...]
    level: tuple[int, ...]
    made: tuple[str, ...]
    maps: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    own: str
    """the judge of the first file on the command line"""
    before: int = 0
    """number of selections of runs and topics made by the grades of that judge"""
    digests: tuple[str, ...] = ()
    """SHA-256 of the unpacked text of each judge's file; empty if there is no file"""
    only: tuple[str, ...] = ()
    """topics on which judgments alone were compared; () for all"""

    def others(self) -> list[tuple[str, str]]:
        """Names of all judges except `own`, and how each was made. A judge follows
        those it was made from.
        """
        named = [
            (name, made)
            for name, made in zip(self.names, self.made, strict=True)
            if name != self.own
        ]
        drawn_last = self.names[0] != self.own and self.made[0]  # perhaps from one of the others
        return [*named[1:], named[0]] if drawn_last else named

    def levels(self) -> list[tuple[str, int]]:
        """Name and least relevant grade of each judge for whom that is not 1."""
        return [
            (name, level) for name, level in zip(self.names, self.level, strict=True) if level != 1
        ]

    def describe(self) -> str:
        """Description of the judges."""
        maps, levels = dict(self.maps), dict(self.levels())
        words = []
        for name, made in zip(self.names, self.made, strict=True):
            more = [made] if made else []
            more += (
                [f"grades {map_as_text(maps[name]).replace(':', ' as ').replace(',', ', ')}"]
                if name in maps
                else []
            )
            more += [f"relevant from grade {levels[name]}"] if name in levels else []
            words.append(f"{name} ({'; '.join(more)})" if more else name)
        return f"By the judgments of {words[0]}; others: {', '.join(words[1:])}."


class Data(NamedTuple):
    """Data of a result."""

    fingerprint: str
    """of the collection or the score matrix"""
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    qrels: str = ""
    """SHA-256 of the unpacked text of the qrels file; empty without a file"""
    files: tuple[str, ...] = ()
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
    source: str = ""
    """``collection``, ``matrix``, ``judges``, ``collections``, or empty without data"""
    policy: Policy = DEFAULT
    """under which a collection is read"""
    chosen: tuple[Choice, ...] = ()
    """selections of runs and topics, in turn, without those that keep everything"""
    only: tuple[str, ...] = ()
    """compared runs; () for all"""
    team: tuple[tuple[str, str], ...] = ()
    """(run, team), if a list gives the teams"""
    data: Data | None = None
    """None without data, or if the recipe was stored without them"""
    panel: RecordedPanel | None = None
    """judges, if there are several"""
    judges: tuple[str, ...] = ()
    """judges of score matrices, if there are several; the reference first"""
    of: "tuple[tuple[str, Recipe], ...]" = ()
    """name and recipe of each of several collections; () for one"""

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
        words = self._command_of_several() if self.of else self._command_of_one()
        table = table or ("answers" if self.of and not self.measures else "")
        return " ".join(
            map(
                _quoted, ["python", "-m", "irmeval", *words, *(["--table", table] if table else [])]
            )
        )

    def _command_of_one(self) -> list[str]:
        words = [self.experiment]
        if self.judges:
            words += [word for name in self.judges for word in ("--scores", f"{name}={SCORES}")]
        elif self.source == MATRIX:
            words += ["--matrix", MATRIX_FILE]
        elif self.source:
            words += [
                QRELS,
                *([] if self.source == JUDGES or (self.data and not self.data.runs) else [RUNS]),
            ]
        if self.panel:
            words += ["--name", self.panel.own]
            words += [
                word
                for name, made in self._others()
                for word in ("--other", f"{name}={made or OTHER}")
            ]
            words += [
                word
                for name, level in self.panel.levels()
                for word in ("--relevant", f"{name}={level}")
            ]
            words += [
                word
                for name, grades in self.panel.maps
                for word in ("--map", f"{name}={map_as_text(grades)}")
            ]
            words += (
                ["--judge", self.panel.names[0]] if self.panel.own != self.panel.names[0] else []
            )
            words += ["--topics_only", ",".join(self.panel.only)] if self.panel.only else []
            words += (
                _flags(self.policy, DEFAULT, fields(Policy).keys() - {"repeated"})
                if self.source == JUDGES
                else []
            )
        words += ["--runs", ",".join(self.only)] if self.only else []
        words += [word for m in self.measures for word in ("-m", m)]
        words += _flags(self.params, type(self.params)())
        if self.source == COLLECTION:
            self._check_chosen_once()
            words += self._reading_flags()
        words += (
            ["--team_list", TEAMS]
            if (self.team and self.source) or any(team for _, team in self.chosen)
            else []
        )
        return words

    def _reading_flags(self) -> Iterator[str]:
        """Flags of the policy and of the selection."""
        yield from _policy_flags(self.policy)
        for rules, _ in self.chosen:
            yield from _flags(rules, Selection(), fields(type(self.params)))

    def _check_chosen_once(self) -> None:
        if len(self.chosen) > 1 or (self.panel and self.panel.before):
            raise ParamError(
                "recipe: runs were chosen by one selection after another, which no command can"
                " express. Use its script."
            )

    def _command_of_several(self) -> list[str]:
        first, words = self.on[0], [ACROSS]
        for part in self.on:
            part._check_chosen_once()
        alike = all(
            (part.policy, part.chosen, part.panel) == (first.policy, first.chosen, None)
            for part in self.on
        )
        if alike and not any(team for _, team in first.chosen):
            words += [QRELS, RUNS] * len(self.of)
        else:
            words += [WORKSPACE]
        words += [word for m in self.measures for word in ("-m", m)]
        words += _flags(self.params, type(self.params)())
        return [*words, *(first._reading_flags() if QRELS in words else ())]

    def _script_of_several(self) -> str:
        imports, files = (
            {
                "import irmeval",
                "from irmeval.core.tables import csv",
                "from irmeval.papers.comparisons import COMPARISONS",
            },
            [],
        )
        lines = ["files, sources, teams = sys.argv[1:], {}, {}"]
        for name, part in self.of:
            others = [other for other, made in part._others() if not made] if part.panel else []
            files += [
                f"the qrels of {name}",
                *(f"those of {other}" for other in others),
                "its runs",
            ]
            lines += [
                f"sys.argv[1:], files = files[: {len(others) + 2}], files[{len(others) + 2} :]",
                *part._read(),
                *part._choose(),
            ]
            lines += [
                f"sources[{name!r}] = source",
                *([f"teams[{name!r}] = {dict(part.team)!r}"] if part.team else []),
            ]
            imports |= {SELECTS} if part.chosen else set()
        comparison = f'COMPARISONS["{self.experiment}"]'
        lines.append(
            f"result = {comparison}(sources, {[*self.measures]!r},"
            f" {comparison}.params({_arguments(self.params)}), teams=teams)"
        )
        return self._fill_script(
            f"{', '.join(files)}, in this order, runs as a folder or a zip", imports, lines
        )

    def _fill_script(self, files: str, imports: Iterable[str], lines: Iterable[str]) -> str:
        ordered = sorted(imports, key=lambda line: (line.startswith("from"), line))
        return SCRIPT.format(
            name=self.experiment, files=files, imports="\n".join(ordered), lines="\n".join(lines)
        )

    def script(self) -> str:
        """Python script that takes the files as its arguments, qrels first, and prints
        every observation as CSV.
        """
        if self.of:
            return self._script_of_several()
        imports = [
            "from irmeval.experiments import EXPERIMENTS",
            "from irmeval.core.tables import csv",
        ]
        if self.source:
            reader = "read_scores" if self.judges else "read_matrix"
            imports.append(
                f"from irmeval.reading.parsing import {reader}"
                if self.source == MATRIX
                else "import irmeval"
            )
        if self.chosen:
            imports.append(SELECTS)
        given = [
            "source" if self.source else "None",
            repr([*self.measures]),
            *_keywords(self.params, type(self.params)()),
        ]
        given += [f"only={[*self.only]!r}"] if self.only else []
        given += [f"team={dict(self.team)!r}"] if self.team else []
        call = f'result = EXPERIMENTS["{self.experiment}"]({", ".join(given)})'
        return self._fill_script(
            "the files that are given", imports, [*self._read(), *self._choose(), call]
        )

    def _read(self) -> Iterator[str]:
        """Script lines that read the files."""
        if self.panel:
            yield from (
                self._joined(self.panel)
                if self.source == COLLECTION
                else self._compared(self.panel)
            )
        elif self.judges:
            yield f"source = read_scores(dict(zip({[*self.judges]!r}, sys.argv[1:])))"
        elif self.source == MATRIX:
            yield "source = read_matrix(sys.argv[1])"
        elif self.source:
            given = ["sys.argv[1]", "sys.argv[2:]", *_keywords(self.policy, DEFAULT)]
            yield f"source = irmeval.read_collection({', '.join(given)})"

    def _choose(self) -> list[str]:
        """Script lines that select runs and topics, and the judge who evaluates."""
        chosen = []
        for rules, team in self.chosen:
            chosen.append(
                "source = select(source,"
                f" Selection({_arguments(rules)}){f', {dict(team)!r}' if team else ''}).collection"
            )
        if self.panel and self.panel.names[0] != self.panel.own and self.source == COLLECTION:
            chosen.insert(self.panel.before, f"source = source.judged_by({self.panel.names[0]!r})")
        return chosen

    def _others(self) -> list[tuple[str, str]]:
        """`Panel.others`; a judge whose simulation takes runs is read from a file if
        there are no runs.
        """
        assert self.panel is not None
        alone = self.source == JUDGES
        return [
            (name, "" if alone and made and Simulation.parsed(made).runs else made)
            for name, made in self.panel.others()
        ]

    def _files(self) -> str:
        """Other judges as items of a dict, each with its origin."""
        return ", ".join(
            f"{name!r}: {repr(made) if made else 'files.pop(0)'}" for name, made in self._others()
        )

    def _compared(self, panel: RecordedPanel) -> Iterator[str]:
        """Script lines that read judges from files in their order."""
        more = [f"name={panel.own!r}"]
        more += (
            [f"maps={ {name: map_as_text(grades) for name, grades in panel.maps}!r}"]
            if panel.maps
            else []
        )
        more += (
            [f"repeated={self.policy.repeated!r}"]
            if self.policy.repeated != DEFAULT.repeated
            else []
        )
        yield "files = sys.argv[1:]"
        yield f"source = irmeval.read_judges(files.pop(0), {{{self._files()}}}, {', '.join(more)})"
        for name, level in panel.levels():
            yield f"source = source.relevant_from({name!r}, {level})"
        if panel.only:
            yield f"source = source.within({[*panel.only]!r})"
        if panel.names[0] != panel.own:
            yield f"source = source.led_by(source.number({panel.names[0]!r}))"

    def _joined(self, panel: RecordedPanel) -> Iterator[str]:
        """Script lines that make a collection with other judges, whose files follow the
        qrels.
        """
        levels, maps = dict(panel.levels()), dict(panel.maps)
        yield "qrels, *files = sys.argv[1:]"
        yield f"others = {{{self._files()}}}"
        given = ["qrels", "files", *_keywords(self.policy, DEFAULT)]
        yield f"source = irmeval.read_collection({', '.join(given)})"
        for name, _ in self._others():
            more = [f"map={map_as_text(maps[name])!r}"] if name in maps else []
            more += [f"relevant={levels[name]}"] if name in levels else []
            given = [repr(name), f"others[{name!r}]", *more, f"first={panel.own!r}"]
            yield f"source = source.with_judgments({', '.join(given)})"


def recipe_of(experiment: str, work: Work[Any]) -> Recipe:
    """Recipe of a result of the experiment with this name."""
    source = work.source
    how: dict[str, Any] = {}
    if isinstance(source, Collection):
        qrels, *files = source.digests or ("",)
        data = Data(
            source.fingerprint,
            source.runs,
            source.topics,
            qrels,
            tuple(files),
            source.headers,
            source.recognised,
        )
        how = {"source": COLLECTION, "policy": source.policy, "chosen": source.chosen, "data": data}
        if source.panel:
            how["panel"] = _panel_of(source.panel.judges)._replace(
                before=source.panel.before, only=()
            )
    elif judges := work.panel:
        qrels = judges.digests[judges.number(judges.own)]
        how = {
            "source": JUDGES,
            "panel": _panel_of(judges),
            "data": Data(judges.fingerprint, (), judges.topics, qrels),
        }
    elif isinstance(source, Matrix):
        read_as = (source.format,) if source.format else ()
        how = {
            "source": MATRIX,
            "data": Data(source.fingerprint, source.runs, source.topics, recognised=read_as),
        }
        how["judges"] = source.judges if source.others else ()
    return Recipe(
        experiment,
        work.params,
        tuple(map(str, work.measures)),
        only=work.only,
        team=tuple(sorted(work.team.items())) if takes(work.params, "team_rule") else (),
        **how,
    )


def _panel_of(judges: Judges) -> RecordedPanel:
    return RecordedPanel(
        judges.names,
        judges.level,
        judges.made,
        judges.maps,
        judges.own,
        0,
        judges.digests,
        judges.only,
    )


def recipe_of_several(
    experiment: str, measures: Iterable[Measure], params: Any, on: Mapping[str, Recipe]
) -> Recipe:
    """Recipe of a comparison of collections, from the name and recipe of each."""
    of = tuple(
        (name, replace(part, experiment=experiment, params=params)) for name, part in on.items()
    )
    return Recipe(experiment, params, tuple(map(str, measures)), COLLECTIONS, of=of)


def _arguments(record: Any) -> str:
    return ", ".join(_keywords(record, type(record)()))


def _keywords(record: Any, usual: Any) -> list[str]:
    """``name=value`` for each declared value that differs from its default."""
    return [
        f"{name}={value!r}"
        for name in fields(type(record))
        if (value := getattr(record, name)) != getattr(usual, name)
    ]


def _quoted(word: str) -> str:
    """A word quoted for a shell; double quotes around primes are easier to read."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _policy_flags(policy: Policy) -> Iterator[str]:
    """Flags of a policy: the name of its profile, and the decisions in which it differs
    from that profile.
    """
    profile = profile_of(policy)
    if profile is None:
        yield from _flags(policy, DEFAULT)
    else:
        yield from ("--profile", profile) if PROFILES[profile] != DEFAULT else ()
        yield from _flags(policy, PROFILES[profile])


def _flags(values: Any, usual: Any, taken: Container[str] = ()) -> Iterator[str]:
    """Flag of each declared value that differs from its default, except the names in
    `taken`.
    """
    for name, field in fields(type(values)).items():
        value = getattr(values, name)
        if name not in taken and value != getattr(usual, name):
            if field.kind is bool:
                yield f"--{name}"
                continue
            text = (
                EXCLUDE
                if name == "exclude"
                else ",".join(map(format_value, value))
                if field.is_list
                else str(value)
            )
            yield from (f"--{name}={text}",) if text.startswith("-") else (f"--{name}", text)
