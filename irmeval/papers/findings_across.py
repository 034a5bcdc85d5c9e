"""Findings of the papers on several collections: which hold on all, some or none."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from irmeval.collection import Collection
from irmeval.core.text import all_of, capitalize, count_noun, how_many
from irmeval.experiments.facts import Verdict
from irmeval.experiments.recipe import recipe_of_several
from irmeval.experiments.results import Frame, Result, Table, rowwise, with_recipe
from irmeval.experiments.work import Progress, Store
from irmeval.metrics import Measure
from irmeval.papers.base import PAPERS
from irmeval.papers.exhibits import NO_OVERRIDES, Overrides, answer_findings, make
from irmeval.papers.findings import DIRECTION, NO, SHORT, YES, Outcome
from irmeval.papers.on_collections import (
    NO_TEAMS,
    STEPS,
    ResultOn,
    Source,
    Teams,
    check_several,
    map_collections,
    notes_of,
    part_of,
)
from irmeval.papers.resampled import DEFINITION

FINDINGS = "findings-across"
"""Name of the comparison."""
Answered = Mapping[tuple[str, str], Outcome]
"""Answers on a collection by paper and finding."""
EVERYWHERE = "everywhere"
"""The finding holds on all collections."""
DIFFERS = "on some, not on others"
"""It holds on some, and not on others."""
NOWHERE = "nowhere"
"""It holds on none."""
LEANING = "leaning"
"""It holds or has the paper's direction on each collection."""
PARTLY = "open somewhere"
"""It is open on some, and not contradicted between the others."""
STANDINGS = (EVERYWHERE, LEANING, DIFFERS, NOWHERE, PARTLY)
"""Possible standings of a finding."""


@dataclass(frozen=True)
class Params:
    """No parameters: each paper has its own measures and settings."""


class FindingsAcross(Result):
    """The findings of the papers on several collections."""

    names: tuple[str, ...]
    """of the collections"""
    answered: tuple[Answered, ...]
    """the answers on each collection, of the same findings in the same order"""
    params: Params = Params()
    measures: tuple[Measure, ...] = ()

    @cached_property
    def standing(self) -> dict[tuple[str, str], str]:
        """Standing by paper and finding, one of `STANDINGS`."""
        return {key: standing_of(*self.verdicts_on(*key)) for key in self.answered[0]}

    def verdicts_on(self, paper: str, claim: str) -> list[str]:
        """The verdicts on a finding of a paper, one for each collection."""
        return [answers[paper, claim].verdict for answers in self.answered]

    def matrix(self) -> Frame:
        """One row per finding: finding, paper, the verdict on each collection in a word
        of `SHORT`, its standing, number of collections on which it holds.
        """
        rows = []
        for (paper, claim), where in self.standing.items():
            words = [*map(SHORT.get, self.verdicts_on(paper, claim))]
            rows.append((claim, paper, *words, where, words.count("yes")))
        return rowwise(["finding", "paper", *self.names, "holds", "holds on"], rows)

    def frame(self) -> Frame:
        """One row per collection and finding: the fields of `Outcome`."""
        rows = [
            (name, paper, claim, *answer)
            for name, answers in zip(self.names, self.answered, strict=True)
            for (paper, claim), answer in answers.items()
        ]
        return rowwise(["collection", "paper", "finding", *Outcome._fields], rows)

    def verdict(self, choice: str = "") -> Verdict:
        """How many findings hold on all collections and on none; beside it, what else
        is known of them.
        """
        found = [*self.standing.values()]
        of = {where: found.count(where) for where in STANDINGS}
        everywhere = all_of(len(self.names), "collection")
        claim = (
            f"Of {count_noun(len(found), 'finding')} of the papers,"
            f" {how_many(of[EVERYWHERE], 'holds', 'hold')} on {everywhere}"
        )
        if of[NOWHERE]:
            claim += f", {how_many(of[NOWHERE], 'holds', 'hold')} on none"
        beside = [
            (of[DIFFERS], ("holds", "hold"), "on some and not on others"),
            (of[LEANING], ("leans", "lean"), f"the paper's way on {everywhere}"),
            (of[PARTLY], ("is", "are"), "open on at least one of them"),
            (self._sure, ("follows", "follow"), "from definitions and cannot fail"),
        ]
        said = [f"{how_many(n, *does)} {where}" for n, does, where in beside if n]
        if not said:
            return Verdict(f"{claim}.")
        return Verdict(f"{claim}.", f"{capitalize('; '.join(said))}.")

    @property
    def _sure(self) -> int:
        """Number of findings that follow from definitions."""
        return sum(answer.interval == DEFINITION for answer in self.answered[0].values())

    def tables(self) -> list[Table]:
        return [
            Table("findings", "Findings by collection", self.matrix),
            Table("answers", "Every answer", self.frame),
        ]


