"""One record of what a visitor changed through two servers at once.

Both records began as the same `base`. A change wins over a removal, and the value in memory over that on disk. If both have different new
content in one place of a collection (judgments, score matrix, a run of one name, notes, teams), both collections are kept.
"""

import json
from collections.abc import Iterator
from secrets import token_hex
from typing import Any

from irmeval.core.text import counted
from irmeval.report.items import ITEMS
from irmeval.ui.state.naming import number_if_taken
from irmeval.workspace.stored import JUDGED_BY

Record = dict[str, Any]

EMPTY: Record = {"desks": [], "measures": [], "parameters": {}, "choices": {}, "report": {}, "habits": {}}
"""The record of a visitor of whom nothing is kept."""
FILES = "qrels", "held_qrels", "runs", "held"
"""The files of a collection."""
ALONE = "qrels", "held_qrels", "matrix", "notes"
"""Parts of a collection that are one value each."""
CHOICES = 50
"""Most long choices of runs that are kept."""
FORGOTTEN = "Your data were forgotten in a different window, and what you had not changed since is gone here too"


class Clash(Exception):
    """Both records have different new content in one place."""


def merge_records(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    """Merge the record in memory (`mine`) and the one on disk (`theirs`), which began as `base`; return sentences for the visitor too."""

    def versions(name: str) -> list[Any]:
        return [(EMPTY | record)[name] for record in (base, mine, theirs)]

    datasets, notices = _merge_datasets(*versions("desks"))
    report, more = _report(*versions("report"))
    pages = versions("parameters")
    found = {
        "desks": datasets,
        "measures": _merge_value(*versions("measures")),
        "parameters": {page: _merge_values(*(kept.get(page, {}) for kept in pages)) for page in pages[1] | pages[2]},
        "choices": dict([*_merge_values(*versions("choices")).items()][-CHOICES:]),
        "report": report,
        "habits": _merge_values(*versions("habits")),
    }
    return found, notices + more


def is_empty(dataset: Record) -> bool:
    """Whether a dataset has no files, and so stands for the collection that all visitors see."""
    return not any(dataset.get(name) for name in (*FILES, "matrix"))


def _merge_value(base: Any, mine: Any, theirs: Any, *, strict: bool = False) -> Any:
    """The value that changed, in memory first; something falsy is a removal. `strict` raises `Clash` for two different new values."""
    if strict and mine and theirs and mine != theirs and base not in (mine, theirs):
        raise Clash
    return theirs if mine == base or (not mine and theirs and theirs != base) else mine


def _merge_values(base: Record, mine: Record, theirs: Record, *, strict: bool = False) -> Record:
    """`_merge_value` for each name; here a falsy value is a value too."""
    found = {}
    for name in theirs | mine:
        versions = ([kept[name]] if name in kept else [] for kept in (base, mine, theirs))
        if merged := _merge_value(*versions, strict=strict):
            found[name] = merged[0]
    return found


def _merge_datasets(base: list[Record], mine: list[Record], theirs: list[Record]) -> tuple[list[Record], list[str]]:
    bare = next((dataset["key"] for dataset in mine if is_empty(dataset)), None)
    was, here, there = ({dataset["key"]: dataset for dataset in _with_shared_key(datasets, bare)} for datasets in (base, mine, theirs))
    found: list[Record] = []
    notices = []
    for key in here | there:
        b, m, t = was.get(key), here.get(key), there.get(key)
        if m and t:
            try:
                found.append(_merge_dataset(b or {}, m, t))
            except Clash:
                found += [m | {"key": token_hex(4)}, t]  # open tabs show the version on disk, and are told of the other
                notices.append(f"{_title(t)} was changed in two places at the same time. Both versions are kept, side by side")
        elif left := m or t:
            if b is None or _without_derived(left) != _without_derived(b):
                found.append(left)
    if was and not there:
        notices.append(FORGOTTEN)
    return _with_unique_names(_join_empty(found), theirs), notices


def _with_shared_key(datasets: list[Record], bare: str | None) -> Iterator[Record]:
    """The datasets; the empty one takes the key `bare`, which it has in memory."""
    taken = {dataset["key"] for dataset in datasets}
    for dataset in datasets:
        yield dataset | {"key": bare} if bare and is_empty(dataset) and bare not in taken else dataset


def _title(dataset: Record) -> str:
    return str(
        dataset["name"]
        or next((dataset[kept][1] for kept in ("held_qrels", "qrels") if dataset[kept]), "The collection that all visitors see")
    )


def _without_derived(dataset: Record) -> Record:
    """The fields of a dataset that do not follow from the others."""
    return {name: value for name, value in dataset.items() if name not in ("collection", "named", "unpacked")}


def _merge_dataset(base: Record, mine: Record, theirs: Record) -> Record:
    """Merge two versions of one dataset. Raises `Clash` if they must stay two."""

    def versions(name: str, empty: Any = None) -> tuple[Any, Any, Any]:
        return base.get(name, empty), mine[name], theirs[name]

    mine = _rename_clashing_judges(base, mine, theirs)
    found = theirs | {name: _merge_value(*versions(name), strict=True) for name in ALONE}
    files = [[kept.get(name) for name in FILES] for kept in (base, mine, theirs)]
    replaced = [base.get("qrels") and base["qrels"] != kept["qrels"] for kept in (mine, theirs)]
    if files[1] != files[2] and any(gone and other != files[0] for gone, other in zip(replaced, files[:0:-1], strict=True)):
        raise Clash  # runs were added to judgments that the other version replaced
    for name in ("runs", "held"):
        found[name] = _merge_values(*versions(name, {}), strict=True)
    teams = ([kept["teams"], kept["team_file"]] if kept.get("teams") else [] for kept in (base, mine, theirs))
    bare = is_empty(mine) and is_empty(theirs)
    found["teams"], found["team_file"] = _merge_value(*teams, strict=not bare) or [{}, ""]
    for name in ("judges", "maps", "settings"):
        found[name] = _merge_values(*versions(name, {}))
    found["maps"] = {name: value for name, value in found["maps"].items() if name in found["judges"]}
    found["name"] = _merge_value(*versions("name", ""))
    found["unpacked"] = max(mine["unpacked"] + theirs["unpacked"] - base.get("unpacked", 0), 0)
    same = next((kept for kept in (mine, theirs) if all(kept[name] == found[name] for name in FILES)), {})
    found["collection"], found["named"] = same.get("collection"), same.get("named", "")
    return found


def _rename_clashing_judges(base: Record, mine: Record, theirs: Record) -> Record:
    """The dataset in memory. Its new judges get another name if a different new judge on disk has the same."""
    kept = base.get("judges", {})
    for name, judge in mine["judges"].items():
        if theirs["judges"].get(name, judge) == judge or kept.get(name) in (judge, theirs["judges"][name]):
            continue
        free = number_if_taken(name, [*mine["judges"], *theirs["judges"]])
        judges, maps = ({free if k == name else k: v for k, v in mine[part].items()} for part in ("judges", "maps"))
        settings = {k: free if k == JUDGED_BY and v == name else v for k, v in mine["settings"].items()}
        mine = mine | {"judges": judges, "maps": maps, "settings": settings}
    return mine


def _join_empty(datasets: list[Record]) -> list[Record]:
    """The datasets, with all that are empty merged into the first of them."""
    bare = [dataset for dataset in datasets if is_empty(dataset)]
    for other in bare[1:]:
        datasets.remove(other)
        datasets[datasets.index(bare[0])] = bare[0] = _merge_dataset({"notes": other["notes"]}, bare[0], other) | {"key": bare[0]["key"]}
    return datasets


def _with_unique_names(datasets: list[Record], theirs: list[Record]) -> list[Record]:
    """The datasets, each with a name of its own; those that were on disk before keep theirs."""
    known = {dataset["key"] for dataset in theirs}
    names: dict[str, str] = {}
    for dataset in sorted(datasets, key=lambda dataset: dataset["key"] not in known):
        names[dataset["key"]] = number_if_taken(dataset["name"], names.values()) if dataset["name"] else ""
    return [dataset | {"name": names[dataset["key"]]} for dataset in datasets]


def _report(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    if base in (mine, theirs):
        return theirs if mine == base else mine, []
    listings = [kept.get("items", ()) for kept in (base, mine, theirs)]
    was, here, there = ({item.get("key") or json.dumps(item, sort_keys=True): item for item in listing} for listing in listings)
    items = _merge_values(was, here, there)
    kept_order = [key for key in was if key in here] == [key for key in here if key in was]
    order = dict.fromkeys([*there, *here] if kept_order else [*here, *there])
    listed = [items[key] for key in order if key in items]
    changed = (key for key in items if key in there and there[key] not in (items[key], was.get(key)))
    listed += [there[key] | {"key": token_hex(4)} for key in changed]
    notices = [f"Your report holds at most {counted(ITEMS, 'item')}: the last are left out"] if len(listed) > ITEMS else []
    words = {}
    for part in ("title", "note"):
        b, m, t = (str(kept.get(part, "")) for kept in (base, mine, theirs))
        words[part] = _merge_value(b, m, t)
        if t and t not in (b, words[part]):
            notices.append(f"The {part} of your report was changed in two places at the same time; the other version was: {t}")
    return words | {"items": listed[:ITEMS]}, notices
