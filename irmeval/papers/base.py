"""Papers: one file each, with its tables and figures as experiments that can be
repeated on other data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.collection.team_names import LETTERS
from irmeval.core.errors import ParamError
from irmeval.core.params import fields, replace_known
from irmeval.core.registry import Registry, load
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Chart, Result, Table, pick_named
from irmeval.experiments.story import PAGES
from irmeval.metrics import Measure, distinct
from irmeval.papers.findings import Finding
from irmeval.papers.layout import Printed, PrintedColumn, TableLayout, printed
from irmeval.scoring.selection import Selection, with_grade

DISCRIMINATING: Mapping[str, Any] = MappingProxyType({"test": "bootstrap", "samples": 1000})
"""Discriminative power in Sakai's papers: each pair alone by the bootstrap, independent
of irmeval's own defaults.
"""


class Exhibit(NamedTuple):
    """Tables and figures of a paper that one experiment makes."""

    label: str
    """their numbers in the paper: ``Figs. 3-4``"""
    title: str
    experiment: str
    params: Mapping[str, Any] = MappingProxyType({})
    """parameters of the experiment in the paper, if they are not its defaults"""
    measures: tuple[str, ...] = ()
    """in place of the paper's usual ones"""
    charts: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    """its charts and tables of the result; all if empty"""
    differs: str = ""
    """differences from the paper"""
    lost: str = ""
    """what is not legible in our copy of the paper"""
    inferred: str = ""
    """what the paper does not say, and is inferred"""
    selection: Selection | None = None
    selects: str = ""
    """its runs, as rules and in words, in place of the paper's usual ones"""
    gains: Mapping[int, str] | None = None
    """as of `Paper`, in place of the paper's usual ones"""
    apart: bool = False
    """whether it is not compared with other exhibits; topics then need a score only by
    its own measures
    """
    layouts: tuple[TableLayout, ...] = ()
    """its tables as printed in the paper"""


def collection_exhibit(label: str, lost: str = "its columns") -> Exhibit:
    """Statistics of the collection, the first exhibit of every paper."""
    per_topic = (
        PrintedColumn("total", form=",d"),
        PrintedColumn("mean per topic", form=".1f"),
        PrintedColumn("least", form="d"),
        PrintedColumn("most", form="d"),
    )
    layouts = (
        TableLayout(
            label,
            "The collection: topics, runs, teams and judgments.",
            "counts",
            (PrintedColumn("number", form=",d"),),
            rows="of",
        ),
        TableLayout(
            f"{label}, per topic",
            "Judged documents, and those of each grade.",
            "judgments",
            per_topic,
            rows="documents",
        ),
    )
    return Exhibit(
        label,
        "The collection",
        "collection",
        tables=("counts", "judgments"),
        layouts=layouts,
        lost=lost,
    )


@dataclass(frozen=True)
class Paper:
    """A source paper."""

    name: str
    """name in URLs and commands"""
    title: str
    reference: str
    asks: str
    """question that it answers"""
    measures: tuple[str, ...]
    """measures that it compares"""
    selection: Selection
    selects: str
    """its usual runs, as rules and in words"""
    differs: str = ""
    """differences from the paper in all exhibits"""
    exhibits: tuple[Exhibit, ...] = ()
    """in the order of the paper"""
    gains: Mapping[int, str] = field(default_factory=dict)
    """names of gain maps by highest grade of the judgments, 0 for any; empty: it
    compares gains, or the gain is the grade
    """
    findings: Mapping[str, Finding] = field(default_factory=dict)
    """claims, in our words, with the test of each on a result"""
    names: Mapping[str, str] = field(default_factory=dict)
    """the paper's names of measures, if different"""
    not_made: Mapping[str, str] = field(default_factory=dict)
    """reasons for tables and figures without an exhibit"""
    main: str = ""
    """the finding that its abstract ends with, whose exhibit opens first; by default
    the first finding
    """

    @property
    def labels(self) -> list[str]:
        """Labels of its exhibits."""
        return [exhibit.label for exhibit in self.exhibits]

    @property
    def opens(self) -> str:
        """Label of the exhibit of the main finding."""
        main = self.main or next(iter(self.findings), "")
        return self.findings[main].exhibit if main else self.exhibits[0].label


PAPERS: Registry[Paper] = Registry("paper")


