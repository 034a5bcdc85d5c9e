"""How a result was made: the command, or the script, that makes it again."""

import shlex
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import fields, format_value
from irmeval.experiments.work import Work
from irmeval.judges import Judges
from irmeval.judges.grade_maps import map_as_text
from irmeval.judges.simulation import Simulation
from irmeval.metrics import Measure
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import DEFAULT, PROFILES, Policy, profile_of
from irmeval.scoring.selection import Choice, Selection

QRELS, RUNS, MATRIX, TEAMS, OTHER, WORKSPACE = "QRELS", "RUNS", "MATRIX", "TEAMS", "OTHER", "WORKSPACE"
"""What stands for files, whose paths a browser does not tell."""
COLLECTION, JUDGES, COLLECTIONS = "collection", "judges", "collections"
ACROSS = "across"
"""The command that compares collections."""
SELECTS = "from irmeval.scoring.selection import Selection, select"
SCRIPT = '''"""{name}: every observation as CSV, of the files that are given."""

import sys

{imports}

{source}experiment = EXPERIMENTS["{name}"]
result = experiment({given})
print(csv(result.frame()), end="")
'''

SCRIPT_OF_SEVERAL = '''"""{name}: every observation as CSV, of {files}, in this order, runs as a folder or a zip."""

import sys

{imports}

files, sources, teams = sys.argv[1:], {{}}, {{}}
{source}result = COMPARISONS["{name}"](sources, {measures}, COMPARISONS["{name}"].params({params}), teams=teams)
print(csv(result.frame()), end="")
'''


class Panel(NamedTuple):
    """The judges of a result.

    Attributes
    ----------
    names, level, made, maps : as of `irmeval.Judges`; the first evaluates
    own : whose judgments stand before those of the others, on the command line
    before : how many choices of runs and topics were made by the grades of that one
    digests : of each, the SHA-256 of the file's text, unpacked; empty where there is no file
    only : the topics on which judgments alone were compared; () for all
    """

    names: tuple[str, ...]
    level: tuple[int, ...]
    made: tuple[str, ...]
    maps: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    own: str
    before: int = 0
    digests: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def others(self) -> list[tuple[str, str]]:
        """Name of each judge beside the own one, and what they were made of, in an order in which they can be."""
        named = [(name, made) for name, made in zip(self.names, self.made, strict=True) if name != self.own]
        drawn_last = self.names[0] != self.own and self.made[0]  # perhaps from one of the others
        return [*named[1:], named[0]] if drawn_last else named

    def levels(self) -> list[tuple[str, int]]:
        """The grade from which on a document is relevant to a judge, where it is not the usual one."""
        return [(name, level) for name, level in zip(self.names, self.level, strict=True) if level != 1]

    def describe(self) -> str:
        """The judge whose judgments evaluate, and the others, in words."""
        maps, levels = dict(self.maps), dict(self.levels())
        words = []
        for name, made in zip(self.names, self.made, strict=True):
            more = [made] if made else []
            more += [f"grades {map_as_text(maps[name]).replace(':', ' as ').replace(',', ', ')}"] if name in maps else []
            more += [f"relevant from grade {levels[name]}"] if name in levels else []
            words.append(f"{name} ({'; '.join(more)})" if more else name)
        return f"By the judgments of {words[0]}; others: {', '.join(words[1:])}."


