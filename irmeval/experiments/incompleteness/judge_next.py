"""Documents for a person to judge next, of those that the first judge has not
judged.
"""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core.errors import ParamError
from irmeval.core.numbers import per_cent
from irmeval.core.params import Param, checked, param
from irmeval.core.places import pick, place_of_each
from irmeval.core.text import capitalize, count_noun, how_many, quantify, verb
from irmeval.experiments.base import COLLECTION, IF_OTHERS, LISTS, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.incompleteness.next_in_order import next_in_order
from irmeval.experiments.needs import check_enough
from irmeval.experiments.planning.joint import Driver
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table, table
from irmeval.experiments.runs.matrix import Params as Testing
from irmeval.experiments.settings import SAMPLED, Alpha, Seed
from irmeval.judges import Judges
from irmeval.judges.base import disagreement
from irmeval.metrics import Measure
from irmeval.plots.line_charts import long_line
from irmeval.reductions import ORDERS
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import parse_pair, select_by_name
from irmeval.scoring.sign_probability import (
    HALF,
    SHARE,
    difference_moments,
    effects,
    moments,
    rank_documents,
)
from irmeval.scoring.unjudged_near_top import (
    PERSISTENCE,
    mean_residual,
    rank_unjudged,
    runs_with_unjudged,
    sort_by_worth,
)
from irmeval.stats.pairs import sign_probability

RESIDUAL = "residual"
"""Choice by how much a document could add to RBP."""
DISAGREEMENT = "disagreement"
"""Choice by disagreement of judges."""
PAIR = "pair"
"""Choice by possible effect on a difference of two runs."""
SIGN = "sign"
"""Choice by gain in confidence in the sign of a difference."""
Relevance = Annotated[
    str,
    Param(
        "relevance of the unjudged",
        "share: relevant as often as the topic's judged documents are. half: relevant with"
        " probability 0.5.",
        choices=(SHARE, HALF),
        value_labels={
            SHARE: "unjudged documents relevant as often as judged ones",
            HALF: "unjudged documents relevant with probability 0.5",
        },
    ),
]


@checked
class Params:
    """Number of chosen documents, and how they are chosen."""

    budget: int = param(
        "budget",
        "Number of documents that a person will judge.",
        low=1,
        high=1_000_000,
        template="{} documents",
        default=100,
    )
    by: str = param(
        "chosen by",
        "residual: by what a document could add to the mean RBP over runs and topics. disagreement:"
        " by disagreement of the other judges. pair: by possible effect of a document on the mean"
        " difference of two runs. sign: by remaining uncertainty about the better of two runs;"
        " judge until that is resolved. by-depth and the rest: what that order of judging asks for"
        " next.",
        choices=(RESIDUAL, DISAGREEMENT, PAIR, SIGN, *ORDERS),
        value_labels={
            RESIDUAL: "chosen by residual of RBP",
            DISAGREEMENT: "chosen by disagreement of other judges",
            PAIR: "chosen by effect on a pair of runs",
            SIGN: "chosen by what is uncertain about the better of two runs",
            **{order: SAMPLED[order] for order in ORDERS},
        },
        default=RESIDUAL,
    )
    p: float = param(
        "persistence p",
        "Persistence of the RBP whose residual is used.",
        low=0.01,
        high=0.999,
        template="RBP with p = {}",
        default=PERSISTENCE,
    )
    pair: str = param(
        "pair",
        "Two names of runs, separated by a comma. Empty: the pair nearest to a significant"
        " difference.",
        empty="the nearest to significance",
        pair=True,
        default="",
    )
    grade: int = param(
        "assumed grade",
        "For a pair: the grade that an unjudged document is assumed to have.",
        low=1,
        high=1000,
        default=1,
    )
    alpha: Alpha = 0.05
    # of a tenth of Robust 2003's judgments, shares by topic give .95 of the signs by RBP, by rank
    # or by run .72 to .83
    relevance: Relevance = SHARE
    seed: Seed = 1
    driver: Driver = ""

    @property
    def testing(self) -> Testing:
        """The default test of pairs of runs, each alone, at this alpha."""
        return Testing(alpha=self.alpha)


