"""What a visitor decided through two servers at a time, in one record.

What was changed here since the record was last read or written is applied to the record as it is now on disk. A change goes before a
removal, and of a setting that both have changed the later one counts. Where both have put something else in one place of a collection
(the judgments, the score matrix, a run of one name, the notes, the teams), both collections are kept, one beside the other.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import count
from secrets import token_hex
from typing import Any

from irmeval.core.text import counted
from irmeval.report.items import ITEMS
from irmeval.workspace.stored import JUDGED_BY

Record = dict[str, Any]

EMPTY: Record = {"desks": [], "measures": [], "parameters": {}, "choices": {}, "report": {}, "habits": {}}
"""What is there of a visitor of whom nothing is kept."""
FILES = "qrels", "held_qrels", "runs", "held"
"""What a collection is made of."""
ALONE = "qrels", "held_qrels", "matrix", "notes"
"""Of which a collection has one."""
CHOICES = 50
"""How many long choices of runs are kept."""
FORGOTTEN = "Your data were forgotten in a different window, and what you had not changed since is gone here too"


class Clash(Exception):
    """Both have put something else in one place."""


def merge_records(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    """Merge what is in memory and what is on disk, which both began as `base`, into one record; and sentences on what came of it."""
    base, theirs = EMPTY | base, EMPTY | theirs
    datasets, said = _merge_datasets(base["desks"], mine["desks"], theirs["desks"])
    report, more = _report(base["report"], mine["report"], theirs["report"])
    pages = [record["parameters"] for record in (base, mine, theirs)]
    found = {
        "desks": datasets,
        "measures": _merge_value(base["measures"], mine["measures"], theirs["measures"]),
        "parameters": {page: _merge_values(*(kept.get(page, {}) for kept in pages)) for page in pages[1] | pages[2]},
        "choices": dict([*_merge_values(base["choices"], mine["choices"], theirs["choices"]).items()][-CHOICES:]),
        "report": report,
        "habits": _merge_values(base["habits"], mine["habits"], theirs["habits"]),
    }
    return found, said + more


def number_if_taken(name: str, taken: Iterable[str]) -> str:
    """The name, with a number where it is taken."""
    names = {*taken}
    return next(text for n in count(1) if (text := f"{name} ({n})" if n > 1 else name) not in names)


def is_empty(dataset: Record) -> bool:
    """Whether a dataset has no files and so stands for what everybody sees."""
    return not any(dataset.get(name) for name in (*FILES, "matrix"))


def _merge_value(base: Any, mine: Any, theirs: Any) -> Any:
    """The value that changed here, else the one on disk; a change wins over a removal."""
    return theirs if mine == base or (not mine and theirs and theirs != base) else mine


def _merge_values(base: Record, mine: Record, theirs: Record) -> dict[str, Any]:
    """`_merge_value` for each name."""
    absent: list[Any] = []
    found = {}
    for name in theirs | mine:
        was, here, there = (kept.get(name, absent) for kept in (base, mine, theirs))
        removed = here is absent and there != was
        value = there if here == was or removed else here
        if value is not absent:
            found[name] = value
    return found


def _merge_strictly(base: Record, mine: Record, theirs: Record) -> dict[str, Any]:
    """`_merge_value` for each name; `Clash` where both have changed the value of a name, and differently."""
    for name in mine.keys() & theirs.keys():
        if mine[name] != theirs[name] and base.get(name) not in (mine[name], theirs[name]):
            raise Clash(name)
    return _merge_values(base, mine, theirs)


def _merge_datasets(base: list[Record], mine: list[Record], theirs: list[Record]) -> tuple[list[Record], list[str]]:
    bare = next((dataset["key"] for dataset in mine if is_empty(dataset)), None)
    was, here, there = ({dataset["key"]: dataset for dataset in _with_shared_key(datasets, bare)} for datasets in (base, mine, theirs))
    found: list[Record] = []
    said = []
    for key in here | there:
        b, m, t = was.get(key), here.get(key), there.get(key)
        if m and t:
            try:
                found.append(_merge_dataset(b or {}, m, t))
            except Clash:
                found += [m | {"key": token_hex(4)}, t]  # tabs that look at it see what is on disk, and are told of the other
                said.append(f"{_title(t)} was changed in two places at the same time. Both versions are kept, side by side")
        elif left := m or t:
            if b is None or _without_derived(left) != _without_derived(b):
                found.append(left)
    if was and not there:
        said.append(FORGOTTEN)
    return _with_unique_names(_join_empty(found), theirs), said


def _with_shared_key(datasets: list[Record], bare: str | None) -> Iterator[Record]:
    """The datasets, the one without files under the key that it has here."""
    taken = {dataset["key"] for dataset in datasets}
    for dataset in datasets:
        yield dataset | {"key": bare} if bare and is_empty(dataset) and bare not in taken else dataset


def _title(dataset: Record) -> str:
    return str(dataset["name"] or next((dataset[kept][1] for kept in ("held_qrels", "qrels") if dataset[kept]), "What everybody sees"))


def _without_derived(dataset: Record) -> Record:
    """What was loaded and decided of a dataset, without what follows from the rest."""
    return {name: value for name, value in dataset.items() if name not in ("collection", "named", "unpacked")}


def _merge_dataset(base: Record, mine: Record, theirs: Record) -> Record:
    """Merge two versions of one dataset; `Clash` where they must stay two."""

    def of(name: str, empty: Any) -> tuple[Any, Any, Any]:
        return base.get(name, empty), mine[name], theirs[name]

    mine = _rename_clashing_judges(base, mine, theirs)
    bare = is_empty(mine) and is_empty(theirs)
    found = dict(theirs)
    for name in ALONE:
        found[name] = _merge_strictly(*({"": value} if value else {} for value in of(name, None))).get("", "" if name == "notes" else None)
    replaced = [base.get("qrels") and base["qrels"] != kept["qrels"] for kept in (mine, theirs)]
    files = [[kept.get(name) for name in FILES] for kept in (base, mine, theirs)]
    if files[1] != files[2] and any(gone and other != files[0] for gone, other in zip(replaced, files[:0:-1], strict=True)):
        raise Clash("qrels")  # runs were dropped to judgments that are no longer there
    for name in ("runs", "held"):
        found[name] = _merge_strictly(*of(name, {}))
    teams = [{"": [kept["teams"], kept["team_file"]]} if kept.get("teams") else {} for kept in (base, mine, theirs)]
    found["teams"], found["team_file"] = (_merge_values if bare else _merge_strictly)(*teams).get("", [{}, ""])
    for name in ("judges", "maps", "settings"):
        found[name] = _merge_values(*of(name, {}))
    found["maps"] = {name: value for name, value in found["maps"].items() if name in found["judges"]}
    found["name"] = _merge_value(*of("name", ""))
    found["unpacked"] = max(mine["unpacked"] + theirs["unpacked"] - base.get("unpacked", 0), 0)
    same = next((kept for kept in (mine, theirs) if all(kept[name] == found[name] for name in FILES)), {})
    found["collection"], found["named"] = same.get("collection"), same.get("named", "")
    return found


def _rename_clashing_judges(base: Record, mine: Record, theirs: Record) -> Record:
    """The dataset in memory, each judge renamed whose name is another judge's on disk."""
    kept = base.get("judges", {})
    clashing = [name for name in mine["judges"] if theirs["judges"].get(name, mine["judges"][name]) != mine["judges"][name]]
    for name in clashing:
        if kept.get(name) in (mine["judges"][name], theirs["judges"][name]):
            continue
        free = number_if_taken(name, [*mine["judges"], *theirs["judges"]])
        judges, maps = ({free if k == name else k: v for k, v in mine[part].items()} for part in ("judges", "maps"))
        settings = {k: free if k == JUDGED_BY and v == name else v for k, v in mine["settings"].items()}
        mine = mine | {"judges": judges, "maps": maps, "settings": settings}
    return mine


