"""Similarity of a reproduced run and its original: lists, scores by topic, and effect
over a baseline.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core.errors import ParamError
from irmeval.core.numbers import score
from irmeval.core.params import checked, param
from irmeval.core.places import pick, place_of_choice, place_of_each
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_all, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import Needs
from irmeval.experiments.results import (
    Chart,
    Choice,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    rowwise,
    table,
    tidy,
)
from irmeval.experiments.settings import TEST, Alpha, Samples, Seed, Test, Testing, settings_of_test
from irmeval.metrics import Measure
from irmeval.plots.axes import square
from irmeval.plots.points import points, strips
from irmeval.reading.ir_metadata import (
    SECTIONS,
    Value,
    header_entries,
    read_headers,
    reproduced_tags,
)
from irmeval.scoring.scores import evaluate
from irmeval.scoring.sign_probability import rank_documents
from irmeval.stats.list_similarity import rbo_of_lists, tau_union
from irmeval.stats.means import mean_of_known

NAMED = 5
"""Maximum number of topics labelled in a figure."""
ALIKE = ("tau union", "RBO")


@checked
class Params(Testing):
    """Original and reproduced runs, and settings of the comparison of lists."""

    original: str = param(
        "original",
        "The original run; empty: the one given in an ir_metadata header, else the best run.",
        empty="best",
        default="",
    )
    reproduced: str = param(
        "reproduced",
        "The run that reproduces it; empty: the one whose header states it, else the one with the"
        " nearest scores by topic.",
        empty="nearest",
        default="",
    )
    original_baseline: str = param(
        "original baseline",
        "The run that the original should improve on; for the effect ratio.",
        empty="none",
        default="",
    )
    reproduced_baseline: str = param(
        "reproduced baseline", "The run that reproduces the baseline.", empty="none", default=""
    )
    down_to: int = param(
        "ranks",
        "Lists are compared down to this rank.",
        low=1,
        # further down, documents outside the pool are not kept
        high=NEAR,
        template="down to rank {}",
        default=NEAR,
    )
    persistence: float = param(
        "p of RBO",
        "A higher p gives more weight to lower ranks: 0.95 in repro_eval, 0.8 in its first"
        " versions.",
        low=0.01,
        high=0.999,
        template="RBO with p = {}",
        default=0.95,
    )
    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    seed: Seed = 1

    def __post_init__(self) -> None:
        if bool(self.original_baseline) != bool(self.reproduced_baseline):
            raise ParamError(
                "original_baseline: expected an original and a reproduced baseline, or neither,"
                " found one of them."
            )
        for name, first, second in (
            ("reproduced", self.original, self.reproduced),
            ("original_baseline", self.original, self.original_baseline),
            ("reproduced_baseline", self.original_baseline, self.reproduced_baseline),
            ("reproduced_baseline", self.reproduced, self.reproduced_baseline),
        ):
            if first and first == second:
                raise ParamError(f"{name}: expected a run other than {first}, found the same.")


class ListSimilarity(NamedTuple):
    """How similar the lists of two runs are."""

    tau: np.ndarray
    """float64 [topic], Kendall's tau of the union; NaN if a list has fewer than two
    documents
    """
    rbo: np.ndarray
    """float64 [topic], rank-biased overlap; NaN if both lists are empty"""


class Reproduction(Result):
    """A reproduced run and its original, and their baselines if given."""

    looked_at = "difference"

    scores: np.ndarray
    """float64 [measure, run, topic]"""
    lists: tuple[ListSimilarity, ...]
    """for each pair of an original and its reproduction"""
    runs: tuple[str, ...]
    """the original, its reproduction; then the baseline, and its reproduction"""
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    params: Params
    headers: tuple[dict[str, Value], ...] = ()
    """provenance of the original and its reproduction, by their ir_metadata headers;
    empty unless both have one
    """

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each original with its reproduction."""
        return list(zip(self.runs[::2], self.runs[1::2], strict=True))

    @cached_property
    def means(self) -> np.ndarray:
        """Average retrieval performance, the mean over topics with a score [measure,
        run].
        """
        return mean_of_known(self.scores)

    @cached_property
    def differences(self) -> np.ndarray:
        """Scores of the originals minus those of their reproductions [measure, pair,
        topic].
        """
        return self.scores[:, ::2] - self.scores[:, 1::2]

    @cached_property
    def rmse(self) -> np.ndarray:
        """Root mean square error of the scores of each reproduction over topics
        [measure, pair].
        """
        return np.sqrt(mean_of_known(self.differences**2))

    @cached_property
    def p(self) -> np.ndarray:
        """p of each original and its reproduction, the pair alone [measure, pair]: 1 if
        all topics have the same scores, NaN if fewer than two have some.
        """
        pairs = range(0, len(self.runs), 2)
        return np.array(
            # alone: a reproduction is compared with its original whatever the scores are
            [[float(self.params.p_alone(of[i : i + 2])[0]) for i in pairs] for of in self.scores]
        )

    @property
    def has_effect(self) -> bool:
        """Whether baselines are named."""
        return len(self.runs) > 2

    @cached_property
    def effect_ratio(self) -> np.ndarray:
        """Mean improvement over the baseline in the reproduction, divided by that in
        the original [measure]: 1 for an equal effect, 0 for none, below 0 for the
        opposite. NaN if the original has no effect.
        """
        original, reproduced = (
            mean_of_known(self.scores[:, i] - self.scores[:, i + 2]) for i in (0, 1)
        )
        return np.divide(
            reproduced, original, out=np.full_like(original, np.nan), where=original != 0
        )

    @cached_property
    def delta_ri(self) -> np.ndarray:
        """Relative improvement over the baseline in the original, minus that in the
        reproduction [measure]. NaN if a baseline scores 0.
        """
        improved, over = self.means[:, :2] - self.means[:, 2:], self.means[:, 2:]
        relative = np.divide(improved, over, out=np.full_like(over, np.nan), where=over != 0)
        return relative[:, 0] - relative[:, 1]

    def frame(self) -> Frame:
        """One row per measure and pair: the two runs, their means and the difference,
        RMSE over topics, p of the pair alone, mean tau union and RBO of their lists;
        with baselines, effect ratio and delta relative improvement in the rows of the
        original.
        """
        original, reproduced = np.array(self.pairs, dtype=object).T
        columns = {
            "original": original,
            "reproduced": reproduced,
            "mean_original": self.means[:, ::2],
            "mean_reproduced": self.means[:, 1::2],
            "difference": self.means[:, ::2] - self.means[:, 1::2],
            "rmse": self.rmse,
            "p_value": self.p,
            "tau_union": np.array([mean_of_known(lists.tau) for lists in self.lists]),
            "rbo": np.array([mean_of_known(lists.rbo) for lists in self.lists]),
        }
        if self.has_effect:
            of_baselines = np.full(len(self.measures), np.nan)
            columns["effect_ratio"] = np.column_stack([self.effect_ratio, of_baselines])
            columns["delta_ri"] = np.column_stack([self.delta_ri, of_baselines])
        return tidy({"measure": self.measures, "pair": range(len(self.pairs))}, columns).drop(
            columns="pair"
        )

    def of_topics(self) -> Frame:
        """One row per topic: tau union and RBO of the lists of the original and its
        reproduction, and the difference by each measure.
        """
        columns = {"topic": self.topics, **dict(zip(ALIKE, self.lists[0], strict=True))}
        return table(
            columns
            | {
                f"difference {m}": row
                for m, row in zip(self.measures, self.differences[:, 0], strict=True)
            }
        )

    def of_headers(self) -> Frame:
        """One row per entry of either header: section, entry, the texts of the original
        and of its reproduction, whether they are equal.
        """
        original, reproduced = map(_texts_by_entry, self.headers)
        rows = []
        for section, entry in dict.fromkeys([*original, *reproduced]):
            one, other = (found.get((section, entry), "") for found in (original, reproduced))
            rows.append((section, entry, one, other, one == other))
        return rowwise(("section", "entry", *self.pairs[0], "same"), rows)

    def _differing_components(self) -> str:
        """A sentence on the components of PRIMAD that differ by the headers, which are
        capital letters in ``priMad``; empty without headers.
        """
        if not self.headers:
            return ""
        original, reproduced = self.headers
        differ = [name for name in SECTIONS if original.get(name) != reproduced.get(name)]
        initials = {name: name[0] for name in SECTIONS} | {name: name[0].upper() for name in differ}
        letters = "".join(initials.values())
        which = list_all(differ or ["nothing"])
        does = verb(max(len(differ), 1), "differs", "differ")
        return f"By their headers, {which} {does} ({letters})."

    def choice(self) -> Choice:
        return Choice("measure", tuple(map(str, self.measures)), "Measure whose topics are shown.")

    def facts(self, choice: str = "") -> list[Fact]:
        """Means, RMSE and p of the original and its reproduction, and how similar their
        lists are.
        """
        m, name = self._measure(choice)
        original, reproduced = self.pairs[0]
        tau, rbo = (float(mean_of_known(values)) for values in self.lists[0])
        return [
            Fact("mean", name, original, float(self.means[m, 0])),
            Fact("mean", name, reproduced, float(self.means[m, 1])),
            Fact("RMSE", name, f"{original}, {reproduced}", float(self.rmse[m, 0])),
            Fact("p", name, f"{original}, {reproduced}", float(self.p[m, 0]), reading="alone"),
            Fact("tau union", "", f"{original}, {reproduced}", tau),
            Fact("RBO", "", f"{original}, {reproduced}", rbo),
        ]

    def _measure(self, choice: str) -> tuple[int, str]:
        """Index and name of the measure chosen, by default the first."""
        names = [*map(str, self.measures)]
        m = place_of_choice(choice, names)
        return m, names[m]

    def verdict(self, choice: str = "") -> Verdict:
        """Yes or no, by a measure; a test that finds no difference does not show that
        there is none.
        """
        m, name = self._measure(choice)
        original, reproduced = self.pairs[0]
        beside = self._describe_effect(m), self._differing_components()
        below = f"{reproduced} against {original}. {self._describe_lists(m, name)}"
        return Verdict(self._claim(m, name), " ".join(filter(None, beside)), below)

    def _claim(self, m: int, name: str) -> str:
        z, p = self.differences[m, 0], float(self.p[m, 0])
        topics = int(np.isfinite(z).sum())
        if not topics:
            return f"Neither run has a score by {name} on any topic."
        if not np.nan_to_num(z).any():
            return f"Yes: both have the same {name} on {count_noun(topics, 'topic')}."
        original, reproduced = map(score, self.means[m, :2])
        means = f"mean {name} is {reproduced} instead of {original}"
        if topics < 2:
            return f"One topic is too few to say: {means}."
        told = f"{means} ({self.params.say_p(p)})"
        if p < self.params.alpha:
            return f"No: {told}."
        return f"Yes, as far as {topics} topics show: {told}."

    def _describe_lists(self, m: int, name: str) -> str:
        tau, rbo = map(mean_in_words, self.lists[0])
        lists = (
            f"Down to rank {self.params.down_to}, tau union of the lists is {tau} and RBO {rbo}."
        )
        if np.isnan(self.rmse[m, 0]):
            return lists
        return f"RMSE of {name} over topics is {self.rmse[m, 0]:.4f}. {lists}"

    def _describe_effect(self, m: int) -> str:
        """A sentence on the effect over the baseline; empty without baselines."""
        if not self.has_effect:
            return ""
        ratio, less = self.effect_ratio[m], self.delta_ri[m]
        if np.isnan(ratio + less):
            return (
                f"The original does not improve on {self.runs[2]}, or a baseline scores 0: there is"
                " no effect to compare."
            )
        return (
            f"The improvement on the baseline is {ratio:.2f} times the original one (effect"
            f" ratio; delta RI {less:+.3f})."
        )

    def _chart_of_scores(self, m: int, name: str) -> Chart:
        """The scores of the original and of its reproduction on each topic, by one
        measure.
        """
        known = np.flatnonzero(np.isfinite(self.differences[m, 0]))
        original, reproduced = self.pairs[0]
        apart = np.abs(self.differences[m, 0, known])
        far = [int(i) for i in np.argsort(-apart, kind="stable")[:NAMED] if apart[i]]
        return Chart(
            "scores",
            f"Topics by {name}",
            "A dot is a topic; on the dotted line both runs score the same. Labelled: topics far"
            " from it.",
            lambda: square(
                points(
                    pick(self.topics, known),
                    self.scores[m, 0, known],
                    self.scores[m, 1, known],
                    (f"{name}, {original}", f"{name}, {reproduced}"),
                    far,
                    identity=True,
                )
            ),
        )

    def next_steps(self) -> list[NextStep]:
        original, reproduced = self.pairs[0]
        pair = {"run_a": original, "run_b": reproduced, **settings_of_test(self.params)}
        return [
            NextStep("On which topics do they differ?", "two-runs", pair),
            NextStep("Is the reproduced run sound?", "check", {"candidate": reproduced}),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        lists = Chart(
            "lists",
            "Lists",
            "Similarity of the two lists of each topic; diamond: the mean. Tau union depends on the"
            " order, RBO on common documents, mostly at the top.",
            self._lists,
        )
        drawn = [self._chart_of_scores(*self._measure(choice))._replace(beside=True), lists]
        if not self.has_effect:
            return drawn
        effects = Chart(
            "effects",
            "Effects",
            "Improvement on the baseline by each measure, with a perfect reproduction for"
            " comparison. Points to its left have a smaller reproduced effect; points below, a"
            " larger relative improvement.",
            self._effects,
        )
        return [*drawn, effects]

    def _effects(self) -> Figure:
        known = np.flatnonzero(np.isfinite(self.effect_ratio + self.delta_ri))
        names = [*(str(self.measures[m]) for m in known), "perfect"]
        x, y = np.append(self.effect_ratio[known], 1.0), np.append(self.delta_ri[known], 0.0)
        return points(names, x, y, ("effect ratio", "delta RI"), range(len(names)))

    def _lists(self) -> Figure:
        return strips(
            ALIKE,
            np.stack(self.lists[0]),
            [f"topic {t}" for t in self.topics],
            "strip",
            xtitle="",
            ytitle="agreement",
        )

    def tables(self) -> list[Table]:
        made = [Table("headers", "Provenance of both", self.of_headers)] if self.headers else []
        return [
            Table("measures", "Measures", self.frame),
            Table("topics", "Topics", self.of_topics),
            *made,
        ]


def _texts_by_entry(header: dict[str, Value]) -> dict[tuple[str, str], str]:
    """Texts of a header by section and entry."""
    return {(section, entry): text for section, entry, text in header_entries(header)}


def mean_in_words(values: np.ndarray) -> str:
    """Text of the mean over topics to three digits, with the number of topics if some
    have no value; in words if none has.
    """
    known = int(np.isfinite(values).sum())
    over = f" (on {count_noun(known, 'topic')})" if known < values.size else ""
    if known:
        return f"{float(mean_of_known(values)):.3f}{over}"
    return "undefined"


def claims_of(collection: Collection) -> list[tuple[str, str]]:
    """Pairs of an original and its reproduction in the collection, by the headers of
    the runs.
    """
    found = read_headers(collection.runs, collection.headers)
    claims = [
        (original, run)
        for run, said in found.items()
        if isinstance(said, dict)
        for original in reproduced_tags(said)
    ]
    return [
        (original, run)
        for original, run in claims
        if original in collection.runs and original != run
    ]


def choose_roles(
    params: Params, names: Sequence[str], values: np.ndarray, claims: Sequence[tuple[str, str]] = ()
) -> list[int]:
    """Indices of the runs. Empty names are filled from headers, else by scores [run,
    topic] of the first measure.

    Raises `UnknownName` for an unknown run, `ParamError` if no run is left to be the
    reproduction.
    """
    given = (
        params.original,
        params.reproduced,
        params.original_baseline,
        params.reproduced_baseline,
    )
    for name in filter(None, given):
        check_known(name, names, "unknown run")
    # what a run says of itself in its header goes before a guess by scores
    fitting = (claim for claim in claims if _fits(claim, given[:2], baselines=given[2:]))
    given = (*next(fitting, given[:2]), *given[2:])
    place = place_of_each(names)
    taken = set(pick(place, filter(None, given)))
    free = [i for i in range(len(names)) if i not in taken]
    if len(free) < given[:2].count(""):
        raise ParamError(
            f"reproduced: expected a run beside {', '.join(filter(None, given)) or 'the original'},"
            f" found {count_noun(len(names), 'run')}."
        )
    means = np.nan_to_num(mean_of_known(values))
    original = place[given[0]] if given[0] else max(free, key=lambda i: means[i])
    # the run whose scores are nearest on each topic: means may agree by chance
    apart = np.nan_to_num(mean_of_known((values - values[original]) ** 2), nan=np.inf)
    others = [i for i in free if i != original]
    reproduced = place[given[1]] if given[1] else min(others, key=lambda i: apart[i])
    return [original, reproduced, *(place[name] for name in given[2:] if name)]


def _fits(claim: tuple[str, str], asked: Sequence[str], baselines: Sequence[str]) -> bool:
    """Whether a pair of original and reproduction is one that is asked for, where an
    empty name asks for any, and none of the two is a baseline.
    """
    if not {*claim}.isdisjoint(baselines):
        return False
    return all(name in ("", run) for name, run in zip(asked, claim, strict=True))


def compare_lists(
    ranks: np.ndarray, topic: np.ndarray, topics: int, params: Params
) -> ListSimilarity:
    """Similarity of two lists on each topic, from the ranks [2, document] of documents
    sorted by topic.
    """
    near = np.where(ranks <= params.down_to, ranks, 0)
    ends = np.searchsorted(topic, np.arange(topics + 1))
    parts = [near[:, start:end] for start, end in pairwise(ends)]
    return ListSimilarity(
        # not by ids, as repro_eval 0.5.0 numbers documents: tau of one perturbed run was .02 there
        # and is .56
        np.array([tau_union(*part) for part in parts]),
        np.array([rbo_of_lists(*part, p=params.persistence) for part in parts]),
    )


@experiment(
    "reproduction",
    title="Reproduction",
    question="Has a run been reproduced?",
    does="compare reproduced runs with their originals",
    formula=(
        r"ER = \frac{mean(\Delta')}{mean(\Delta)}, \quad RMSE = \sqrt{\frac{1}{n} \sum_t (s_t -"
        r" s'_t)^2}"
    ),
    source=(
        "Breuer, Ferro, Fuhr, Maistro, Sakai, Schaer & Soboroff 2020; RBO: Clarke, Vtyurina &"
        " Smucker 2021"
    ),
    takes=(COLLECTION, LISTS, MEASURES),
    needs=Needs(runs=2),
)
def reproduction(work: Work[Params]) -> Reproduction:
    """Compares a reproduced run with its original at three levels: the order of
    documents (Kendall's tau of the union of both lists, and rank-biased overlap),
    scores (root mean square error over topics, means, and p of the paired t test), and
    the effect over a baseline, if one is given with its reproduction (effect ratio;
    delta relative improvement). A large p does not show that two runs are the same: p
    is small only if topics differ in the same direction.

    Raises `UnknownName` for an unknown run, and `ParamError` if there are too few runs.
    """
    collection, params = work.collection, work.params
    values = evaluate(collection, work.measures).values
    runs = choose_roles(params, collection.runs, values[0], claims_of(collection))
    ranked = rank_documents(collection, runs=runs)
    pairs = [ranked.rank[i : i + 2] for i in range(0, len(runs), 2)]
    lists = tuple(
        compare_lists(pair, ranked.topic, len(collection.topics), params) for pair in pairs
    )
    names = tuple(pick(collection.runs, runs))
    said = read_headers(collection.runs, collection.headers)
    headers = tuple(found for name in names[:2] if isinstance(found := said.get(name), dict))
    return Reproduction(
        values[:, runs],
        lists,
        names,
        work.measures,
        collection.topics,
        params,
        # one header has nothing to be compared with
        headers if len(headers) == 2 else (),
    )
