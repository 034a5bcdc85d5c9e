"""Selection of runs and topics of a collection."""

import csv
import io
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from math import ceil
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.base import Panel
from irmeval.collection.joining import Outside
from irmeval.collection.shards import Sharded
from irmeval.collection.team_names import LETTERS, TeamRule, teams_of
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.lazy import fractions, pd
from irmeval.core.params import checked, param
from irmeval.core.places import pick, place_of_each
from irmeval.core.registry import check_known
from irmeval.core.text import MAX_QUOTED, count_noun, list_few, number_key, shorten
from irmeval.metrics import measure
from irmeval.scoring.scores import evaluate
from irmeval.stats.means import tied

WHOLE = {"possible": "what could be retrieved", "most": "the most"}
"""Denominator of the documents share."""


@checked
class Selection:
    """Rules, applied in this order. The defaults keep everything."""

    topics_only: str = param(
        "topics",
        "Ids separated by commas, or ranges of numbers such as 303-350. Empty: all.",
        empty="all",
        default="",
    )
    runs_only: str = param(
        "runs",
        "Names separated by commas; quote a name that contains a comma or a quote. Empty: all.",
        empty="all",
        default="",
    )
    least: float = param(
        "documents at least, %",
        "Leave out runs that retrieved less than this share of the possible number of documents on"
        " these topics; the papers use 95.",
        low=0,
        high=100,
        default=0.0,
    )
    least_of: str = param(
        "share of",
        "What the share of documents is taken of. possible: topics times the longest list of any"
        " loaded run. most: the documents of the run that retrieved most.",
        choices=tuple(WHOLE),
        default="possible",
    )
    complete: str = param(
        "topics retrieved",
        "every: leave out runs that retrieved nothing for some topic.",
        choices=("any", "every"),
        default="any",
    )
    per_team: str = param(
        "runs per team",
        "best: the one with the highest score of each team. random: one drawn.",
        choices=("all", "best", "random"),
        default="all",
    )
    team_rule: TeamRule = LETTERS
    random_runs: int = param(
        "random runs",
        "Number of runs to keep, drawn at random. 0: all.",
        low=0,
        high=100_000,
        default=0,
    )
    draw: int = param(
        "seed of the draw",
        "The random runs: the same seed draws the same ones.",
        low=0,
        high=2**31 - 1,
        default=1,
        template="draw {}",
    )
    top_runs: int = param(
        "best runs",
        "Number of runs to keep, the best by the measure below. 0: all.",
        low=0,
        high=100_000,
        default=0,
    )
    best_by: str = param("best by", "Measure for the best run.", default="AP")
    has_grade: int = param(
        "topics with grade",
        "Keep topics with a document of this grade or higher, so that measures with and without"
        " this rel=, and all gain maps, use the same topics. 0: all.",
        low=0,
        high=1000,
        default=0,
    )

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "best_by", str(measure(self.best_by)))
        except IrmevalError as error:
            raise ParamError(f"best_by: {error}") from None


class SelectedBy(NamedTuple):
    """Rules of an applied selection, and (run, team) pairs if teams are from a list."""

    rules: Selection
    team: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, rules: Selection, team: Mapping[str, str] | None) -> "tuple[SelectedBy, ...]":
        """A tuple with the choice; empty if the rules keep everything."""
        if rules == Selection():
            return ()
        listed = team if team and rules.per_team != "all" else {}
        return (cls(rules, tuple(sorted(listed.items()))),)


COLUMNS = ("run", "team", "documents", "topics missing", "kept", "why")


@dataclass(frozen=True, eq=False)
class Selected:
    """Result of a selection, and reasons why runs are left out."""

    collection: Collection
    columns: Mapping[str, Sequence[Any] | np.ndarray]
    """columns of `table`"""

    @cached_property
    def table(self) -> "pd.DataFrame":
        """One row per run, with `COLUMNS`."""
        return pd.DataFrame(dict(self.columns)).astype({"kept": bool})

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """Runs that are left out, each with the reason."""
        rows = zip(*(self.columns[name] for name in ("run", "why", "kept")), strict=True)
        return [(run, why) for run, why, kept in rows if not kept]


