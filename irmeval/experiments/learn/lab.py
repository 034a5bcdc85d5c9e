"""One small ranked list by every measure: the contribution of each rank, and the effect
of each of two swaps.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import filterfalse
from typing import Any, TypeVar

import numpy as np

from irmeval.collection.build import from_lists
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_all, shorten, verb
from irmeval.experiments.base import MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Frame, Result, Table, rowwise, table
from irmeval.metrics import Measure, distinct, measure
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate

T = TypeVar("T")
LONGEST = 30
"""Maximum number of documents in a list, so that it fits on a screen."""
KINDS = {
    "3": "relevant, grade 3",
    "2": "relevant, grade 2",
    "1": "relevant, grade 1",
    "0": "judged nonrelevant",
    "u": "unjudged, in the pool",
    "x": "outside the pool",
}
"""Kinds of documents by their letter in the text of a list."""
SAME = 1e-12
"""Scores closer than this are equal, since the order of additions may differ."""
WRITTEN = (
    "Documents from rank 1 on, separated by hyphens: a grade 0 to 3, u = unjudged but in the pool,"
    " x = outside the pool."
)


@checked
class Params:
    """A ranked list, other judged documents, and two pairs of documents to swap, each
    in the original list.
    """

    list: str = param("list", WRITTEN, default="0-3-x-1-0-x-2-0")
    rest: str = param(
        "not retrieved",
        "Documents of the pool that are not in the list, written in the same way.",
        default="1",
    )
    a: int = param(
        "swap rank",
        "One of the two ranks whose documents are swapped.",
        low=1,
        high=LONGEST,
        default=1,
    )
    b: int = param(
        "with rank",
        "The other rank; past the end of the list nothing is swapped.",
        low=1,
        high=LONGEST,
        default=2,
    )
    c: int = param(
        "or rank",
        "One of the two ranks of a second swap, to compare with the first.",
        low=1,
        high=LONGEST,
        default=7,
    )
    d: int = param(
        "with rank",
        "Its other rank; past the end of the list nothing is swapped.",
        low=1,
        high=LONGEST,
        default=8,
    )

    def __post_init__(self) -> None:
        if not _pooled((*parse(self.list), *parse(self.rest))):
            raise ParamError(
                "list: expected at least one document of the pool, in the list or not retrieved."
            )

    @property
    def swaps(self) -> dict[str, tuple[int, int]]:
        """Ranks of each swap by name, the higher one first."""
        return {
            "swap 1": (min(self.a, self.b), max(self.a, self.b)),
            "swap 2": (min(self.c, self.d), max(self.c, self.d)),
        }


def parse(text: str) -> tuple[str, ...]:
    """Parse the documents of a list from text.

    Raises `ParamError` for a document that is none of `KINDS`, and for more than
    `LONGEST`.
    """
    # a hyphen alone is the empty list, as `written` spells it
    documents = tuple(filter(None, text.strip().split("-")))
    bad = [*filterfalse(KINDS.__contains__, documents)]
    if bad:
        raise ParamError(
            f"list: expected {', '.join(KINDS)} separated by hyphens, found {shorten(bad[0])}."
        )
    if len(documents) > LONGEST:
        raise ParamError(f"list: expected at most {LONGEST} documents, found {len(documents)}.")
    return documents


def written(documents: Sequence[str]) -> str:
    """Text of documents that `parse` reads; a hyphen for none."""
    return "-".join(documents) or "-"


class Lab(Result):
    """Scores of a list, of the list with two documents swapped, and of the list cut
    after each rank.
    """

    scores: Scores
    """of the runs "list", "swap 1", "swap 2", and "cut 0" to "cut L"; by raw measures,
    each followed by its prime where it has one
    """
    measures: tuple[Measure, ...]
    """without primes"""
    documents: tuple[str, ...]
    """documents of the list, as in `KINDS`"""
    rest: tuple[str, ...]
    """documents of the pool that are not in the list"""
    params: Params

    @cached_property
    def values(self) -> dict[str, np.ndarray]:
        """Measure -> scores [run]."""
        return dict(zip(self.scores.measures, self.scores.values[..., 0], strict=True))

    def score(self, measure: Measure, run: str = "list") -> tuple[float, float | None]:
        """Raw and condensed score; None if the measure has no condensed form."""
        r = self.scores.runs.index(run)
        raw, condensed = float(self.values[measure][r]), self.values.get(f"{measure}'")
        if condensed is None:
            return raw, None
        return raw, float(condensed[r])

    def frame(self) -> Frame:
        """One row per measure: raw, condensed, and both after either swap."""
        rows = [
            (m, *self.score(m), *self.score(m, "swap 1"), *self.score(m, "swap 2"))
            for m in self.measures
        ]
        after = ("raw_swap_1", "condensed_swap_1", "raw_swap_2", "condensed_swap_2")
        return rowwise(("measure", "raw", "condensed", *after), rows)

    def change(self, measure: Measure, swap: str) -> float:
        """Change of the raw score by a swap."""
        return self.score(measure, swap)[0] - self.score(measure)[0]

    def moves(self, swap: str = "swap 1") -> dict[str, list[str]]:
        """Measures that a swap raises ("up"), lowers ("down") or does not change
        ("same"), by the raw score.
        """
        moved: dict[str, list[str]] = {"up": [], "down": [], "same": []}
        for m in self.measures:
            change = self.change(m, swap)
            if np.isfinite(change):
                moved[_direction(change)].append(m)
        return moved

    def facts(self, choice: str = "") -> list[Fact]:
        """The raw and the condensed score of each measure."""
        found = []
        for m in self.measures:
            raw, condensed = self.score(m)
            found.append(Fact("score", str(m), "", raw))
            if condensed is not None:
                found.append(Fact("score", f"{m}'", "", condensed))
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        R = count_relevant(self.documents + self.rest)
        if not R:
            return Verdict(
                "No document is relevant, so there is no score. Change a document to 1, 2 or 3."
            )
        unjudged = _count("ux", self.documents)
        retrieved = count_noun(len(self.documents), "document")
        found = f"{count_relevant(self.documents)} of {R} relevant"
        start = f"{retrieved} retrieved: {found}, {unjudged or 'none'} unjudged."
        most = self._largest_gap()
        if not unjudged or most is None:
            return Verdict(start)
        names, gap = most
        if abs(gap) < SAME:
            return Verdict("Raw and condensed scores are the same.", start)
        documents = count_noun(unjudged, "unjudged document")
        who, by = f"{names[0]} changes", f"{gap:+.4f}"
        if len(names) > 1:
            who, by = f"{list_all(names)} change", f"{abs(gap):.4f}"
        return Verdict(f"Without the {documents}, {who} most: by {by}.", start)

    def _largest_gap(self) -> tuple[list[str], float] | None:
        """The measures whose condensed scores are farthest from their raw ones, as they are
        written, and by how much; None without condensed scores.
        """
        gaps = {}
        for m in self.measures:
            raw, condensed = self.score(m)
            if condensed is not None:
                gaps[str(m)] = condensed - raw
        if not gaps:
            return None
        most = max(gaps.values(), key=abs)
        names = [name for name, gap in gaps.items() if f"{abs(gap):.4f}" == f"{abs(most):.4f}"]
        return names, most

    def describe_swaps(self) -> str:
        """What the scores after the two swaps do not show at a glance: the measures that
        both change by the same amount; or what to pick where no swap is possible.
        """
        last = len(self.documents)
        possible = [a < b <= last for a, b in self.params.swaps.values()]
        if not any(possible):
            return f"Pick two different ranks down to {last}."
        if not all(possible):
            return ""
        # measures that neither swap changes would trivially agree on both
        moved = [m for m in self.measures if abs(self.change(m, "swap 1")) >= SAME]
        alike = [
            m for m in moved if abs(self.change(m, "swap 1") - self.change(m, "swap 2")) < SAME
        ]
        if not alike:
            return ""
        change = verb(len(alike), "changes", "change")
        return f"{list_all(alike)} {change} by the same amount in both swaps."

    def tables(self) -> list[Table]:
        steps = [
            Table(f"steps-{m}", f"{m} step by step", partial(self.steps, m)) for m in self.measures
        ]
        return [Table("scores", "Scores", self.frame), *steps]

    def steps(self, measure: Measure) -> Frame:
        """One row per rank: the steps to the score, as computed by hand. Names with a
        prime refer to the condensed list.

        ``adds`` is the score of the list cut here minus that of the list cut one rank
        higher, so the column sums to the score.
        """
        beta = measure.params.get("beta", 1.0)
        gain_of = partial(_gain, rel=measure.params["rel"])
        gain = np.array([*map(gain_of, self.documents)])
        judged = np.array([d not in "ux" for d in self.documents], bool)
        ideal = np.sort([*map(gain_of, self.documents + self.rest)])[::-1].cumsum()
        relevant = gain > 0
        count, cg = relevant.cumsum(), gain.cumsum()
        above = [gain[:r][judged[:r]] for r in range(gain.size)]
        penalty = [
            np.maximum(1 - higher / own, 0).sum() if own else np.nan
            for own, higher in zip(gain, above, strict=True)
        ]

        def at(rank: np.ndarray) -> dict[str, np.ndarray]:
            # past its last document the ideal list gains no more
            cg_ideal = ideal[np.minimum(rank.astype(int), ideal.size) - 1]
            return {
                "cgI": cg_ideal,
                "P": count / rank,
                "BR": (beta * cg + count) / (beta * cg_ideal + rank),
            }

        rank = np.arange(1, gain.size + 1)
        columns: dict[str, Any] = {
            "rank": rank,
            "document": pick(KINDS, self.documents),
            "gain": gain,
            "count": count,
            "cg": cg,
            **at(rank),
            "adds": self._adds(measure),
        }
        # above the first judged document the condensed rank is 0; its cells are emptied below
        below = np.maximum(judged.cumsum(), 1)
        condensed: dict[str, Any] = {
            "rank": judged.cumsum().astype(float),
            **at(below),
            "penalty": penalty,
        }
        if f"{measure}'" in self.values:
            condensed["adds"] = self._adds(f"{measure}'")
        columns |= {
            f"{name}'": np.where(judged, values, np.nan) for name, values in condensed.items()
        }
        return table(columns)

    def _adds(self, name: str) -> np.ndarray:
        # the cuts are the last runs, in the order of their ranks
        return np.diff(self.values[name][self.scores.runs.index("cut 0") :])

    def start(self, measure: Measure) -> float:
        """Score before any document: 0, except for measures of the remaining
        uncertainty.
        """
        return self.score(measure, "cut 0")[0]


def count_relevant(documents: Sequence[str]) -> int:
    """How many documents are relevant, by their letters."""
    return _count("123", documents)


def _count(kinds: str, documents: Sequence[str]) -> int:
    """How many documents are of these kinds, by their letters."""
    return sum(document in kinds for document in documents)


def _direction(change: float) -> str:
    if abs(change) < SAME:
        return "same"
    if change > 0:
        return "up"
    return "down"


def _gain(document: str, rel: int) -> float:
    if document in "0123" and int(document) >= rel:
        return float(document)
    return 0.0


@experiment(
    "lab",
    title="Metric lab",
    question="How does a measure score a list, rank by rank?",
    does="score one list by every measure, rank by rank",
    formula=r"s(k) - s(k - 1)",
    source=(
        "Ahlgren & Grönqvist 2008, Appendix, Propositions 1-3; Sakai 2007 (alternatives to bpref);"
        " Sakai & Kando 2008, Section 3"
    ),
    takes=(MEASURES,),
)
def lab(work: Work[Params]) -> Lab:
    """Scores one ranked list of one topic by every measure, raw and condensed, as it is
    and after each of two swaps. Scores of the list cut after each rank show the
    contribution of each document. The topic is the whole collection: H and the top
    grade are its own.

    A prime counts as the measure without it: both forms are scored anyway.
    """
    params, measures = work.params, distinct(m.raw for m in work.measures)
    documents, rest = parse(params.list), _pooled(parse(params.rest))
    retrieved = _pooled(documents)
    ranking = _judgments_of(documents)
    runs = {"list": [ranking]}
    for swap, ranks in params.swaps.items():
        runs[swap] = [swap_ranks(ranking, *ranks)]
    # an empty list too: measures of the remaining uncertainty do not begin at 0
    for rank in range(len(ranking) + 1):
        runs[f"cut {rank}"] = [ranking[:rank]]
    collection = from_lists([[*map(_grade, (*retrieved, *rest))]], runs)
    return Lab(evaluate(collection, _with_primes(measures)), measures, documents, rest, params)


def _pooled(documents: Sequence[str]) -> tuple[str, ...]:
    """The documents of the pool among these."""
    return tuple(document for document in documents if document != "x")


def _grade(document: str) -> int:
    """Grade of a document of the pool, -1 for an unjudged one."""
    if document == "u":
        return -1
    return int(document)


def _judgments_of(documents: Sequence[str]) -> list[int]:
    """Index of the judgment of each document of the list, -1 outside the pool."""
    ranking, pooled = [], 0
    for document in documents:
        outside = document == "x"
        ranking.append(-1 if outside else pooled)
        pooled += not outside
    return ranking


def _with_primes(measures: Sequence[Measure]) -> list[Measure]:
    """Each measure, followed by its prime if it has one."""
    both = []
    for raw in measures:
        both.append(raw)
        if raw.metric.primed:
            both.append(measure(f"{raw}'"))
    return both


def swap_ranks(ranking: Sequence[T], a: int, b: int) -> list[T]:
    """A ranking with the documents at two ranks exchanged; unchanged if it is
    shorter.
    """
    order = list(ranking)
    if max(a, b) <= len(order):
        order[a - 1], order[b - 1] = order[b - 1], order[a - 1]
    return order