class OpenPair(NamedTuple):
    """Two runs, and the test of their difference."""

    a: str
    b: str
    difference: float
    """mean score of a minus that of b; for its sign, with the expected effect of
    unjudged documents
    """
    p: float


class SignConfidence(NamedTuple):
    """Confidence in the sign of a pair's difference."""

    sure: np.ndarray
    """float64 [n + 1], probability of its sign after so many documents of the list, if
    they turn out as expected
    """
    pairs: int
    """number of pairs of runs"""
    settled: int
    """number of pairs with a sure sign"""

    def enough(self, alpha: float) -> int | None:
        """Number of documents expected to make the sign sure at level 1 - alpha; None
        if all of them are too few.
        """
        found = np.flatnonzero(self.sure >= 1 - alpha)
        return int(found[0]) if found.size else None


class JudgeNext(Result):
    """Documents that the first judge has not judged, most valuable first."""

    chosen: Frame
    """as many as the budget allows: topic, document, why, value, number of runs that
    have it near the top
    """
    values: np.ndarray
    """float64 [document], value of each candidate, in the order of the list. For a
    pair: positive if it favours the first run. For an order of judging: the number of
    runs that retrieve it, 0 for documents that are not on the list.
    """
    pair: OpenPair | None
    """the two runs, if documents are chosen by their difference or its sign"""
    residual: float
    """mean of ``RBP_residual`` over runs and topics, which counts documents further
    down and beyond the ends of the lists too
    """
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    params: Params
    open: SignConfidence | None = None
    """confidence in the sign of the pair's difference, if documents are chosen by
    that
    """
    simulated: str = ""
    """sentence on other judges who are simulated"""

    def frame(self) -> Frame:
        """One row per document: topic, document, why, value."""
        return self.chosen[["topic", "document", "why", "value"]]

    def facts(self, choice: str = "") -> list[Fact]:
        """Documents on the list and in all, and the residual before and after they are
        judged, if they are chosen by that.
        """
        counts = {"on the list": len(self.chosen), "unjudged": len(self.values)}
        stated: dict[str, float] = dict(counts)
        if self.params.by == RESIDUAL:
            after = self.residual - self._removed
            stated |= {"residual": self.residual, "residual after": after}
        return [Fact(what, "", "", float(n), np.nan, np.nan) for what, n in stated.items()]

    @property
    def _removed(self) -> float:
        """What the list takes from the residual."""
        return float(np.abs(self.values)[: len(self.chosen)].sum())

    def verdict(self, choice: str = "") -> Verdict:
        first = self.chosen.iloc[0]
        named = (
            f"Judge first: document {first['document']} of topic {first['topic']} ({first['why']})."
        )
        said = self._describe_list()
        claim, beside = f"{self.simulated} {said.claim}", f"{said.beside} {named}"
        return said._replace(claim=claim.lstrip(), beside=beside.lstrip())

    def _describe_list(self) -> Verdict:
        """The value of the list, by how it was chosen."""
        if self.pair and self.open:
            return self._describe_sign(self.pair, self.open)
        if self.pair:
            return self._describe_pair(self.pair)
        if self.params.by in ORDERS:
            return self._describe_order()
        if self.params.by == DISAGREEMENT:
            apart = quantify(int((self.values > 0).sum()), len(self.values), "unjudged document")
            several = "These are the documents that several of them have graded."
            return Verdict(f"The other judges disagree on {apart}.", several)
        share = self._removed / self.residual
        left = self.residual - self._removed
        return Verdict(
            f"Judging {self._some} in the top {NEAR} lowers the residual by {per_cent(share)}.",
            below=f"That of RBP(p={self.params.p:g}), mean over runs and topics, falls from"
            f" {self.residual:.4f} to {left:.4f}.",
        )

    @property
    def _some(self) -> str:
        """Text of the number of documents of the list."""
        return quantify(len(self.chosen), len(self.values), "unjudged document")

    def _describe_pair(self, pair: OpenPair) -> Verdict:
        """Whether the two differ, and which run each document would favour."""
        differ = "differ" if pair.p < self.params.alpha else "do not differ"
        for_a, for_b = (int((sign * self.chosen["value"] > 0).sum()) for sign in (1, -1))
        most = " most" if len(self.chosen) < len(self.values) else ""
        return Verdict(
            f"{capitalize(self._some)} may change the difference of {pair.a} and {pair.b}{most}.",
            f"By {self.measures[0]} the two {differ} significantly: difference"
            f" {pair.difference:.4f}, p = {pair.p:.3g} ({self.params.testing.decided_by}). If"
            f" relevant, {how_many(for_a, 'favours', 'favour')} {pair.a} and"
            f" {how_many(for_b, 'favours', 'favour')} {pair.b}.",
        )

    def _describe_order(self) -> Verdict:
        led = spread = ""
        if self.params.driver:
            led = f", driven by {self.params.driver},"
        topics = self.chosen["topic"].nunique()
        if topics > 1:
            spread = f"They are spread evenly over {topics:,} topics."
        return Verdict(f"{self.params.by}{led} asks next for {self._some}.", spread)

    def _describe_sign(self, pair: OpenPair, open: SignConfidence) -> Verdict:
        """Which run is expected to be better, and how much of the list would tell. The
        probability itself is not shown: it orders pairs and documents, and is too high.
        """
        better, worse = (pair.a, pair.b) if pair.difference >= 0 else (pair.b, pair.a)
        unjudged = count_noun(len(self.values), "unjudged document")
        left = open.pairs - open.settled
        in_doubt = quantify(left, open.pairs, "pair of runs")
        others = ""
        if open.pairs > 1 and left:
            others = f" {in_doubt} {verb(left, 'is', 'are')} in doubt."
        return Verdict(
            f"{better} is expected to be better than {worse} by {self.measures[0]}.",
            f"Their lists have {unjudged}. {self._describe_enough(open)}{others}",
        )

    def _describe_enough(self, open: SignConfidence) -> str:
        """How many documents of the list are expected to settle the sign."""
        enough = open.enough(self.params.alpha)
        judged = "it" if len(self.values) == 1 else "all of them"
        if enough == 0:
            return "These are not expected to turn that: judging can stop for these two runs."
        if enough is None:
            return f"Judging {judged} is not expected to settle that."
        if enough == len(self.values):
            return f"Judging {judged} is expected to settle that."
        if enough == 1:
            return "The first of them is expected to settle that."
        return f"The first {enough:,} of them are expected to settle that."

    def next_steps(self) -> list[NextStep]:
        found = [
            NextStep("How many judgments are needed?", "judgments-needed"),
            NextStep("Could a different judge fill them in?", "holes"),
            NextStep("Which order would have found most?", "orders"),
        ]
        if not self.pair:
            return found
        runs = {"run_a": self.pair.a, "run_b": self.pair.b}
        pair = {"pair": (self.pair.a, self.pair.b)}
        return [
            NextStep("How do the two differ now?", "two-runs", runs),
            NextStep("How often do they keep their order?", "what-if", pair),
            found[0],
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        if self.params.by in ORDERS:
            return []
        if self.params.by == RESIDUAL:
            return [self._chart_of_residual()]
        return [self._chart_of_worth()]

    def _chart_of_residual(self) -> Chart:
        caption = (
            "Mean residual of RBP over runs and topics after so many documents are judged, in the"
            " order of the list. The rest is due to documents further down the lists, or beyond"
            " their ends."
        )
        # rounding could take the last value below 0
        left = np.maximum(self.residual - np.cumsum(np.concatenate([[0.0], self.values])), 0)
        n = len(self.chosen)
        draw = partial(long_line, 0, left, "documents judged", "residual left", n)
        return Chart("left", "Residual left", caption, draw, wide=True)

    def _chart_of_worth(self) -> Chart:
        """The value of each document: what it is depends on how documents are chosen."""
        caption = "Mean difference between the grades of two other judges, for each document."
        amount = "difference"
        if self.pair:
            of = f"the mean difference of {self.pair.a} and {self.pair.b}"
            caption, amount = f"Change of {of} if a document is relevant.", "change"
            if self.open:
                amount = "standard deviation"
                caption = f"What each document adds to the standard deviation of {of}."
        values, n = np.abs(self.values), len(self.chosen)
        draw = partial(long_line, 1, values, "place in the list", amount, n)
        caption += " Documents are in the order of the list."
        return Chart("worth", "Value of each document", caption, draw, wide=True)

    def tables(self) -> list[Table]:
        return [
            Table("list", "To judge", self.frame),
            Table("runs", "With runs", lambda: self.chosen),
            Table("topics", "By topic", self.by_topic),
        ]

    def by_topic(self) -> Frame:
        """One row per topic of the list: documents to judge, and the sum of their
        absolute values.
        """
        worth = self.chosen.assign(value=self.chosen["value"].abs()).groupby("topic", sort=False)[
            "value"
        ]
        found = worth.agg(documents="size", value="sum").reset_index()
        return found.sort_values("value", ascending=False, kind="stable", ignore_index=True)


@experiment(
    "judge-next",
    title="Judge next",
    question="What should be judged next?",
    does="choose documents to judge next",
    formula=r"(1 - p) \sum_{r:\,unjudged(r)} p^{\,r-1}",
    source=(
        "residual: Moffat & Zobel 2008; a pair's difference, and its sign: after Carterette, Allan"
        " & Sitaraman 2006"
    ),
    takes=(COLLECTION, LISTS, MEASURES, IF_OTHERS),
    listed=True,
)
def judge_next(work: Work[Params]) -> JudgeNext:
    """Chooses documents for a person to judge next, from those down to rank 100 of the
    lists that the first judge has not judged. Criteria: what each could add to the mean
    RBP over runs and topics; how much each would change the mean difference of two runs
    that do not differ significantly, if it were relevant; the remaining uncertainty
    about the better of two runs; disagreement of other judges; or an order of judging,
    which continues from the judged documents. Ties are broken by the number of runs
    with the document, then by topic and document.

    Raises `ParamError` where nothing is left to judge, for a pair that does not name
    two runs, and without two other judges who could disagree.
    """
    collection, params = work.collection, work.params
    unjudged = rank_unjudged(collection, params.p)
    choose = CHOOSERS.get(params.by, _by_order)
    valued, pair, open = choose(collection, work.measures[0], unjudged, params)
    if valued.empty:
        whose = f"{pair.a} and {pair.b}" if pair else "the lists"
        raise ParamError(
            f"Nothing is left to judge: every document down to rank {NEAR} of {whose} is judged."
        )
    columns = ["topic", "document", "why", "value", "runs"]
    chosen = valued.head(params.budget)[columns].reset_index(drop=True)
    judges = collection.panel.judges if collection.panel else None
    # those chosen by disagreement have the grades as their reason already
    if judges and params.by != DISAGREEMENT:
        chosen["why"] = _with_grades(chosen, _grades_by_document(judges))
    values = valued["value"].to_numpy()
    if params.by in ORDERS:
        # facts and verdict count all unjudged documents by these values
        values = np.append(values, np.zeros(len(unjudged) - len(values)))
    return JudgeNext(
        chosen,
        values,
        pair,
        mean_residual(collection, params.p),
        collection.runs,
        work.measures,
        params,
        open,
        judges.describe_simulated(collection.judges) if judges else "",
    )


class ListByValue(NamedTuple):
    """Documents in the order of their value, and what that is about."""

    valued: Frame
    """topic, document, why, value, runs"""
    pair: OpenPair | None = None
    open: SignConfidence | None = None


def _with_grades(chosen: Frame, graded: dict[tuple[str, str], str]) -> list[str]:
    """Why each document was chosen, with the grades that other judges gave it."""
    rows = chosen[["topic", "document", "why"]].itertuples(index=False, name=None)
    with_grades = [(why, graded.get((topic, document), "")) for topic, document, why in rows]
    return ["; ".join(filter(None, said)) for said in with_grades]


def _by_order(
    collection: Collection, measure: Measure, unjudged: Frame, params: Params
) -> ListByValue:
    """What an order of judging asks for next."""
    return ListByValue(
        next_in_order(collection, params.by, params.budget, params.seed, params.driver)
    )


def _by_residual(
    collection: Collection, measure: Measure, unjudged: Frame, params: Params
) -> ListByValue:
    """Unjudged documents by what each could add to RBP."""
    held = [
        f"in {count_noun(n, 'run')}, best at rank {best}"
        for n, best in zip(unjudged["runs"], unjudged["best rank"], strict=True)
    ]
    return ListByValue(unjudged.assign(why=held, value=unjudged["residual"]))


def _by_pair(
    collection: Collection, measure: Measure, unjudged: Frame, params: Params
) -> ListByValue:
    """Unjudged documents of two runs, by the effect of each on their difference."""
    pair = _pair(collection, measure, params)
    key = ["topic", "document"]
    ranks = [
        rank_unjudged(select_by_name(collection, [run], collection.topics), params.p)[
            [*key, "best rank"]
        ]
        for run in pair[:2]
    ]
    both = (
        ranks[0]
        # a document of one list alone changes the difference, too
        .merge(ranks[1], on=key, how="outer")
        .merge(unjudged[[*key, "runs"]], on=key, how="left")
    )
    place = place_of_each(collection.topics)
    topic = both["topic"].map(place).to_numpy(np.int64)
    values = effects(
        collection, measure, pair.a, pair.b, topic, both["document"].tolist(), params.grade
    )

    why = _why(pair.a, pair.b, both["best rank_x"], both["best rank_y"], values)
    valued = both.assign(why=why, value=values)
    return ListByValue(sort_by_worth(valued, np.abs(values), collection.topics), pair)


def _why(a: str, b: str, x: Iterable[float], y: Iterable[float], values: np.ndarray) -> list[str]:
    """Describe the ranks of documents in two runs, NaN if not near the top, and the run
    that each favours.
    """

    def held(run: str, rank: float) -> str:
        # NaN differs from itself
        if rank == rank:
            return f"rank {rank:.0f} of {run}"
        return f"not in the top {NEAR} of {run}"

    def favours(value: float) -> str:
        if not value:
            return ""
        if value > 0:
            return f": for {a}"
        return f": for {b}"

    of_both = zip(x, y, values, strict=True)
    return [f"{held(a, i)}, {held(b, j)}{favours(value)}" for i, j, value in of_both]


def _by_sign(
    collection: Collection, measure: Measure, unjudged: Frame, params: Params
) -> ListByValue:
    """The pair, its unjudged documents, and the confidence in its sign. The value of a
    document is its standard deviation times its weight in the difference (after the
    weights of Carterette, Allan & Sitaraman 2006).
    """
    runs, ranked = collection.runs, rank_documents(collection)
    found = moments(collection, measure, ranked, params.relevance)
    expected, deviation = difference_moments(found)
    sure, level = sign_probability(expected, deviation), 1 - params.alpha
    if params.pair:
        a, b = parse_pair(params.pair, runs)
    else:
        # equal runs without deviation are in doubt, too, but no judgment could settle them
        left = np.flatnonzero((sure < level) & (deviation > 0))
        if not left.size:
            raise ParamError(
                f"sign: by {measure}, what is unjudged is not expected to turn the sign of any"
                " pair. Judging can stop; or name two runs."
            )
        a, b = (
            int(places[left[np.argmax(sure[left])]]) for places in np.triu_indices(len(runs), 1)
        )
    value = np.sqrt(found.variance) * (found.weight[a] - found.weight[b])
    decisive = np.flatnonzero(value)
    at, value = found.document[decisive], value[decisive]
    topics, documents = (
        zip(*(key.split("\0", 1) for key in ranked.key.take(at).to_pylist()), strict=True)
        if at.size
        else ((), ())
    )
    near = np.where(
        (ranked.rank[:, at] > 0) & (ranked.rank[:, at] <= NEAR), ranked.rank[:, at], np.nan
    )
    why = _why(runs[a], runs[b], near[a], near[b], value)
    columns = {
        "topic": topics,
        "document": documents,
        "why": why,
        "value": value,
        "runs": np.isfinite(near).sum(axis=0),
    }
    valued = sort_by_worth(table(columns), np.abs(value), collection.topics)
    own = float(found.expected[a] - found.expected[b])
    # variance after so many, 0 at the end
    left_open = np.cumsum(np.append(valued["value"].to_numpy() ** 2, 0.0)[::-1])[::-1]
    becomes = sign_probability(np.full(left_open.size, own), np.sqrt(left_open))
    return ListByValue(
        valued,
        OpenPair(runs[a], runs[b], own, 1 - float(becomes[0])),
        SignConfidence(becomes, sure.size, int((sure >= level).sum())),
    )


def _by_disagreement(
    collection: Collection, measure: Measure, unjudged: Frame, params: Params
) -> ListByValue:
    """Documents that several other judges have graded, by disagreement."""
    if collection.panel is None or len(collection.panel.judges.names) < 3:
        told = (
            f"expected at least two judges besides {collection.judges[0]}, found"
            f" {len(collection.judges) - 1}"
        )
        raise ParamError(f"disagreement: {told}. Name them with --other, or drop their qrels.")
    judges = collection.panel.judges
    apart = disagreement(judges)
    at = np.flatnonzero(np.isfinite(apart))
    if not at.size:
        raise ParamError(
            f"disagreement: no two other judges have graded a document that {judges.names[0]} has"
            f" not judged. Use {RESIDUAL}."
        )
    graded = _grades_by_document(judges)
    keys = [(judges.topics[judges.topic[i]], judges.documents[i].as_py()) for i in at.tolist()]
    runs = dict(
        zip(
            zip(unjudged["topic"], unjudged["document"], strict=True), unjudged["runs"], strict=True
        )
    )
    columns = {
        "topic": [t for t, _ in keys],
        "document": [d for _, d in keys],
        "why": pick(graded, keys),
        "value": apart[at],
    }
    valued = table(columns | {"runs": [int(runs.get(key, 0)) for key in keys]})
    return ListByValue(sort_by_worth(valued, apart[at], collection.topics))


CHOOSERS = {
    RESIDUAL: _by_residual,
    DISAGREEMENT: _by_disagreement,
    PAIR: _by_pair,
    SIGN: _by_sign,
}
"""How documents are chosen, by the name of the criterion; others are orders of judging."""


def _grades_by_document(judges: Judges) -> dict[tuple[str, str], str]:
    """Describe the other judges' grades of each document that the first has not
    judged.
    """
    said = {}
    for i in np.flatnonzero((judges.grade[0] < 0) & (judges.grade[1:] >= 0).any(axis=0)).tolist():
        grades = zip(judges.names[1:], judges.grade[1:, i].tolist(), strict=True)
        said[judges.topics[judges.topic[i]], judges.documents[i].as_py()] = ", ".join(
            f"{name} {g}" for name, g in grades if g >= 0
        )
    return said


def _pair(collection: Collection, measure: Measure, params: Params) -> OpenPair:
    """The two given runs, or the pair nearest to a significant difference, preferably
    of those with unjudged documents; if all of these differ significantly, the one
    nearest to the threshold.
    """
    runs, values = collection.runs, evaluate(collection, [measure]).values[0]
    if params.pair:
        places = [*parse_pair(params.pair, runs)]
        runs, values = tuple(pick(runs, places)), values[places]
    tested = params.testing.compare(values)
    check_enough(f"{measure}: ", len(runs), int(tested.topics.max(initial=0)))
    a, b = np.triu_indices(len(runs), 1)
    at = 0  # a given pair is the only one, and is used whether decided or not
    if not params.pair:
        if tested.alone.all():
            raise ParamError(
                f"pair: every pair differs significantly by {measure} already"
                f" ({params.testing.decided_by}). Name two runs."
            )
        p, unjudged = np.nan_to_num(tested.p_alone, nan=1.0), runs_with_unjudged(collection)
        at = int(
            np.lexsort((np.where(tested.alone, -p, p), tested.alone, ~(unjudged[a] | unjudged[b])))[
                0
            ]
        )
    return OpenPair(
        runs[a[at]], runs[b[at]], float(tested.difference[at]), float(tested.p_alone[at])
    )