def add(paper: Paper) -> None:
    """Register a paper under its name. A finding without an exhibit gets the one with
    its label, else the first that contains its table.
    """

    def find_exhibit(claim: str, where: str) -> str:
        holders = holding(paper.labels, where)
        if holders:
            return holders[0]
        raise ParamError(
            f"{paper.name}: expected an exhibit that holds {where}, for the finding {claim!r},"
            " found none."
        )

    findings = {
        claim: one._replace(exhibit=one.exhibit or find_exhibit(claim, one.where))
        for claim, one in paper.findings.items()
    }
    PAPERS.add(paper.name, replace(paper, findings=findings))


def measures_of(paper: Paper, exhibit: Exhibit, collection: Collection) -> tuple[Measure, ...]:
    """The measures of an exhibit, except for relevance levels that the collection does
    not have.
    """
    experiment = EXPERIMENTS[exhibit.experiment]
    measures = distinct(exhibit.measures or paper.measures)
    if not experiment.data:
        return measures
    if not experiment.measured:
        return ()
    return tuple(m for m in measures if m.params["rel"] <= collection.top_grade)


def lowest_grade(paper: Paper, exhibit: Exhibit, collection: Collection) -> int:
    """Grade that some document of a topic must have, so that the topic has a score by
    every measure of the paper, or of an exhibit that is `apart`; 0 if there are no
    measures, or if the policy gives every topic a score.
    """
    if collection.policy.empty == "zero":
        return 0
    if not _measures_on_data(paper, exhibit, collection):
        return 0
    compared = _compared_with(paper, exhibit)
    measures = chain.from_iterable(_measures_on_data(paper, one, collection) for one in compared)
    return max(int(m.params["rel"]) for m in measures)


def _compared_with(paper: Paper, exhibit: Exhibit) -> Sequence[Exhibit]:
    """The exhibits on the same topics as an exhibit, itself among them."""
    if exhibit.apart:
        return [exhibit]
    return [other for other in paper.exhibits if not other.apart]


def _measures_on_data(
    paper: Paper, exhibit: Exhibit, collection: Collection
) -> tuple[Measure, ...]:
    """The measures by which an exhibit scores runs of the collection; none where its
    experiment is on no data.
    """
    if not EXPERIMENTS[exhibit.experiment].data:
        return ()
    return measures_of(paper, exhibit, collection)


def gains_of(paper: Paper, exhibit: Exhibit, collection: Collection) -> tuple[str, str]:
    """Name of the gain map of an exhibit, empty if the gain is the grade; and a
    sentence if the paper has no map for these grades.

    The map of the policy goes before the paper's. With one grade of relevance gains
    make no difference.
    """
    maps = paper.gains if exhibit.gains is None else exhibit.gains
    if collection.policy.gains:
        return collection.policy.gains, ""
    top = collection.top_grade
    tells_grades = top > 1 and _measures_on_data(paper, exhibit, collection)
    if not maps or not tells_grades:
        return "", ""
    name = maps.get(top, maps.get(0, ""))
    if name:
        return name, ""
    known = " or ".join(map(str, maps))
    return "", f"Gains are the grades, 1 to {top}: the paper's are for {known} levels."


def comparable_topics(paper: Paper, exhibit: Exhibit, collection: Collection) -> Collection:
    """The collection of an exhibit: the topics with a score by every compared measure,
    under the paper's gains.

    Raises `ParamError` if there is no such topic.
    """
    worked = with_grade(collection, lowest_grade(paper, exhibit, collection))
    gains, _ = gains_of(paper, exhibit, collection)
    # a collection made anew would compute again what this one keeps
    if gains == worked.policy.gains:
        return worked
    return replace(worked, policy=replace(worked.policy, gains=gains))


def draws_samples(exhibit: Exhibit) -> bool:
    """Whether an exhibit draws samples of the judgments at several rates. All papers
    draw one for each rate.
    """
    return {"levels", "trials"} <= fields(EXPERIMENTS[exhibit.experiment].params).keys()


def deviations(paper: Paper, exhibit: Exhibit, collection: Collection, params: Any) -> str:
    """Differences from the paper in an exhibit with these parameters."""
    samples, trials = "", getattr(params, "trials", 1)
    if draws_samples(exhibit) and trials > 1:
        samples = f"{trials} samples in place of one; the band shows how much they differ."
    gains = gains_of(paper, exhibit, collection)[1]
    return " ".join(filter(None, [samples, gains, exhibit.differs]))


