"""A paper made again: the runs of each exhibit, chosen by the paper or the reader, and
its result.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.errors import Cancelled, IrmevalError, ParamError
from irmeval.core.params import check_names
from irmeval.core.text import count_noun
from irmeval.experiments.results import Frame, rowwise
from irmeval.experiments.work import Progress, Store
from irmeval.papers.base import Exhibit, Paper, remake
from irmeval.papers.findings import EACH, Outcome, answers
from irmeval.scoring.selection import Selection, select

OVERRIDABLE = ("trials", "samples", "seed")
"""Parameters of a paper's exhibits that a reader may set."""


@dataclass(frozen=True)
class Overrides:
    """What a reader decides in place of a paper's own choices."""

    rules: Mapping[str, Any] = field(default_factory=dict)
    """for the selection of runs and topics, by name"""
    params: Mapping[str, Any] = field(default_factory=dict)
    """values of some of `OVERRIDABLE`, for experiments that have them"""
    as_published: bool = False
    """one sample of the judgments per rate, as in all papers"""
    verdicts: str = EACH
    """on findings, one of `VERDICTS`"""

    def __post_init__(self) -> None:
        check_names(self.params, OVERRIDABLE)

    @property
    def decided(self) -> Mapping[str, Any]:
        """The parameters; as published, with one sample unless they say how many."""
        if self.as_published:
            return {"trials": 1, **self.params}
        return self.params


NO_OVERRIDES = Overrides()
"""Every choice is the paper's own."""


class ExhibitRuns(NamedTuple):
    """The runs and topics of an exhibit."""

    collection: Collection
    rules: Selection
    table: Frame
    """one row per run: whether it is kept, and why not"""
    instead: str
    """a sentence on what was done instead, if the data cannot follow the paper; else
    empty
    """


class Remade(NamedTuple):
    """An exhibit that was made, or could not be made."""

    exhibit: Exhibit
    runs: ExhibitRuns
    result: Any
    """None if it cannot be made"""
    error: str
    """why it cannot be made"""
    published: bool = False
    """whether verdicts are those of one sample, as published"""


def make(
    paper: Paper,
    everything: Collection,
    overrides: Overrides = NO_OVERRIDES,
    *,
    team: Mapping[str, str] | None = None,
    labels: Container[str] | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Iterator[Remade]:
    """Make all exhibits, or those with these labels, one after the other, each on its
    own runs; `team` maps runs to teams.

    Progress counts exhibits. Raises `ParamError` if the overrides leave no run.
    """
    wanted = [exhibit for exhibit in paper.exhibits if labels is None or exhibit.label in labels]
    runs_of = remember_runs(paper, everything, overrides, team)
    if store is None:
        store = {}

    def tell(done: int) -> None:
        if progress:
            progress(done, len(wanted))

    for done, exhibit in enumerate(wanted):
        tell(done)
        runs = runs_of(exhibit)
        try:
            result = remake(
                paper,
                exhibit,
                runs.collection,
                team_rule=runs.rules.team_rule,
                team=team,
                decided=overrides.decided,
                store=store,
                progress=lambda *_, done=done: tell(done),  # so that it may be stopped meanwhile
            )
        except Cancelled:
            raise
        except IrmevalError as error:
            yield Remade(exhibit, runs, None, str(error), overrides.as_published)
        else:
            yield Remade(exhibit, runs, result, "", overrides.as_published)
    tell(len(wanted))


def remember_runs(
    paper: Paper, everything: Collection, overrides: Overrides, team: Mapping[str, str] | None
) -> Callable[[Exhibit], ExhibitRuns]:
    """`choose_runs` as a function of the exhibit, which chooses once for exhibits with
    the same selection.
    """
    chosen: dict[Selection, ExhibitRuns] = {}

    def runs_of(exhibit: Exhibit) -> ExhibitRuns:
        rules = exhibit.selection or paper.selection
        if rules not in chosen:
            chosen[rules] = choose_runs(paper, exhibit, everything, overrides, team)
        return chosen[rules]

    return runs_of


def choose_runs(
    paper: Paper,
    exhibit: Exhibit | None,
    everything: Collection,
    overrides: Overrides,
    team: Mapping[str, str] | None = None,
) -> ExhibitRuns:
    """The runs of an exhibit, or without one the paper's usual runs; all runs if the
    paper's rules leave fewer than two.

    Raises `ParamError` if the overrides leave no run.
    """
    rules = replace((exhibit and exhibit.selection) or paper.selection, **overrides.rules)
    try:
        selected = select(everything, rules, team)
        kept = len(selected.collection.runs)
        # one run has no order and no pair, so that hardly an exhibit could be made
        if kept < 2 <= len(everything.runs):
            raise ParamError("the paper's selection leaves one run")
    except ParamError as error:
        rules = replace(Selection(), **overrides.rules)
        selected = select(everything, rules, team)
        instead = (
            f"{count_noun(len(selected.collection.runs), 'run')} as they are:"
            f" {str(error).rstrip('.')}."
        )
    else:
        instead, all_runs = "", f"All {count_noun(kept, 'run')}, where the paper"
        if rules.random_runs > kept:
            instead = f"{all_runs} drew {rules.random_runs}."
        elif rules.top_runs > kept:
            instead = f"{all_runs} took the best {rules.top_runs}."
    return ExhibitRuns(selected.collection, rules, selected.table, instead)


def answer_findings(paper: Paper, made: Remade) -> dict[str, Outcome]:
    """Claim -> whether it holds, for the findings that an exhibit answers."""
    asked = {
        claim: finding
        for claim, finding in paper.findings.items()
        if finding.exhibit == made.exhibit.label
    }
    found = answers([*asked.values()], made.result, made.error, published=made.published)
    return dict(zip(asked, found, strict=True))


def list_findings(paper: Paper, answered: Mapping[str, Outcome]) -> Frame:
    """One row per answered finding of a paper: paper, finding, exhibit, published,
    statistic, and the fields of `Outcome`.
    """
    rows = [
        (paper.name, claim, finding.where, finding.published, finding.statistic, *answered[claim])
        for claim, finding in paper.findings.items()
        if claim in answered
    ]
    return rowwise(
        ["paper", "finding", "exhibit", "published", "statistic", *Outcome._fields], rows
    )
