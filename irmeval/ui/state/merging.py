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

from irmeval.core.words import counted
from irmeval.report.items import ITEMS

Record = dict[str, Any]

EMPTY: Record = {"desks": [], "measures": [], "parameters": {}, "choices": {}, "report": {}, "habits": {}}
"""What is there of a visitor of whom nothing is kept."""
FILES = "qrels", "held_qrels", "runs", "held"
"""What a collection is made of."""
ALONE = "qrels", "held_qrels", "matrix", "notes"
"""Of which a collection has one."""
JUDGED_BY = "judged_by"
CHOICES = 50
"""How many long choices of runs are kept."""
FORGOTTEN = "Your data were forgotten elsewhere, and what you had not changed since is gone here too"


class Clash(Exception):
    """Both have put something else in one place."""


def merged(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    """Merge what is in memory and what is on disk, which both began as `base`, into one record; and sentences on what came of it."""
    base, theirs = EMPTY | base, EMPTY | theirs
    desks, said = _desks(base["desks"], mine["desks"], theirs["desks"])
    report, more = _report(base["report"], mine["report"], theirs["report"])
    pages = [record["parameters"] for record in (base, mine, theirs)]
    found = {
        "desks": desks,
        "measures": _later(base["measures"], mine["measures"], theirs["measures"]),
        "parameters": {page: _each(*(kept.get(page, {}) for kept in pages)) for page in pages[1] | pages[2]},
        "choices": dict([*_each(base["choices"], mine["choices"], theirs["choices"]).items()][-CHOICES:]),
        "report": report,
        "habits": _each(base["habits"], mine["habits"], theirs["habits"]),
    }
    return found, said + more


def numbered(name: str, taken: Iterable[str]) -> str:
    """The name, with a number where it is taken."""
    names = {*taken}
    return next(text for n in count(1) if (text := f"{name} ({n})" if n > 1 else name) not in names)


def is_bare(desk: Record) -> bool:
    """Whether a dataset has no files and so stands for what everybody sees."""
    return not any(desk.get(name) for name in (*FILES, "matrix"))


def _later(base: Any, mine: Any, theirs: Any) -> Any:
    """The value that changed here, else the one on disk; a change wins over a removal."""
    return theirs if mine == base or (not mine and theirs and theirs != base) else mine


def _each(base: Record, mine: Record, theirs: Record) -> dict[str, Any]:
    """`_later` for each name."""
    absent: list[Any] = []
    found = {}
    for name in theirs | mine:
        was, here, there = (kept.get(name, absent) for kept in (base, mine, theirs))
        removed = here is absent and there != was
        value = there if here == was or removed else here
        if value is not absent:
            found[name] = value
    return found


def _strictly(base: Record, mine: Record, theirs: Record) -> dict[str, Any]:
    """`_later` for each name; `Clash` where both have changed the value of a name, and differently."""
    for name in mine.keys() & theirs.keys():
        if mine[name] != theirs[name] and base.get(name) not in (mine[name], theirs[name]):
            raise Clash(name)
    return _each(base, mine, theirs)


def _desks(base: list[Record], mine: list[Record], theirs: list[Record]) -> tuple[list[Record], list[str]]:
    bare = next((desk["key"] for desk in mine if is_bare(desk)), None)
    was, here, there = ({desk["key"]: desk for desk in _called(desks, bare)} for desks in (base, mine, theirs))
    found: list[Record] = []
    said = []
    for key in here | there:
        b, m, t = was.get(key), here.get(key), there.get(key)
        if m and t:
            try:
                found.append(_desk(b or {}, m, t))
            except Clash:
                found += [m | {"key": token_hex(4)}, t]  # tabs that look at it see what is on disk, and are told of the other
                said.append(f"{_title(t)} was changed in two places at the same time. Both are kept: what was changed here is beside it")
        elif left := m or t:
            if b is None or _decided(left) != _decided(b):
                found.append(left)
    if was and not there:
        said.append(FORGOTTEN)
    return _distinct(_with_one_bare(found), theirs), said


def _called(desks: list[Record], bare: str | None) -> Iterator[Record]:
    """The datasets, the one without files under the key that it has here."""
    taken = {desk["key"] for desk in desks}
    for desk in desks:
        yield desk | {"key": bare} if bare and is_bare(desk) and bare not in taken else desk


def _title(desk: Record) -> str:
    return str(desk["name"] or next((desk[kept][1] for kept in ("held_qrels", "qrels") if desk[kept]), "What everybody sees"))


def _decided(desk: Record) -> Record:
    """What was loaded and decided of a dataset, without what follows from the rest."""
    return {name: value for name, value in desk.items() if name not in ("collection", "named", "unpacked")}


def _desk(base: Record, mine: Record, theirs: Record) -> Record:
    """Merge two versions of one dataset; `Clash` where they must stay two."""

    def of(name: str, empty: Any) -> tuple[Any, Any, Any]:
        return base.get(name, empty), mine[name], theirs[name]

    mine = _judges_apart(base, mine, theirs)
    bare = is_bare(mine) and is_bare(theirs)
    found = dict(theirs)
    for name in ALONE:
        found[name] = _strictly(*({"": value} if value else {} for value in of(name, None))).get("", "" if name == "notes" else None)
    replaced = [base.get("qrels") and base["qrels"] != kept["qrels"] for kept in (mine, theirs)]
    files = [[kept.get(name) for name in FILES] for kept in (base, mine, theirs)]
    if files[1] != files[2] and any(gone and other != files[0] for gone, other in zip(replaced, files[:0:-1], strict=True)):
        raise Clash("qrels")  # runs were dropped to judgments that are no longer there
    for name in ("runs", "held"):
        found[name] = _strictly(*of(name, {}))
    teams = [{"": [kept["teams"], kept["team_file"]]} if kept.get("teams") else {} for kept in (base, mine, theirs)]
    found["teams"], found["team_file"] = (_each if bare else _strictly)(*teams).get("", [{}, ""])
    for name in ("judges", "maps", "settings"):
        found[name] = _each(*of(name, {}))
    found["maps"] = {name: value for name, value in found["maps"].items() if name in found["judges"]}
    found["name"] = _later(*of("name", ""))
    found["unpacked"] = max(mine["unpacked"] + theirs["unpacked"] - base.get("unpacked", 0), 0)
    same = next((kept for kept in (mine, theirs) if all(kept[name] == found[name] for name in FILES)), {})
    found["collection"], found["named"] = same.get("collection"), same.get("named", "")
    return found


def _judges_apart(base: Record, mine: Record, theirs: Record) -> Record:
    """The dataset in memory, each judge renamed whose name is another judge's on disk."""
    kept = base.get("judges", {})
    clashing = [name for name in mine["judges"] if theirs["judges"].get(name, mine["judges"][name]) != mine["judges"][name]]
    for name in clashing:
        if kept.get(name) in (mine["judges"][name], theirs["judges"][name]):
            continue
        free = numbered(name, [*mine["judges"], *theirs["judges"]])
        judges, maps = ({free if k == name else k: v for k, v in mine[part].items()} for part in ("judges", "maps"))
        settings = {k: free if k == JUDGED_BY and v == name else v for k, v in mine["settings"].items()}
        mine = mine | {"judges": judges, "maps": maps, "settings": settings}
    return mine


def _with_one_bare(desks: list[Record]) -> list[Record]:
    """Keep one of the datasets without files, merged with the others."""
    bare = [desk for desk in desks if is_bare(desk)]
    for other in bare[1:]:
        desks.remove(other)
        desks[desks.index(bare[0])] = bare[0] = _desk({"notes": other["notes"]}, bare[0], other) | {"key": bare[0]["key"]}
    return desks


def _distinct(desks: list[Record], theirs: list[Record]) -> list[Record]:
    """The datasets, each under a name of its own; those that were on disk before keep theirs."""
    known = {desk["key"] for desk in theirs}
    taken: list[str] = []
    named = {}
    for desk in sorted(desks, key=lambda desk: desk["key"] not in known):
        named[desk["key"]] = desk | {"name": numbered(desk["name"], taken)} if desk["name"] else desk
        taken.append(named[desk["key"]]["name"])
    return [named[desk["key"]] for desk in desks]


def _report(base: Record, mine: Record, theirs: Record) -> tuple[Record, list[str]]:
    if base in (mine, theirs):
        return theirs if mine == base else mine, []
    was, here, there = ({_key(item): item for item in kept.get("items", ())} for kept in (base, mine, theirs))
    items = _each(was, here, there)
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
        words[part] = _later(b, m, t)
        if t and t not in (b, words[part]):
            said.append(f"The {part} of your report was changed in two places at the same time; the other was: {t}")
    return words | {"items": listed[:ITEMS]}, said


def _key(item: Record) -> str:
    return item.get("key") or json.dumps(item, sort_keys=True)