def select(
    collection: Collection, selection: Selection, team: Mapping[str, str] | None = None
) -> Selected:
    """Apply a selection; `team` maps runs to teams, before the rule. `ParamError` for
    an unknown topic, or if no run is left.
    """
    topics = _topics(collection.topics, selection.topics_only)
    narrowed = subset(collection, np.arange(len(collection.runs)), topics)
    names, R = narrowed.runs, len(narrowed.runs)
    if not R:  # no runs, so the rules for runs do not apply
        none = dict.fromkeys(COLUMNS, np.empty(0, object))
        return Selected(_decided(narrowed, selection, team), none)
    of_team = teams_of(names, selection.team_rule, team or {})
    documents = narrowed.length.reshape(R, -1).sum(axis=1)
    missing = narrowed.missing.sum(axis=1)
    why = np.full(R, "", dtype=object)
    if selection.runs_only:
        listed = np.isin(names, parse_names(selection.runs_only, names))
        _leave_out(why, ~listed, "not in the list")
    # at most the depth of the policy; runs of a round that asked for less cannot reach it
    longest = int(collection.length.max(initial=0))
    possible = len(topics) * longest
    _leave_out_short(why, documents, possible, selection)
    if selection.complete == "every":
        _leave_out(why, missing > 0, "retrieved nothing for some topic")
    lot, drawn = _draw_orders(selection, R)
    is_best_wanted = selection.per_team == "best" or selection.top_runs
    score = _scores_by(narrowed, selection.best_by) if is_best_wanted else np.zeros(R)
    if selection.per_team != "all":
        order = np.lexsort((lot, -score)) if selection.per_team == "best" else np.argsort(lot)
        _keep_one_per_team(why, order, of_team)
    if selection.random_runs:
        _keep_first(why, np.argsort(drawn), selection.random_runs, "not drawn")
    if selection.top_runs:
        reason = f"not among the best {selection.top_runs} by {selection.best_by}"
        _keep_first(why, np.argsort(-score, kind="stable"), selection.top_runs, reason)
    kept = why == ""
    if not kept.any():
        raise ParamError("The selection leaves no run. Relax one of its rules.")
    columns = dict(zip(COLUMNS, (names, of_team, documents, missing, kept, why), strict=True))
    left = subset(narrowed, np.flatnonzero(kept), np.arange(len(topics)))
    return Selected(_decided(left, selection, team), columns)


def _leave_out(why: np.ndarray, which: np.ndarray, reason: str) -> None:
    """Note why runs are left out, unless another rule has left them out already."""
    why[which & (why == "")] = reason


