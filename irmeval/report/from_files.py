"""Results again from their recipe and files: what the script of a recipe runs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from irmeval.collection import Collection, read_collection
from irmeval.core.errors import ParamError
from irmeval.core.text import count_noun
from irmeval.experiments.recipe import JUDGES, MATRIX, RUNS, Recipe
from irmeval.reading.parsing import read_matrix, read_scores
from irmeval.reading.sources import read_qrels_file
from irmeval.report import panels
from irmeval.report.items import ResultSource, recipe_from_json, remake

Files = Sequence[str | Path]


def rerun(recipe: Mapping[str, Any], files: Files = ()) -> Any:
    """Compute the result of a recipe from files.

    Parameters
    ----------
    recipe : a recipe as a script or a report has it
    files : qrels, those of other judges that are no simulations, then runs; a score
        matrix, or the scores of each judge; of several collections those of one after
        another, the runs of each as a folder

    Raises
    ------
    ParamError
        For a recipe that this version does not know, or another number of files.
    ReadError
        For a file that cannot be read.

    Examples
    --------
    >>> from irmeval.report import rerun
    >>> recipe = {"experiment": "top-heaviness", "measures": ["AP"], "params": {"last": 5}}
    >>> rerun(recipe).params.last
    5
    """
    asked = recipe_from_json(recipe)
    wanted = asked.files()
    least = most = len(wanted)
    # runs are last and may be any number; of several collections, those of one are a folder
    if wanted[-1:] == [RUNS] and not asked.of:
        most = max(least, len(files))
    if not least <= len(files) <= most:
        named, came = " ".join(wanted) or "no files", count_noun(len(files), "file")
        raise ParamError(f"{asked.experiment}: expected {named}, found {came}.")
    if not asked.of:
        return remake(asked, _read(asked, files))
    left, sources = [*files], dict[str, Any]()
    for name, part in asked.of:
        count = len(part.files())
        sources[name] = _read(part, left[:count])
        left = left[count:]
    return remake(asked, sources)


def _read(recipe: Recipe, files: Files) -> ResultSource:
    """The data of a recipe, from its own files."""
    if not recipe.source:
        return None
    if recipe.source == MATRIX:
        if recipe.judges:
            return read_scores(dict(zip(recipe.judges, files, strict=True)))
        return read_matrix(files[0])
    # in the order of `Recipe.files`: qrels, other judges, runs
    qrels, *rest = files
    judged = recipe.read_judges()
    others = dict(zip(judged, rest, strict=False))
    if recipe.source == JUDGES and recipe.panel:
        own = read_qrels_file(qrels, recipe.policy.repeated)
        return panels.compared(recipe.panel, own, others, recipe.policy.repeated)
    return _read_collection(recipe, qrels, rest[len(judged) :], others)


def _read_collection(
    recipe: Recipe, qrels: str | Path, runs: Files, others: Mapping[str, str | Path]
) -> Collection:
    collection = read_collection(qrels, runs, **asdict(recipe.policy))
    return panels.joined(recipe.panel, collection, others)
