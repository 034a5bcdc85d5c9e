"""What a command reads: judgments, runs and judges from files or a workspace, under its
policy and selection; what is checked before it runs; and its progress.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial

from irmeval.cli import flags, meant
from irmeval.cli.program import Given
from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats, describe_unmatched, remarks_on_sample
from irmeval.collection.shards import WITHOUT_SCHEDULER, read_runs
from irmeval.collection.team_names import Groups, read_teams
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.params import Field, Param, fields
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, duration_in_words, seconds_left, shorten
from irmeval.core.written import split_path
from irmeval.judges import Judges, grade_maps, read_judges
from irmeval.metrics import Measure, distinct
from irmeval.reading.faults import FilesRefused, as_text
from irmeval.reading.files import read_bytes
from irmeval.reading.formats import AUTO, FormatNames
from irmeval.reading.ir_metadata import describe_unreadable
from irmeval.reading.policy import PROFILES, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.selection import Selection, parse_topics, select
from irmeval.scoring.values import check_runs

LONG_SECONDS = 5.0
"""Seconds after which work is long: a file gets lines, and a terminal shows the time
left.
"""
LEVEL = Field("relevant", int, 1, Param("the lowest grade of a relevant document"))


class Progress:
    """Writer of the number of steps done and of all steps, and in long work the
    estimated time left.
    """

    def __init__(self) -> None:
        self.last, self.begun, self.width = (0, 0), time.monotonic(), 0

    def __call__(self, done: int, total: int) -> None:
        """Write the progress, unless it has not changed since the last call."""
        if (done, total) == self.last:
            return
        (before, before_total), self.last = self.last, (done, total)
        if before_total != total:  # another computation of the same command
            before, self.begun = 0, time.monotonic()
        taken = time.monotonic() - self.begun
        left = _left_in_words(taken, done, total)
        if sys.stderr.isatty():
            self._overwrite(f"{done} of {total}{left}")
            if done >= total:
                sys.stderr.write("\n")
        # a file has no line to overwrite, and a line a step would fill it
        elif taken >= LONG_SECONDS and done * 10 // total > before * 10 // total:
            sys.stderr.write(f"{done} of {total} ({100 * done // total}%{left})\n")

    def _overwrite(self, line: str) -> None:
        """Write a line in place of the one before; blanks cover the rest of a longer one."""
        sys.stderr.write(f"\r{line:{self.width}}")
        sys.stderr.flush()
        self.width = len(line)


def _left_in_words(taken: float, done: int, total: int) -> str:
    """The estimated time left of long work; empty at its ends, and of other work."""
    if taken < LONG_SECONDS or not 0 < done < total:
        return ""
    return f", {duration_in_words(seconds_left(taken, done, total))} left"


def refusal(error: ReadError, given: Given, words: Sequence[str]) -> str:
    """What is said of files that cannot be read: the error, or the order that was
    meant.
    """
    return meant.suggest_order(given, words) or refusal_text(error)


def check_files(given: Given) -> None:
    """Raise `ParamError` if a command lacks its files, or has a score matrix as
    well.
    """
    if given.scores or given.matrix:
        _refuse_collection(given)
        return
    if given.without_runs is None or _has_collection(given):
        return
    name, found = given.command.name, "neither"
    if given.qrels:
        found = f"{shorten(given.qrels)} alone"
    raise ParamError(
        f"{name}: expected QRELS and RUN, found {found}. Example: irmeval {name}"
        f" {given.command.example}"
    )


def _has_collection(given: Given) -> bool:
    """Whether qrels are given with runs; alone if the command needs none, or if they
    are a workspace, which has its own.
    """
    if not given.qrels:
        return False
    if given.runs or given.without_runs:
        return True
    return split_path(str(given.qrels)) is not None


def _refuse_collection(given: Given) -> None:
    """Raise `ParamError` if a score matrix comes with a collection or its flags."""
    typed, what = given.typed, "a score matrix replaces"
    if given.scores:
        # these are of runs that have teams, too
        typed, what = typed - {"team_list"}, "scores replace"
    needless = [flag.opts[-1] for flag in given.of_collection() if flag.name in typed]
    if needless:
        raise ParamError(
            f"{given.command.name}: {what} QRELS, RUN, -m and their flags. Leave out {needless[0]}."
        )


def open_workspace(given: Given) -> None:
    """Open a workspace given in place of qrels and runs. Raises `ReadError` if it
    cannot be read.
    """
    named = split_path(given.paths[0])
    # a command without runs compares the judges of files
    if named and given.runs is not None:
        from irmeval.workspace import Workspace  # only now, since few commands open one

        _refuse_files(given)
        opened = Workspace.load(*named)
        given.stored = opened.stored(named[1])
        given.measure = given.measure or opened.measures
    given.measure = given.measure or given.usual


def _refuse_files(given: Given) -> None:
    """Raise `ParamError` if a workspace comes with runs or formats of files."""
    if given.runs:
        raise ParamError(f"{given.qrels}: a workspace has its own runs. Leave out {given.runs[0]}.")
    for name, form in formats_of(given)._asdict().items():
        if form != AUTO:
            raise ParamError(
                f"{given.qrels}: a workspace contains files as they were read. Leave out"
                f" --{name.replace('_', '-')}."
            )


def measures_of(given: Given) -> tuple[Measure, ...]:
    """Measures on the command line; empty if there are none. They are checked before
    files are read.
    """
    return distinct(given.measure)


def policy_of(given: Given) -> Policy:
    """Policy on the command line; other decisions are those of the profile or the
    workspace.
    """
    usual = PROFILES["papers"]
    # a profile that is asked for replaces all that a workspace decided
    if given.profile:
        usual = PROFILES[given.profile]
    elif given.stored:
        usual = given.stored.policy
    return replace(usual, **flags.given_values(given, fields(Policy)))


def read_selected(given: Given) -> Collection:
    """Read the selected runs and topics. Reasons for leaving runs out are written to
    standard error.
    """
    usual = Selection()
    if given.stored:
        usual = given.stored.selection
    selection = replace(usual, **flags.given_values(given, fields(Selection)))
    selected = select(read_everything(given), selection, read_groups(given).teams)
    report_selection(selected.collection, selected.left_out)
    return selected.collection


def read_everything(given: Given) -> Collection:
    """All runs and topics, from files or from a workspace."""
    if given.stored:
        refuse_scheduler(given, "a workspace")
        read = given.stored.everything(policy_of(given))
    else:
        read = read_files(given, policy_of(given))
    if not given.without_runs:
        check_runs(read)
    return add_judges(given, read)


def read_files(given: Given, policy: Policy) -> Collection:
    """All runs and topics from files, on the workers of a scheduler if one is given."""
    return read_runs(
        given.qrels,
        given.runs,
        given.scheduler,
        progress=Progress(),
        refused=partial(leave_out, given),
        **formats_of(given)._asdict(),
        **asdict(policy),
    )


def leave_out(given: Given, error: ReadError) -> None:
    """Report files that cannot be used. The command goes on with the others, and its
    exit status says that something was wrong.
    """
    sys.stderr.write(f"irmeval: {refusal_text(error)}\n")
    given.status = 1


def refusal_text(error: ReadError) -> str:
    """The error of one file, or a table of those of several."""
    if isinstance(error, FilesRefused):
        return f"{error.headline}:\n{as_text(error.kinds)}"
    return str(error)


def formats_of(given: Given) -> FormatNames:
    """The formats on the command line."""
    return FormatNames(given.qrels_format or AUTO, given.run_format or AUTO)


def refuse_scheduler(given: Given, name: str) -> None:
    """Raise `ParamError` if a scheduler is given for a command that needs the documents
    of the lists, or reads no files.
    """
    if given.scheduler:
        raise ParamError(f"{name}: needs the ranked lists on this machine. {WITHOUT_SCHEDULER}")


def report_selection(collection: Collection, left_out: Iterable[tuple[str, str]]) -> None:
    """Write to standard error which runs and topics are used, and why runs are left
    out.
    """
    for run, why in left_out:
        sys.stderr.write(f"left out {run}: {why}\n")
    report_remarks(collection)
    sizes = [
        count_noun(len(collection.runs), "run"),
        count_noun(len(collection.topics), "topic"),
        count_noun(collection.grade.size, "judgment"),
    ]
    line = ", ".join(sizes)
    if collection.recognised:
        line += f"; read as {', '.join(collection.recognised)}"
    sys.stderr.write(f"{line}\n")


def report_scores(matrix: Matrix, name: str = "") -> None:
    """Write to standard error what a score matrix holds, and how it was read."""
    sizes = f"{count_noun(len(matrix.runs), 'run')}, {count_noun(len(matrix.topics), 'topic')}"
    sys.stderr.write(f"{name}{sizes}; read as {', '.join([matrix.format, *matrix.notes])}\n")


def report_remarks(collection: Collection) -> None:
    """Write caveats of all results on this collection to standard error."""
    remarks = [
        *describe_unreadable(collection.runs, collection.headers),
        *remarks_on_sample(collection),
        describe_unmatched(collection),
    ]
    for said in filter(None, [*remarks, describe_caveats(collection)]):
        sys.stderr.write(f"{said}\n")


def read_groups(given: Given) -> Groups:
    """Teams of runs and their kinds of system, from a file or the workspace."""
    if given.team_list:
        return read_teams(str(given.team_list), read_bytes(given.team_list))
    if given.stored:
        return Groups(given.stored.teams, given.stored.kinds)
    return Groups({}, {})


def read_panel(given: Given) -> Judges:
    """Read the judges on the command line, with mapped grades."""
    maps, others = maps_of(given), others_of(given)
    judges = read_judges(
        given.qrels,
        others,
        name=given.first,
        maps=maps,
        repeated=given.repeated,
        qrels_format=given.qrels_format,
    )
    for name in maps:
        judges.number(name)  # a map of an unknown judge would be ignored without a word
    for name, level in levels_of(given).items():
        judges = judges.relevant_from(name, level)
    if given.judge:
        judges = judges.led_by(judges.number(given.judge))
    if given.topics_only:
        judges = judges.within(parse_topics(judges.topics, given.topics_only))
    return judges


def add_judges(given: Given, collection: Collection) -> Collection:
    """Add the judges on the command line to a collection, and move the judge who
    evaluates to the front.
    """
    maps, levels = maps_of(given), levels_of(given)
    others = others_of(given)
    for name in {**maps, **levels}:
        check_known(name, others, "unknown judge")
    for name, judged in others.items():
        more = {"map": maps.get(name), "relevant": levels.get(name, 1), "first": given.first}
        collection = collection.with_judgments(name, judged, **more)
    if collection.panel:
        sys.stderr.write(f"{collection.panel.judges.describe()}\n")
    if not given.judge:
        return collection
    return collection.judged_by(given.judge)


def check_no_judges(given: Given, name: str) -> None:
    """Raise `ParamError` if other judges are given to a command that does not use
    them.
    """
    if given.other or given.judge:
        raise ParamError(f"{name}: uses the files as they are. Leave out --other and --judge.")


def others_of(given: Given) -> dict[str, str]:
    """Files of other judges, by their names. Raises `ParamError` as `by_name`."""
    return by_name(given.other, "other", "a different name for each judge")


def scores_of(given: Given) -> dict[str, str]:
    """Files of scores, by the names of their judges. Raises `ParamError` as `by_name`."""
    return by_name(given.scores, "scores", "a different name for each judge")


def by_name(texts: Sequence[str], flag: str, expected: str) -> dict[str, str]:
    """Values of a repeatable flag by the names of judges. Raises `ParamError` if a name
    occurs twice.
    """
    values = dict(map(partial(_split_name, flag), texts))
    if len(values) < len(texts):
        raise ParamError(f"{flag}: expected {expected}, found one twice.")
    return values


def maps_of(given: Given) -> dict[str, dict[int, int]]:
    """Grade maps by the names of judges. Raises `ParamError` as `by_name`."""
    texts = by_name(given.map, "map", "one for each judge")
    return {name: grade_maps.parse_map(text) for name, text in texts.items()}


def levels_of(given: Given) -> dict[str, int]:
    """Relevance levels by the names of judges. Raises `ParamError` as `by_name`."""
    texts = by_name(given.relevant, "relevant", "one for each judge")
    return {name: LEVEL.check(text) for name, text in texts.items()}


def _split_name(flag: str, text: str) -> tuple[str, str]:
    """Split ``NAME=VALUE`` into name and value. Raises `ParamError` for a blank name."""
    name, equals, value = text.partition("=")
    if not (equals and name.strip()):
        raise ParamError(f"{flag}: expected NAME=..., found {shorten(text)}.")
    return name, value