def standing_of(*verdicts: str) -> str:
    """Standing of a finding with these verdicts: one of `STANDINGS`.

    Examples
    --------
    >>> (
    ...     standing_of("holds", "holds"),
    ...     standing_of("holds", "undecided"),
    ...     standing_of("holds", "does not", "undecided"),
    ... )
    ('everywhere', 'open somewhere', 'on some, not on others')
    """
    seen = {*verdicts}
    if seen <= {*YES}:
        return EVERYWHERE
    if seen <= {*NO}:
        return NOWHERE
    if seen <= {*YES, DIRECTION}:
        return LEANING
    if seen & {*YES} and seen & {*NO}:
        return DIFFERS
    return PARTLY


def compare_findings(
    sources: Mapping[str, Source],
    overrides: Overrides = NO_OVERRIDES,
    *,
    teams: Teams = NO_TEAMS,
    scheduler: str = "",
    store: Store | None = None,
    progress: Progress | None = None,
) -> FindingsAcross:
    """Findings of all papers on several collections, each on the paper's own runs as
    far as available.

    `sources`, `scheduler`, `store` and `progress` are as in `compare_collections`,
    `overrides` as in `exhibits.make`; `teams` maps the runs of each collection to
    teams. With overrides the result has no recipe. Raises `ParamError` for fewer than
    two collections, and if the overrides leave a collection without runs; it names the
    collection.
    """
    check_several(sources)
    found = dict(
        map_collections(
            partial(answer_papers, overrides=overrides), sources, scheduler, store, progress, teams
        )
    )
    # on workers, collections are done in any order
    found = {name: found[name] for name in sources}
    made = verdicts_of(found)
    if overrides == NO_OVERRIDES:
        return made
    return with_recipe(made, None, notes_of(found))


def verdicts_of(found: Mapping[str, ResultOn[Answered]]) -> FindingsAcross:
    """The verdicts on several collections, by name, with a recipe for all of them."""
    recipes = {name: each.on for name, each in found.items()}
    answered = tuple(each.found for each in found.values())
    recipe = recipe_of_several(FINDINGS, (), Params(), recipes)
    return with_recipe(FindingsAcross(tuple(found), answered), recipe, notes_of(found))


def answer_papers(
    collection: Collection,
    *,
    overrides: Overrides = NO_OVERRIDES,
    team: Mapping[str, str] | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Answered:
    """Whether each finding of each paper holds on a collection; `team` gives the teams
    of runs.
    """
    if store is None:
        store = {}
    key = FINDINGS, collection.fingerprint, tuple(sorted((team or {}).items()))
    answered = dict[tuple[str, str], Outcome]()
    kept = dict[str, Answered]()
    # a reader's choices are not in the key, so that their answers are not kept
    if overrides == NO_OVERRIDES:
        kept = store.setdefault(key, {})
    if FINDINGS in kept:
        if progress:
            progress(1, 1)
        return dict(kept[FINDINGS])
    for number, paper in enumerate(PAPERS.values()):
        wanted = {finding.exhibit for finding in paper.findings.values()}
        told: dict[str, Outcome] = {}
        tell = part_of(progress, number * STEPS, STEPS, len(PAPERS) * STEPS)
        for made in make(
            paper, collection, overrides, team=team, labels=wanted, store=store, progress=tell
        ):
            told |= answer_findings(paper, made)
        answered |= {(paper.name, claim): told[claim] for claim in paper.findings}
    kept[FINDINGS] = answered
    return answered