def _join_empty(datasets: list[Record]) -> list[Record]:
    """Keep one of the datasets without files, merged with the others."""
    bare = [dataset for dataset in datasets if is_empty(dataset)]
    for other in bare[1:]:
        datasets.remove(other)
        datasets[datasets.index(bare[0])] = bare[0] = _merge_dataset({"notes": other["notes"]}, bare[0], other) | {"key": bare[0]["key"]}
    return datasets


def _with_unique_names(datasets: list[Record], theirs: list[Record]) -> list[Record]:
    """The datasets, each under a name of its own; those that were on disk before keep theirs."""
    known = {dataset["key"] for dataset in theirs}
    taken: list[str] = []
    named = {}
    for dataset in sorted(datasets, key=lambda dataset: dataset["key"] not in known):
        named[dataset["key"]] = dataset | {"name": number_if_taken(dataset["name"], taken)} if dataset["name"] else dataset
        taken.append(named[dataset["key"]]["name"])
    return [named[dataset["key"]] for dataset in datasets]


def _report(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    if base in (mine, theirs):
        return theirs if mine == base else mine, []
    was, here, there = ({_key(item): item for item in kept.get("items", ())} for kept in (base, mine, theirs))
    items = _merge_values(was, here, there)
    kept_order = [key for key in was if key in here] == [key for key in here if key in was]
    order = dict.fromkeys([*there, *here] if kept_order else [*here, *there])
    listed = [items[key] for key in order if key in items]
    listed += [
        there[key] | {"key": token_hex(4)} for key in items if key in there and items[key] != there[key] and there[key] != was.get(key)
    ]
    said = [f"Your report holds at most {counted(ITEMS, 'item')}: the last are left out"] if len(listed) > ITEMS else []
    words = {}
    for part in ("title", "note"):
        b, m, t = (str(kept.get(part, "")) for kept in (base, mine, theirs))
        words[part] = _merge_value(b, m, t)
        if t and t not in (b, words[part]):
            said.append(f"The {part} of your report was changed in two places at the same time; the other version was: {t}")
    return words | {"items": listed[:ITEMS]}, said


def _key(item: Record) -> str:
    return item.get("key") or json.dumps(item, sort_keys=True)