def _draw_orders(selection: Selection, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Random orders of the runs: for one run per team, and for so many of all. Both are
    drawn if one is needed, so that one rule more does not change the other.
    """
    if selection.per_team == "all" and not selection.random_runs:
        return np.arange(runs), np.arange(runs)
    rng = np.random.default_rng(selection.draw)
    return rng.permutation(runs), rng.permutation(runs)


def _leave_out_short(
    why: np.ndarray, documents: np.ndarray, possible: int, selection: Selection
) -> None:
    """Leave out runs with too few of the possible documents. Raises `ParamError` if none
    has enough.
    """
    if not selection.least:
        return
    most = int(documents.max())
    whole = possible if selection.least_of == "possible" else most
    needed = ceil(fractions.Fraction(str(selection.least)) * whole / 100)  # exact: 57% of 100 is 57
    share = f"{selection.least:g}% of {WHOLE[selection.least_of]}"
    if most < needed:
        raise ParamError(
            f"least: no run retrieved {share} ({needed:,} documents), the most is {most:,}. Take a"
            " smaller share, or set least_of to most."
        )
    _leave_out(why, documents < needed, f"retrieved less than {share}")


def _scores_by(collection: Collection, best_by: str) -> np.ndarray:
    """Mean of each run by a measure, near ties as one. Raises `ParamError` if none has
    any.
    """
    # near ties as one, so that the best does not depend on the order of summing
    score = tied(evaluate(collection, [best_by]).means[0])
    if np.isnan(score).all():
        raise ParamError(
            f"best_by: no topic has a score by {best_by}, so no run is best. Pick a different"
            " measure."
        )
    return score


def _keep_one_per_team(why: np.ndarray, order: np.ndarray, team: Sequence[str]) -> None:
    """Keep the first run of each team in an order, of those not left out yet."""
    seen = set[str]()
    for run in order[why[order] == ""]:
        if team[run] in seen:
            why[run] = f"another run of {team[run]} was kept"
        seen.add(team[run])


def _decided(left: Collection, selection: Selection, team: Mapping[str, str] | None) -> Collection:
    """The rest of a collection, on the topics with a grade, with the rules recorded in
    `chosen`.
    """
    made, chosen = _with_grade(left, selection.has_grade), SelectedBy.of(selection, team)
    return replace(made, chosen=left.chosen + chosen) if chosen else made


def with_grade(collection: Collection, grade: int) -> Collection:
    """The collection with only the topics that have a document of this grade or higher;
    all topics if the grade is 0.

    Raises `ParamError` if there is no such topic.
    """
    left = _with_grade(collection, grade)
    if left is collection:
        return left
    *before, (rules, team) = collection.chosen or (SelectedBy(Selection()),)
    return replace(
        left,
        chosen=(*before, SelectedBy(replace(rules, has_grade=max(grade, rules.has_grade)), team)),
    )


def _with_grade(collection: Collection, grade: int) -> Collection:
    if not grade:
        return collection
    topics = np.unique(collection.topic[collection.grade >= grade])
    if not topics.size:
        raise ParamError(
            f"has_grade: expected a topic with a document of grade {grade} or higher, found none."
        )
    return subset(collection, np.arange(len(collection.runs)), topics)


def subset(collection: Collection, runs: np.ndarray, topics: np.ndarray) -> Collection:
    """The collection with only some runs [run] and topics [topic], both ascending
    indices, as if no others had been read.
    """
    T = len(collection.topics)
    if len(runs) == len(collection.runs) and len(topics) == T:
        return collection
    lists = (runs[:, None] * T + topics).ravel()
    held = np.diff(collection.start)[lists]
    start = np.concatenate([[0], np.cumsum(held)])
    # judgments of other topics go too, as if no others had been read
    judged = np.isin(collection.topic, topics)
    headers = _take(collection.headers, runs) if collection.headers else ()
    kept: dict[str, Any] = {
        "topics": _take(collection.topics, topics),
        "runs": _take(collection.runs, runs),
        "topic": np.searchsorted(topics, collection.topic[judged]).astype(np.int32),
        "grade": collection.grade[judged],
        "documents": collection.documents.filter(judged),
        "start": start,
        "length": collection.length[lists],
        "unknown": _take(collection.unknown, runs),
        "policy": collection.policy,
        "repeated": _take(collection.repeated, runs),
        "rejudged": collection.rejudged,
        "excluded": (collection.excluded[0], *_take(collection.excluded, runs + 1)),
        "digests": (collection.digests[0], *_take(collection.digests, runs + 1)),
        "headers": headers if any(headers) else (),
        "recognised": collection.recognised,
        "chosen": collection.chosen,
        "source": collection.source,
        "design": collection.design and collection.design.take(np.flatnonzero(judged)),
    }
    if isinstance(collection, Sharded):
        return Sharded(**kept, parts=collection.among(runs, topics, subset))
    entry = np.arange(start[-1]) + np.repeat(collection.start[lists] - start[:-1], held)
    number = np.cumsum(judged, dtype=np.int32) - 1
    outside = np.isin(collection.outside.list, lists)
    beyond = Outside(
        np.searchsorted(lists, collection.outside.list[outside]).astype(np.int32),
        collection.outside.rank[outside],
        collection.outside.documents.filter(outside),
    )
    panel = _panel_of(collection.panel, runs, kept["topics"] if len(topics) < T else None)
    return Collection(
        **kept,
        judgment_index=number[collection.judgment_index[entry]],
        rank=collection.rank[entry],
        outside=beyond,
        panel=panel,
    )


def _take(values: Sequence[Any], places: np.ndarray) -> tuple[Any, ...]:
    return tuple(values[place] for place in places.tolist())


def restrict_pool(collection: Collection, runs: Sequence[int]) -> Collection:
    """The collection with only some runs and the judgments of documents that these
    retrieved.
    """
    some = subset(collection, np.array(runs), np.arange(len(collection.topics)))
    seen = np.zeros(some.grade.size, bool)
    seen[some.judgment_index] = True
    # judgments are numbered anew without those that are gone
    number = np.cumsum(seen, dtype=some.judgment_index.dtype) - 1
    documents = some.documents.filter(seen)
    design = some.design and some.design.take(np.flatnonzero(seen))
    return replace(
        some,
        topic=some.topic[seen],
        grade=some.grade[seen],
        documents=documents,
        judgment_index=number[some.judgment_index],
        design=design,
    )


def _panel_of(panel: Panel | None, runs: np.ndarray, topics: Sequence[str] | None) -> Panel | None:
    """The panel with only some runs and topics; None for all topics of any judge."""
    if panel is None:
        return None
    judges = panel.judges if topics is None else panel.judges.within(topics)
    place = dict(zip(panel.union.topics, count()))
    of_judges = np.array(pick(place, judges.topics), np.int64)
    return panel._replace(judges=judges, union=subset(panel.union, runs, of_judges))


def select_by_name(
    collection: Collection, runs: Sequence[str], topics: Sequence[str]
) -> Collection:
    """The collection with only these runs and topics, in the order of the collection,
    as if no others had been read.

    Raises `ParamError` for unknown ones.
    """
    chosen_runs = _places_of("run", runs, collection.runs)
    return subset(collection, chosen_runs, _places_of("topic", topics, collection.topics))


def _places_of(kind: str, wanted: Sequence[str], held: Sequence[str]) -> np.ndarray:
    """Indices of names, ascending. Raises `ParamError` for unknown ones."""
    chosen = set(wanted)
    lacking = sorted(chosen.difference(held))
    if lacking:
        came = f"{count_noun(len(lacking), 'other')}: {list_few(lacking)}"
        raise ParamError(f"{kind}s: expected {kind}s of the collection, found {came}.")
    return np.array([i for i, name in enumerate(held) if name in chosen], np.int64)


def parse_names(text: str, runs: Sequence[str], name: str = "runs_only") -> list[str]:
    """Names of runs in a text like `Selection.runs_only`. Raises `ParamError`, starting
    with `name`, for an unknown run.
    """
    rows = csv.reader([text], skipinitialspace=True, strict=True)
    try:
        chosen = [*filter(None, map(str.strip, next(rows, [])))]
    except csv.Error:
        expected = "names separated by commas"
        raise ParamError(f"{name}: expected {expected}, found {shorten(text)}.") from None
    known = dict.fromkeys(runs)
    for run in chosen:
        check_known(run, known, f"{name}: there is no run", ParamError)
    return chosen


def parse_pair(text: str, runs: Sequence[str]) -> tuple[int, int]:
    """Indices of the two runs in a text like `Selection.runs_only`. Raises `ParamError`
    unless it has two.
    """
    named = [*dict.fromkeys(parse_names(text, runs, "pair"))]
    if len(named) != 2:
        raise ParamError(f"pair: expected two runs, found {len(named)}.")
    return runs.index(named[0]), runs.index(named[1])


def parse_baselines(baseline: str, runs: Sequence[str]) -> tuple[str, ...]:
    """Baselines in a text: one run, or several separated by commas, each only once.
    Raises `UnknownName` for an unknown run.
    """
    # names of runs may have commas
    if baseline in runs:
        return (baseline,)
    names = tuple(dict.fromkeys(map(str.strip, baseline.split(","))))
    for name in names:
        check_known(name, runs, "unknown run")
    return names


def names_text(runs: Iterable[str]) -> str:
    """Text that `parse_names` reads as these names."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(runs)
    return text.getvalue()


def _keep_first(why: np.ndarray, order: np.ndarray, n: int, reason: str) -> None:
    """Keep the first n runs in an order, of those not left out yet."""
    left = [run for run in order if why[run] == ""]
    why[left[n:]] = reason


def parse_topics(topics: Sequence[str], text: str) -> list[str]:
    """Topics in a text in the form of `Selection.topics_only`. Raises `ParamError` for
    an unknown topic.
    """
    return [topics[t] for t in _topics(topics, text)]


def _topics(named: Sequence[str], text: str) -> np.ndarray:
    """Indices of the topics in a text; all topics for an empty text."""
    place = place_of_each(named)
    keys = zip(map(number_key, named), range(len(named)), strict=True)
    numbered = sorted((number, i) for number, i in keys if number)
    chosen = np.zeros(len(named), bool)
    for part in dict.fromkeys(text.replace(",", " ").split()):
        chosen[_topics_in(part, place, numbered)] = True
    return np.flatnonzero(chosen if chosen.any() else ~chosen)


def _topics_in(
    part: str, place: Mapping[str, int], numbered: Sequence[tuple[tuple[int, str], int]]
) -> list[int]:
    """Indices of the topics that a part of a text names. `numbered` are those whose names
    are numbers, in their order. Raises `ParamError` if there are none.
    """
    if part in place:
        return [place[part]]
    first, _, last = part.partition("-")
    low, high = number_key(first), number_key(last)
    if not (low and high):
        expected = f"judged topics such as {next(iter(place))[:MAX_QUOTED]}"
        raise ParamError(f"topics: expected {expected}, found {shorten(part)}.")
    begin = bisect_left(numbered, low, key=itemgetter(0))
    end = bisect_right(numbered, high, key=itemgetter(0))
    if begin >= end:
        expected = "a range with judged topics in it"
        raise ParamError(f"topics: expected {expected}, found {shorten(part)}.")
    return [i for _, i in numbered[begin:end]]
