"""Changes of a visitor's rows on two servers at once: what each of them had said it
keeps stays.

SQLite lets one server write after the other. What the second one writes was made of rows
that the first has changed meanwhile, and a row that it writes would replace theirs. So
both versions of a file stay, and a collection that either of them uses.
"""

from secrets import token_hex
from typing import NamedTuple

from irmeval.ui.state.naming import number_if_taken
from irmeval.ui.state.store import Key, Rows, rows_in


class RowChange(NamedTuple):
    """New or changed rows, and keys of removed ones."""

    changed: Rows
    removed: list[Key]

    @property
    def is_any(self) -> bool:
        """Whether there is one."""
        return any(self)


def compare(before: Rows, after: Rows) -> RowChange:
    """What has changed."""
    changed = {key: row for key, row in after.items() if before.get(key) != row}
    return RowChange(changed, sorted(before.keys() - after.keys()))


def merge(before: Rows, mine: Rows, theirs: Rows) -> tuple[RowChange, list[str]]:
    """What to change of the rows of another server, which has changed them too since
    they were read. Returns also the names of collections of which both versions are kept.
    """
    changed, removed = compare(before, mine)
    own, replaced, apart = by_dataset(mine), by_dataset(changed), []
    replaced.pop("", None)  # the visitor's own settings
    for dataset, new in replaced.items():
        if ("dataset", dataset) not in theirs:  # it was removed there, and changed here
            changed |= own[dataset]
        elif any(_is_replaced(key, before, mine, theirs) for key in new):
            for key in new:
                del changed[key]
            changed |= _set_apart(dataset, own[dataset], theirs)
            apart.append(_title(dataset, mine, theirs))
    return RowChange(changed, _may_go(removed, before, theirs)), apart


def _may_go(removed: list[Key], before: Rows, theirs: Rows) -> list[Key]:
    """Those of removed rows that are as they were read, of datasets that another server
    has not changed where all is removed.
    """
    as_read = [key for key in removed if theirs.get(key) == before[key]]
    whole = {key[1] for key in removed if key[0] == "dataset"}
    used = whole & by_dataset(compare(before, theirs).changed).keys()
    return [key for key in as_read if key[1] not in used]


def by_dataset(rows: Rows) -> dict[str, Rows]:
    """Rows of each dataset; under an empty key the visitor's own settings, if any."""
    found: dict[str, Rows] = {}
    for key, row in rows.items():
        found.setdefault(key[1], {})[key] = row
    return found


def _is_replaced(key: Key, before: Rows, mine: Rows, theirs: Rows) -> bool:
    """Whether another server has replaced content that was replaced here too, and by
    another.
    """
    there = theirs.get(key)
    known = None, before.get(key), mine[key]
    # a setting may be replaced by the last who writes: it is picked again at once
    return _is_content(key) and there not in known


def _set_apart(dataset: str, own: Rows, theirs: Rows) -> Rows:
    """Rows of a dataset as a second one, under a name that no other has."""
    # a key of its own: on the other server the first one goes on under its key
    apart = token_hex(4)
    rows: Rows = {(table, apart, *rest): row for (table, _, *rest), row in own.items()}
    taken = [str(name) for (name,) in rows_in("dataset", theirs).values()]
    rows["dataset", apart] = (number_if_taken(str(own["dataset", dataset][0]), taken),)
    return rows


def _title(dataset: str, mine: Rows, theirs: Rows) -> str:
    """Name of a dataset, as the visitor has given it."""
    own = "dataset", dataset
    names = theirs[own][0], mine[own][0], "A collection"
    return str(next(filter(None, names)))


def _is_content(key: Key) -> bool:
    """Whether a row of a dataset contains data that a visitor would miss if
    replaced.
    """
    return key[0] == "file" or key[2:] in (("notes",), ("teams",))