def describe_reading(exhibit: Exhibit) -> str:
    """Sentences on what of an exhibit is lost in our copy of its paper, and inferred;
    empty if all is legible.
    """
    said = {"Not legible in our copy": exhibit.lost, "Inferred": exhibit.inferred}
    return " ".join(f"{how}: {what}." for how, what in said.items() if what)


def describe_left_out(worked: Collection, collection: Collection) -> str:
    """A sentence on the topics that an exhibit leaves out; empty if there are none."""
    if len(worked.topics) == len(collection.topics):
        return ""
    topics = count_noun(len(collection.topics), "topic")
    return f"On {len(worked.topics)} of {topics}: those with a score by every compared measure."


def inputs_of(
    paper: Paper,
    exhibit: Exhibit,
    collection: Collection,
    team_rule: str = LETTERS,
    decided: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[tuple[Measure, ...], Any]:
    """Measures and parameters of an exhibit's experiment. The rule determines teams of
    runs; `decided` gives the number of samples of the judgments (`trials`), of
    resamples, and the seed, in place of the paper's.

    Raises `ParamError` if the collection has none of the relevance levels of the
    measures.
    """
    experiment, measures = EXPERIMENTS[exhibit.experiment], measures_of(paper, exhibit, collection)
    if experiment.measured and not measures:
        raise ParamError(
            f"{exhibit.label}: expected one of the compared relevance levels, found none in the"
            " collection."
        )
    own = dict(decided)
    if not draws_samples(exhibit):
        own.pop("trials", None)
    return measures, replace_known(experiment.params(**exhibit.params), team_rule=team_rule, **own)


def remake(
    paper: Paper,
    exhibit: Exhibit,
    collection: Collection,
    *,
    team_rule: str = LETTERS,
    decided: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> Any:
    """Result of an exhibit's experiment on a collection; `team_rule` determines teams
    of runs, `decided` is as in `inputs_of`, `more` as the keywords of the experiment.

    Raises `ParamError` if the collection does not allow the experiment.
    """
    measures, params = inputs_of(paper, exhibit, collection, team_rule, decided)
    worked = comparable_topics(paper, exhibit, collection)
    return EXPERIMENTS[exhibit.experiment](worked, measures, params, **more)


def charts_of(exhibit: Exhibit, result: Result) -> list[Chart]:
    """The charts that belong to an exhibit."""
    return pick_named(result.charts(), exhibit.charts)


def tables_of(exhibit: Exhibit, result: Result) -> list[Table]:
    """The tables that belong to an exhibit."""
    return pick_named(result.tables(), exhibit.tables)


def printed_of(paper: Paper, exhibit: Exhibit, result: Result) -> list[Printed]:
    """Tables of an exhibit as printed in the paper, except for those that are empty on
    this collection.
    """
    tables = [printed(layout, result, paper.names) for layout in exhibit.layouts]
    return [table for table in tables if table.parts]


def holding(labels: Sequence[str], where: str) -> list[str]:
    """This label, or else those of exhibits with all of its tables and figures."""
    if where in labels:
        return [where]
    wanted = {*items(where)}
    return [label for label in labels if wanted <= {*items(label)}]


def items(label: str) -> list[str]:
    """Tables and figures in a label, one by one.

    Examples
    --------
    >>> items("Figs. 5-6, Table 4, Appendix")
    ['Fig. 5', 'Fig. 6', 'Table 4', 'Appendix']
    """
    found, kind = [], ""
    for part in label.split(", "):
        word, _, numbers = part.rpartition(" ")
        kind = word.replace("Figs.", "Fig.").replace("Tables", "Table") or kind
        first, _, last = numbers.partition("-")
        if not first.isdigit():
            found.append(part)
            continue
        stretch = range(int(first), int(last or first) + 1)
        found += [f"{kind} {n}" for n in stretch]
    return found


def _load() -> None:
    """Import all papers, and those of other packages."""
    folder = import_module("irmeval.papers")
    for found in iter_modules(folder.__path__, f"{folder.__name__}."):
        import_module(found.name)
    # a module may have been imported before the others
    PAPERS.arrange(*sorted(PAPERS))
    pages = (page for each in EXPERIMENTS.values() for page in each.pages)
    load("irmeval.papers", PAPERS, taken={"all", *PAGES, *pages})


PAPERS.load_late(_load)
