"""The items of a report: recipes, each with a title and a note, and their JSON form."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError, ReadError
from irmeval.core.records import Record, to_json
from irmeval.core.text import count_noun, list_few
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.recipe import COLLECTION, COLLECTIONS, JUDGES, MATRIX, Data, Recipe
from irmeval.experiments.results import Result
from irmeval.experiments.work import Progress, Store
from irmeval.judges import Judges
from irmeval.papers.comparisons import COMPARISONS, find_by_name
from irmeval.plots.axes import FIT, SCALES
from irmeval.reading.score_matrix import Matrix
from irmeval.report import panels
from irmeval.scoring.selection import SelectedBy, select, select_by_name

ITEMS = 50
"""Maximum number of items of a report."""
TITLE = 200
"""Maximum length of its title."""
NOTE = 5000
"""Maximum length of a note."""
WORDS = {"title": TITLE, "note": NOTE, "on": TITLE, "key": TITLE, "finding": NOTE, "view": NOTE}
"""Texts of an item that are saved with its recipe, and the maximum length of each."""
BYTES = 500_000
"""Maximum bytes of a saved report."""
ResultSource = Collection | Matrix | Judges | Mapping[str, Collection] | None
"""Data of a result. A comparison has collections by name."""
KINDS: dict[str, type] = {
    COLLECTION: Collection,
    MATRIX: Matrix,
    JUDGES: Judges,
    COLLECTIONS: Mapping,
}
"""Types of the data of a result, by their words in a recipe."""
FOUND: dict[type, str] = {
    Collection: "a collection",
    Matrix: "a score matrix",
    Judges: "judges",
    Mapping: "collections by name",
}
"""What an error says that it found."""


class Item(NamedTuple):
    """A result in a report.

    Attributes
    ----------
    recipe : how the result is computed
    title, note : plain text above it; by default the title of the experiment, and no
        note
    result : the result, if it is computed already
    on : the data in words
    key : identifies the item in a saved report
    finding : the finding, in a sentence, at the time when the item was added
    view : the address of the page from which it was added, with all settings; relative
        to the dashboard
    """

    recipe: Recipe
    title: str = ""
    note: str = ""
    result: Result | None = None
    on: str = ""
    key: str = ""
    finding: str = ""
    view: str = ""

    @property
    def heading(self) -> str:
        """Title, by default that of the experiment."""
        return self.title.strip() or find_by_name(self.recipe.experiment).title

    @property
    def axes(self) -> str:
        """Where the axes of values began on the page from which the item was added, as
        for `irmeval.plots.axes.use_scale`.
        """
        # an address may have been edited, or be of another version
        asked = parse_qs(urlsplit(self.view).query).get("axes", [FIT])[-1]
        if asked in SCALES:
            return asked
        return FIT


class ReportEntry(NamedTuple):
    """An item of a report with its result, or the reason why there is none."""

    item: Item
    stem: str
    """prefix of its file names"""
    result: Any = None
    error: str = ""

    @property
    def recipe(self) -> Recipe:
        """The recipe of the result; without a result that of the item."""
        if self.result:
            return self.result.recipe()
        return self.item.recipe

    @property
    def finding(self) -> str:
        """The finding of its result in a sentence; empty without a result."""
        if self.result:
            return self.result.headline()
        return ""

    @property
    def judged(self) -> str:
        """Note on which of several judges evaluates; empty if there is only one."""
        if self.recipe.panel:
            return self.recipe.panel.describe()
        return ""


class ReportPlan(NamedTuple):
    """The plan of a report: its title, a note under it, and its items in order."""

    title: str = ""
    note: str = ""
    items: tuple[Item, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items)

    def checked(self) -> "ReportPlan":
        """Return the plan. Raises `ParamError` for too many items or too long texts."""
        if len(self.items) > ITEMS:
            raise ParamError(
                f"A report has at most {count_noun(ITEMS, 'item')}, found {len(self.items):,}."
                " Remove one first."
            )
        texts: list[ReportPlan | Item] = [self, *self.items]
        for one in texts:
            _check_length("title", one.title, TITLE)
            _check_length("note", one.note, NOTE)
        return self


def _check_length(name: str, text: str, most: int) -> None:
    if len(text) > most:
        raise ParamError(f"{name}: expected at most {most:,} characters, found {len(text):,}.")


def remake(
    recipe: Recipe,
    source: ResultSource,
    *,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Any:
    """Recompute the result of a recipe.

    Parameters
    ----------
    recipe : Recipe
    source : a collection with all runs and topics, read under the recipe's policy, with
        its further judges; a score matrix; judges; or collections by name. Runs and
        topics are those that the recipe names, else those that its rules choose.
    store, progress : as for an experiment

    Raises `ParamError` if the source is another kind of data, was read under another
    policy, or lacks a run, a topic or a judge.
    """
    if recipe.of:
        teams = {name: dict(part.team) for name, part in recipe.of}
        return COMPARISONS[recipe.experiment](
            _sources_of(recipe, source),
            recipe.measures,
            recipe.params,
            teams=teams,
            store=store,
            progress=progress,
        )
    experiment: Any = EXPERIMENTS[recipe.experiment]
    more: dict[str, Any] = {
        "only": recipe.only,
        "team": dict(recipe.team),
        "store": store,
        "progress": progress,
    }
    return experiment(source_of(recipe, source), recipe.measures, recipe.params, **more)


def _sources_of(recipe: Recipe, source: ResultSource) -> dict[str, Any]:
    """The collections of a comparison, by name."""
    if not isinstance(source, Mapping):
        found = FOUND.get(type(source), "nothing")
        raise ParamError(f"{recipe.experiment}: expected collections by name, found {found}.")
    sources = {}
    for name, part in recipe.of:
        if name not in source:
            raise missing(name, part)
        sources[name] = source_of(part, source[name])
    return sources


def missing(name: str, part: Recipe, remedy: str = "") -> ParamError:
    """Error for a comparison without the collection of this name."""
    collection = f"the collection {name}"
    if part.fingerprint:
        collection += f" (fingerprint {part.fingerprint[:12]})"
    return ParamError(f"{collection} is missing. {remedy}".strip())


def source_of(recipe: Recipe, source: ResultSource) -> ResultSource:
    """Part of the source for the experiment of a recipe. Raises `ParamError` for data of
    another kind, else as `remake`.
    """
    if not recipe.source:
        return None
    if not isinstance(source, KINDS[recipe.source]):
        expected = FOUND[KINDS[recipe.source]]
        found = FOUND.get(type(source), "nothing")
        raise ParamError(f"{recipe.experiment}: expected {expected}, found {found}.")
    if not isinstance(source, Collection):
        return source
    return _selected(recipe, source)


def _selected(recipe: Recipe, source: Collection) -> Collection:
    """The runs and topics of a recipe, with the judge who evaluated."""
    if source.policy != recipe.policy:
        raise ParamError(
            f"{recipe.experiment}: expected a collection that was read under the recipe's policy,"
            " found one read under a different policy."
        )
    source = _with_evaluating_judge(recipe, source)
    if recipe.data and recipe.data.runs:
        named = select_by_name(source, recipe.data.runs, recipe.data.topics)
        return replace(named, chosen=recipe.chosen)
    if not recipe.panel:
        return _select_in_turn(source, recipe.chosen)
    # the rules before the judge took the lead are applied already
    return _select_in_turn(source, recipe.chosen[recipe.panel.before :])


def _select_in_turn(source: Collection, chosen: Sequence[SelectedBy]) -> Collection:
    for rules, team in chosen:
        source = select(source, rules, dict(team)).collection
    return source


def _with_evaluating_judge(recipe: Recipe, source: Collection) -> Collection:
    """The collection, led by the judge who evaluated the recipe's result; without
    further judges if the recipe has none.
    """
    if not recipe.panel:
        return panels.without_further_judges(source)
    if {*source.judges} != {*recipe.panel.names}:
        wanted, found = list_few([*recipe.panel.names]), list_few([*source.judges])
        raise ParamError(
            f"{recipe.experiment}: expected a collection with the judges {wanted}, found one with"
            f" {found}."
        )
    by_own = source.judged_by(recipe.panel.own)
    chosen = _select_in_turn(by_own, recipe.chosen[: recipe.panel.before])
    return chosen.judged_by(recipe.panel.names[0])


def recipe_as_json(recipe: Recipe) -> dict[str, Any]:
    """A recipe as an object of JSON, without the names of runs and topics and the
    digests of files.
    """
    # the names alone would fill what a saved report may hold (`BYTES`)
    of = tuple((name, replace(part, data=_known_by(part))) for name, part in recipe.of)
    written: dict[str, Any] = to_json(replace(recipe, data=_known_by(recipe), of=of))
    return written


def _known_by(recipe: Recipe) -> Data | None:
    return Data(recipe.data.fingerprint) if recipe.data else None


def recipe_from_json(kept: Mapping[str, Any]) -> Recipe:
    """Parse a recipe from a JSON object. Raises `ParamError` if it is invalid, or was
    written by a version of irmeval with other parameters.
    """
    try:
        return recipe_of_record(Record("recipe", "", kept))
    except ReadError as error:
        raise ParamError(
            f"expected a recipe as irmeval writes it, found a different form: {error}"
        ) from None


def recipe_of_record(kept: Record) -> Recipe:
    """Parse a recipe. Raises `ReadError` with the key."""
    recipe = kept.made(Recipe)
    if recipe.experiment not in EXPERIMENTS and recipe.experiment not in COMPARISONS:
        expected = "an experiment of this version of irmeval"
        raise kept.refuse("experiment", expected, recipe.experiment)
    params = kept.value("params", find_by_name(recipe.experiment).params)
    of = tuple((name, replace(part, params=params)) for name, part in recipe.of)
    return replace(recipe, params=params, of=of)


def plan_as_json(plan: ReportPlan) -> dict[str, Any]:
    """A plan as an object of JSON: recipes and texts, no numbers."""
    return {"title": plan.title, "note": plan.note, "items": [*map(_item_as_json, plan.items)]}


def _item_as_json(item: Item) -> dict[str, Any]:
    return {"recipe": recipe_as_json(item.recipe)} | {name: getattr(item, name) for name in WORDS}


def plan_from_json(kept: Mapping[str, Any]) -> ReportPlan:
    """A plan from an object of JSON, without items that this version does not know."""
    items = []
    for entry in kept.get("items", ())[:ITEMS]:
        # of another version, or changed by hand: the others are shown
        with suppress(IrmevalError, LookupError, TypeError, AttributeError):
            words = {name: str(entry.get(name, ""))[:most] for name, most in WORDS.items()}
            items.append(Item(recipe_from_json(entry["recipe"]), **words))  # type: ignore[arg-type]
    return ReportPlan(
        str(kept.get("title", ""))[:TITLE], str(kept.get("note", ""))[:NOTE], tuple(items)
    )