class Data(NamedTuple):
    """The data of a result.

    Attributes
    ----------
    fingerprint : of a collection or a score matrix
    runs, topics : that were worked on
    qrels : SHA-256 of the text of the qrels file, unpacked; empty where it came from no file
    files : the same of the file of each run
    headers : what the file of each run says in ir_metadata of how it was made; empty where none does
    """

    fingerprint: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    qrels: str = ""
    files: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """All that decides a result, but for the files.

    Attributes
    ----------
    experiment : its name
    params : its parameters
    measures : what is compared; () for a score matrix, and where there is nothing to compare
    source : ``collection``, ``matrix``, ``judges``, ``collections``, or empty where no data are needed
    policy : under which a collection is read
    chosen : by which rules runs and topics were chosen, one after the other; without those that keep everything
    only : the runs that are compared, all where empty
    team : (run, team), where a list says which run is of which team
    data : on what it was made; None where it needs none, or the recipe was kept without it
    panel : which judges are compared, if any
    of : name of each of several collections that are compared, and a recipe that says on what of it; () for one collection

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
    source: str = ""
    policy: Policy = DEFAULT
    chosen: tuple[Choice, ...] = ()
    only: tuple[str, ...] = ()
    team: tuple[tuple[str, str], ...] = ()
    data: Data | None = None
    panel: Panel | None = None
    of: "tuple[tuple[str, Recipe], ...]" = ()

    @property
    def on(self) -> "tuple[Recipe, ...]":
        """Itself, or those that say on what of each collection several are compared."""
        return tuple(part for _, part in self.of) or (self,)

    def command(self, table: str = "") -> str:
        """A line for the shell, in which `QRELS`, `RUNS`, `MATRIX` and `TEAMS` stand for files.

        `table` is the name of the table it prints, every observation where there is none. Raises `ParamError` where runs were chosen
        several times over, which the script alone can say. `WORKSPACE` stands for the file of all collections where several are compared
        that were not read and chosen alike.
        """
        if self.of:
            return self._command_of_several(table)
        words = ["python", "-m", "irmeval", self.experiment]
        if self.source == "matrix":
            words += ["--matrix", MATRIX]
        elif self.source:
            words += [QRELS, *([] if self.source == JUDGES or (self.data and not self.data.runs) else [RUNS])]
        if self.panel:
            words += ["--name", self.panel.own]
            words += [word for name, made in self._others() for word in ("--other", f"{name}={made or OTHER}")]
            words += [word for name, level in self.panel.levels() for word in ("--relevant", f"{name}={level}")]
            words += [word for name, grades in self.panel.maps for word in ("--map", f"{name}={map_as_text(grades)}")]
            words += ["--judge", self.panel.names[0]] if self.panel.own != self.panel.names[0] else []
            words += ["--topics_only", ",".join(self.panel.only)] if self.panel.only else []
            words += _flags(self.policy, DEFAULT, fields(Policy).keys() - {"repeated"}) if self.source == JUDGES else []
        words += ["--runs", ",".join(self.only)] if self.only else []
        words += [word for m in self.measures for word in ("-m", m)]
        words += _flags(self.params, type(self.params)())
        if self.source == COLLECTION:
            self._check_chosen_once()
            words += _of_policy(self.policy)
            words += [word for rules, _ in self.chosen for word in _flags(rules, Selection(), fields(type(self.params)))]
            words += ["--team_list", TEAMS] if self.team or any(team for _, team in self.chosen) else []
        words += ["--table", table] if table else []
        return " ".join(map(_quoted, words))

    def _check_chosen_once(self) -> None:
        if len(self.chosen) > 1 or (self.panel and self.panel.before):
            raise ParamError("recipe: runs were chosen by one selection after another, which no command says. Take its script.")

    def _command_of_several(self, table: str) -> str:
        first, words = self.on[0], ["python", "-m", "irmeval", ACROSS]
        for part in self.on:
            part._check_chosen_once()
        alike = all((part.policy, part.chosen, part.panel) == (first.policy, first.chosen, None) for part in self.on)
        if alike and not any(team for _, team in first.chosen):
            words += [QRELS, RUNS] * len(self.of)
            decided = [*_of_policy(first.policy)]
            decided += [word for rules, _ in first.chosen for word in _flags(rules, Selection(), fields(type(self.params)))]
        else:
            words, decided = [*words, WORKSPACE], []
        words += [word for m in self.measures for word in ("-m", m)]
        table = table or ("" if self.measures else "answers")
        words += [*_flags(self.params, type(self.params)()), *decided, *(["--table", table] if table else [])]
        return " ".join(map(_quoted, words))

    def _script_of_several(self) -> str:
        imports, lines, files = {"from irmeval.core.tables import csv", "from irmeval.papers.comparisons import COMPARISONS"}, [], []
        imports.add("import irmeval")
        for name, part in self.of:
            others = [other for other, made in part._others() if not made] if part.panel else []
            files += [f"the qrels of {name}", *(f"those of {other}" for other in others), "its runs"]
            lines += [f"sys.argv[1:], files = files[: {len(others) + 2}], files[{len(others) + 2} :]", *part._read(), *part._choose()]
            lines += [f"sources[{name!r}] = source", *([f"teams[{name!r}] = {dict(part.team)!r}"] if part.team else [])]
            imports |= {SELECTS} if part.chosen else set()
        return SCRIPT_OF_SEVERAL.format(
            name=self.experiment,
            imports=_ordered(imports),
            files=", ".join(files),
            source="".join(f"{line}\n" for line in lines),
            measures=repr([*map(str, self.measures)]),
            params=_said(self.params),
        )

    def script(self) -> str:
        """A Python script that takes the files as its arguments, qrels first, and prints every observation as CSV."""
        if self.of:
            return self._script_of_several()
        imports = ["from irmeval.experiments import EXPERIMENTS", "from irmeval.core.tables import csv"]
        if self.source:
            imports.append("from irmeval.reading.matrix import read_matrix" if self.source == "matrix" else "import irmeval")
        if self.chosen:
            imports.append(SELECTS)
        given = ["source" if self.source else "None", repr([*map(str, self.measures)]), f"experiment.params({_said(self.params)})"]
        given += [f"only={[*self.only]!r}"] if self.only else []
        given += [f"team={dict(self.team)!r}"] if self.team else []
        return SCRIPT.format(
            name=self.experiment,
            imports=_ordered(imports),
            source="".join(f"{line}\n" for line in (*self._read(), *self._choose())),
            given=", ".join(given),
        )

    def _read(self) -> Iterator[str]:
        """The lines of a script that read the files."""
        if self.panel:
            yield from self._joined(self.panel) if self.source == COLLECTION else self._compared(self.panel)
        elif self.source == "matrix":
            yield "source = read_matrix(sys.argv[1])"
        elif self.source:
            yield f"source = irmeval.read_collection({', '.join(['sys.argv[1]', 'sys.argv[2:]', *_keywords(self.policy, DEFAULT)])})"

    def _choose(self) -> list[str]:
        """The lines of a script that choose runs, topics and the judge by whom is evaluated."""
        chosen = []
        for rules, team in self.chosen:
            chosen.append(f"source = select(source, Selection({_said(rules)}){f', {dict(team)!r}' if team else ''}).collection")
        if self.panel and self.panel.names[0] != self.panel.own and self.source == COLLECTION:
            chosen.insert(self.panel.before, f"source = source.judged_by({self.panel.names[0]!r})")
        return chosen

    def _others(self) -> list[tuple[str, str]]:
        """Name of each other judge, and what they were made of: a file too where that takes runs, and there are none."""
        assert self.panel is not None
        alone = self.source == JUDGES
        return [(name, "" if alone and made and Simulation.parsed(made).runs else made) for name, made in self.panel.others()]

    def _files(self) -> str:
        """The other judges in a script, each with what they are made of."""
        return ", ".join(f"{name!r}: {repr(made) if made else 'files.pop(0)'}" for name, made in self._others())

    def _compared(self, panel: Panel) -> Iterator[str]:
        """The lines of a script that make judges, whose files stand in their order."""
        more = [f"name={panel.own!r}"]
        more += [f"maps={ {name: map_as_text(grades) for name, grades in panel.maps}!r}"] if panel.maps else []
        more += [f"repeated={self.policy.repeated!r}"] if self.policy.repeated != DEFAULT.repeated else []
        yield "files = sys.argv[1:]"
        yield f"source = irmeval.read_judges(files.pop(0), {{{self._files()}}}, {', '.join(more)})"
        for name, level in panel.levels():
            yield f"source = source.relevant_from({name!r}, {level})"
        if panel.only:
            yield f"source = source.within({[*panel.only]!r})"
        if panel.names[0] != panel.own:
            yield f"source = source.led_by(source.number({panel.names[0]!r}))"

    def _joined(self, panel: Panel) -> Iterator[str]:
        """The lines of a script that make a collection with further judges, whose files stand after the qrels."""
        levels, maps = dict(panel.levels()), dict(panel.maps)
        yield "qrels, *files = sys.argv[1:]"
        yield f"others = {{{self._files()}}}"
        yield f"source = irmeval.read_collection({', '.join(['qrels', 'files', *_keywords(self.policy, DEFAULT)])})"
        for name, _ in self._others():
            more = [f"map={map_as_text(maps[name])!r}"] if name in maps else []
            more += [f"relevant={levels[name]}"] if name in levels else []
            yield f"source = source.with_judgments({', '.join([repr(name), f'others[{name!r}]', *more, f'first={panel.own!r}'])})"


def recipe_of(experiment: str, work: Work[Any]) -> Recipe:
    """The recipe of what the experiment of a name makes of a work."""
    source = work.source
    how: dict[str, Any] = {}
    if isinstance(source, Collection):
        qrels, *files = source.digests or ("",)
        data = Data(source.fingerprint, source.runs, source.topics, qrels, tuple(files), source.headers)
        how = {"source": COLLECTION, "policy": source.policy, "chosen": source.chosen, "data": data}
        if source.panel:
            how["panel"] = _panel_of(source.panel.judges)._replace(before=source.panel.before, only=())
    elif judges := work.panel:
        qrels = judges.digests[judges.number(judges.own)]
        how = {"source": JUDGES, "panel": _panel_of(judges), "data": Data(judges.fingerprint, (), judges.topics, qrels)}
    elif isinstance(source, Matrix):
        how = {"source": MATRIX.lower(), "data": Data(source.fingerprint, source.runs, source.topics)}
    return Recipe(
        experiment,
        work.params,
        tuple(map(str, work.measures)),
        only=work.only,
        team=tuple(sorted(work.team.items())) if "team_rule" in fields(type(work.params)) else (),
        **how,
    )


def _panel_of(judges: Judges) -> Panel:
    return Panel(judges.names, judges.level, judges.made, judges.maps, judges.own, 0, judges.digests, judges.only)


def recipe_of_several(experiment: str, measures: Iterable[Measure], params: Any, on: Mapping[str, Recipe]) -> Recipe:
    """The recipe of what compares collections: on what of each, by name."""
    of = tuple((name, replace(part, experiment=experiment, params=params)) for name, part in on.items())
    return Recipe(experiment, params, tuple(map(str, measures)), COLLECTIONS, of=of)


def _ordered(imports: Iterable[str]) -> str:
    return "\n".join(sorted(imports, key=lambda line: (line.startswith("from"), line)))


def _said(record: Any) -> str:
    return ", ".join(_keywords(record, type(record)()))


def _keywords(record: Any, usual: Any) -> list[str]:
    """``name=value`` for each declared value that is not the usual one."""
    return [f"{name}={value!r}" for name in fields(type(record)) if (value := getattr(record, name)) != getattr(usual, name)]


def _quoted(word: str) -> str:
    """A word quoted for a shell; primes stand in double quotes, which is easier to read."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _of_policy(policy: Policy) -> Iterator[str]:
    """The flags of a policy: its profile by name, and every decision in which it differs from that."""
    profile = profile_of(policy)
    if profile is None:
        yield from _flags(policy, DEFAULT)
    else:
        yield from ("--profile", profile) if PROFILES[profile] != DEFAULT else ()
        yield from _flags(policy, PROFILES[profile])


def _flags(values: Any, usual: Any, taken: Container[str] = ()) -> Iterator[str]:
    """A flag for each declared value that is not the usual one."""
    for name, field in fields(type(values)).items():
        value = getattr(values, name)
        if name not in taken and value != getattr(usual, name):
            text = ",".join(map(format_value, value)) if field.many else str(value)
            yield from (f"--{name}={text}",) if text.startswith("-") else (f"--{name}", text)
