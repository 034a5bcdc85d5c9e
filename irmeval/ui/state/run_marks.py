"""Runs in charts: one record of searched, hidden, highlighted and pinned runs, for all
pages and the URL.

In the address it is ``runs=``, once for each part, as in ``runs=hide krill,lumen`` and
``runs=highlight aurora1``. It changes no number.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import compress, filterfalse
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import pa, pc
from irmeval.core.registry import check_known
from irmeval.core.text import shorten
from irmeval.metrics import Measure
from irmeval.plots import pins
from irmeval.scoring.selection import names_text, parse_names

LONGEST = 200
"""Maximum length of a search."""
PARTS = ("search", "hide", "show", "highlight", "pin", "teams")
"""Keywords in the URL. *show* hides all other runs."""


@dataclass(frozen=True)
class MarkedRuns:
    """Which runs charts show, and how."""

    search: str = ""
    """a part of the names, or a regular expression between slashes; charts show the
    matches
    """
    hidden: frozenset[str] = frozenset()
    """runs hidden one by one"""
    highlighted: str = ""
    pinned: tuple[str, ...] = ()
    by_team: bool = False
    """whether runs have the colours of their teams"""
    clicked: bool = False
    """whether the highlighted run was clicked on the open page: other pages do not
    highlight it
    """

    def with_text(self, text: str, runs: Sequence[str]) -> "MarkedRuns":
        """The record with one part read from the URL. Raises `ParamError` for an
        unknown part or run.
        """
        part, _, said = text.partition(" ")
        check_known(part, PARTS, "runs: there is no", ParamError)
        if part == "search":
            return replace(self, search=_checked(said))
        if part == "teams":
            return replace(self, by_team=True)
        named = parse_names(said, runs, f"runs={part}")
        named_parts: dict[str, dict[str, Any]] = {
            "highlight": {"highlighted": "".join(named[:1])},
            "pin": {"pinned": tuple(named)},
            "hide": {"hidden": frozenset(named)},
            "show": {"hidden": frozenset(runs).difference(named)},
        }
        return replace(self, **named_parts[part])

    def as_texts(self, runs: Sequence[str]) -> list[str]:
        """Parts for the URL, which `with_text` reads."""
        texts = []
        if self.search:
            texts.append(f"search {self.search}")
        if self.hidden:
            texts.append(self._hidden_text(runs))
        if self.highlighted:
            texts.append(f"highlight {names_text([self.highlighted])}")
        if self.pinned:
            texts.append(f"pin {names_text(self.pinned)}")
        if self.by_team:
            texts.append("teams")
        return texts

    def _hidden_text(self, runs: Sequence[str]) -> str:
        """Which runs are hidden, by the shorter of the two lists."""
        # browsers and proxies cut an address that is too long
        shown = [*filterfalse(self.hidden.__contains__, runs)]
        if len(shown) < len(self.hidden):
            return f"show {names_text(shown)}"
        return f"hide {names_text(sorted(self.hidden))}"

    def with_press(self, run: str, part: str, *, on: bool) -> "MarkedRuns":
        """The record after a button of a run was pressed, which is now `on` or off."""
        if part == "pin":
            pinned = dict.fromkeys(self.pinned, True) | {run: on}
            return replace(self, pinned=tuple(name for name, is_on in pinned.items() if is_on))
        if part == "eye":
            if on:
                return replace(self, hidden=self.hidden - {run})
            return replace(self, hidden=self.hidden | {run})
        if on:
            return replace(self, highlighted=run)
        if self.highlighted == run:
            return replace(self, highlighted="")
        return self

    def among(self, runs: Iterable[str]) -> "MarkedRuns":
        """The record without runs of other data."""
        known = {*runs}
        pinned = [*filter(known.__contains__, self.pinned)]
        return replace(
            self,
            hidden=self.hidden & known,
            highlighted="".join({self.highlighted} & known),
            pinned=tuple(pinned[: pins.MAX_PINS]),
        )

    def found_in(self, runs: Sequence[str]) -> list[str]:
        """Runs that match the search. Raises `ParamError` for a bad regular
        expression.
        """
        text = self.search
        is_regex = len(text) > 1 and text[0] == text[-1] == "/"
        if is_regex:
            return [*compress(runs, matches(runs, text[1:-1], "regex"))]
        return [*compress(runs, matches(runs, text, "text"))]

    def listed(self, runs: Sequence[str]) -> list[str]:
        """Pinned runs, then those that match the search; all runs if none does."""
        found: Sequence[str] = []
        with suppress(ParamError):
            found = self.found_in(runs)
        pinned = filter({*runs}.__contains__, self.pinned)
        listed = [*pinned, *(found or runs)]
        return [*dict.fromkeys(listed)]

    def hidden_among(self, runs: Sequence[str]) -> frozenset[str]:
        """Runs left out of charts: those not `listed`, and hidden ones, but not the
        highlighted one. None if none would be left.
        """
        # who highlights a run that is hidden wants to see it
        left = ({*self.listed(runs)} - self.hidden) | ({self.highlighted} & {*runs})
        if not left:
            return frozenset()
        return frozenset(runs) - left


class RunsInCharts(NamedTuple):
    """How charts show runs: the arguments of `irmeval.plots.pins.use_pins`."""

    pinned: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    """all of them"""
    highlighted: str = ""
    teams: Mapping[str, str] = {}
    """run -> team, if runs have the colours of their teams"""
    hidden: frozenset[str] = frozenset()
    measures: tuple[Measure, ...] = ()
    """those of the sidebar, which have their own colours"""


def matches(names: Sequence[str], text: str, how: str) -> np.ndarray:
    """Names that contain a text, in any case, or match a regular expression (RE2, in
    linear time). Raises `ParamError` for a bad one.
    """
    if how == "text" or not text:
        return np.array([text.lower() in name.lower() for name in names], dtype=bool)
    try:
        # Python's own expressions can take minutes for one that is made to
        found: np.ndarray = pc.match_substring_regex(
            pa.array(names, pa.string()), _checked(text)
        ).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid as error:
        raise ParamError(
            f"Search: expected a regular expression in RE2 syntax, found {shorten(text)} ({error})."
        ) from None
    return found


def _checked(search: str) -> str:
    if len(search) > LONGEST or not search.isprintable():
        raise ParamError(
            f"Search: expected at most {LONGEST} printable characters, found {shorten(search)}."
        )
    return search
