"""Pinned runs: on every figure over runs each has the same colour of its own and its name, and all others are grey.

Which runs are pinned is said around the drawing (`shown`), so that no experiment need know of it. A figure over measures does not change.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

from irmeval.plots.theme import GREY, MARKED, PALETTE, Style, plain

T = TypeVar("T")
MOST = len(PALETTE)
"""Runs that can be pinned: as many as there are colours."""
SAID = " Pinned runs stand out in their colours."
COLORS = (*[*PALETTE.values()][1:], PALETTE["blue"])
"""Blue, the colour of what is no run, comes last."""


@dataclass
class Pins:
    """The pinned runs, all runs they are among, and whether a figure had any of them."""

    runs: tuple[str, ...] = ()
    among: frozenset[str] = frozenset()
    used: bool = False


_PINS: ContextVar[Pins | None] = ContextVar("pins", default=None)


@contextmanager
def shown(runs: Sequence[str], among: Iterable[str]) -> Iterator[Pins]:
    """Within it, figures show these runs, of those that there are, as pinned."""
    pins = Pins(tuple(runs[:MOST]), frozenset(among))
    before = _PINS.set(pins)
    try:
        yield pins
    finally:
        _PINS.reset(before)


def drawn(draw: Callable[[], T], runs: Sequence[str], among: Iterable[str]) -> Callable[[], T]:
    """The same function, whenever it is called, with these runs pinned."""

    def pinned() -> T:
        with shown(runs, among):
            return draw()

    return pinned


def colors(names: Iterable[str]) -> dict[str, str]:
    """Run -> colour of those names that are pinned; empty where none is, and the figure is as without pins."""
    pins = _PINS.get()
    if pins is None or not pins.runs:
        return {}
    here = {name for name in names if _is_run(name, pins)}
    own = {run: color for run, color in zip(pins.runs, COLORS, strict=False) if run in here}
    pins.used = pins.used or bool(own)
    return own


def color(name: str, own: dict[str, str], usual: str) -> str:
    """The colour of one name on a figure: its own, grey beside pinned ones, or the usual one where there are none or it is no run."""
    pins = _PINS.get()
    return own[name] if name in own else GREY if own and pins and _is_run(name, pins) else usual


def style(name: str, own: dict[str, str], usual: Style) -> Style:
    """The same of a line."""
    shade = color(name, own, usual.color)
    return usual if shade == usual.color else replace(usual, color=shade)


def named(names: Sequence[str], own: dict[str, str], usual: Collection[str] | None) -> Collection[str] | None:
    """Which names stand on a figure: beside pinned runs no other run, what is no run as usual."""
    pins = _PINS.get()
    if not own or pins is None:
        return usual
    return {name for name in (names if usual is None else usual) if not _is_run(name, pins)} | own.keys()


def text(name: str, short: str, own: dict[str, str]) -> str:
    """A name on an axis as Plotly must get it, a pinned one in bold and in its colour."""
    return f'{MARKED}{own[name]}"><b>{plain(short)}</b></span>' if name in own else plain(short)


def _is_run(name: str, pins: Pins) -> bool:
    """A measure is a kind of text of its own, whatever a run is called."""
    return type(name) is str and name in pins.among
