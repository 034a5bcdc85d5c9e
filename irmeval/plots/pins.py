"""Runs that stand out, alike on every figure over runs: pinned runs, the highlighted run, and runs in the colours of their teams; and runs
that are hidden, which no figure draws.

They are set around the drawing (`shown`), so that no experiment need know of them. A figure over measures does not change, and no number
does.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmeval.core.text import counted, verb
from irmeval.plots.theme import GREY, HIGHLIGHT, MARKED, PALETTE, Style, plain

T = TypeVar("T")
MOST = len(PALETTE)
"""Runs that can be pinned: as many as there are colours."""
COLORS = (*[*PALETTE.values()][1:], PALETTE["blue"])
"""Blue, the colour of what is no run, comes last."""
PINNED, HIGHLIGHTED, TEAMS = (
    " Pinned runs stand out in their colours.",
    " The highlighted run stands out.",
    " Runs have the colours of their teams.",
)
"""Said under a figure that shows them so."""
OTHERS = "other teams"


@dataclass
class Pins:
    """The runs that stand out."""

    runs: tuple[str, ...] = ()
    """the pinned ones"""
    among: frozenset[str] = frozenset()
    """all runs that there are"""
    highlighted: str = ""
    """the highlighted one; empty where none is"""
    team: Mapping[str, str] = field(default_factory=dict)
    """run -> team, where runs have the colours of their teams"""
    hidden: frozenset[str] = frozenset()
    """the runs that are not drawn"""
    seen: set[str] = field(default_factory=set)
    """the runs that were on a figure in colours of their own, and by name"""
    named: set[str] = field(default_factory=set)
    drawn: set[str] = field(default_factory=set)
    """where runs are hidden, those that were on a figure, and those that would have been"""
    left: set[str] = field(default_factory=set)

    @cached_property
    def of_team(self) -> dict[str, str]:
        """Team -> colour: those with most runs, as many as can be told from each other and from the grey of the rest."""
        sizes: dict[str, int] = {}
        for team in self.team.values():
            sizes[team] = sizes.get(team, 0) + 1
        order = sorted(sizes, key=lambda team: (-sizes[team], team))
        colors = [*PALETTE.values()]
        return dict(zip(order, colors if len(order) <= MOST else colors[:-1], strict=False))  # the last is near to grey

    @cached_property
    def marked(self) -> frozenset[str]:
        """The runs whose names stand on a figure."""
        return frozenset({*self.runs, self.highlighted} & self.among)

    @cached_property
    def color(self) -> dict[str, str]:
        """Run -> its colour; with teams a pinned run has its team's colour."""
        own = {run: self.of_team[team] for run, team in self.team.items() if team in self.of_team}
        own |= dict(zip(self.runs, COLORS, strict=False)) if not self.team else {}
        own |= {self.highlighted: HIGHLIGHT} if self.highlighted else {}
        return {run: color for run, color in own.items() if run in self.among}

    def caption(self, said: str, usual: str) -> str:
        """What a figure that was drawn shows: what is said of it, but for what is `usual` where runs stand out, and these."""
        return (said.replace(usual, "", 1) if usual and (self.seen or self.named) else said) + self.describe()

    def describe(self) -> str:
        """What a figure that was drawn shows of it, in sentences."""
        parts = [PINNED] * bool({*self.runs} & self.named and not self.team)
        parts += [HIGHLIGHTED] * (self.highlighted in self.named) + [TEAMS] * bool(self.team and self.seen)
        parts += [f" {count_drawn(len(self.drawn), len(self.drawn | self.left))}; hidden runs are left out."] * bool(self.left)
        return "".join(parts)

    def legend(self) -> dict[str, str]:
        """Team -> colour of the runs on a figure that was drawn; the grey of the others last."""
        here = {self.team.get(run, "") for run in self.seen} if self.team else set()
        own = {team: color for team, color in self.of_team.items() if team in here}
        return own | ({OTHERS: GREY} if own and here - own.keys() else {})


def count_drawn(drawn: int, of: int) -> str:
    """How many of some runs are drawn, in words."""
    return f"{drawn:,} of {counted(of, 'run')} {verb(drawn, 'is', 'are')} drawn"


_PINS: ContextVar[Pins | None] = ContextVar("pins", default=None)


@contextmanager
def shown(
    runs: Sequence[str],
    among: Iterable[str],
    highlighted: str = "",
    team: Mapping[str, str] | None = None,
    hidden: Collection[str] = (),
) -> Iterator[Pins]:
    """Within it, figures show these runs, of those that there are, as pinned, one as highlighted, the colours of teams, and no hidden
    run."""
    pins = Pins(tuple(runs[:MOST]), frozenset(among), highlighted, team or {}, frozenset(hidden))
    before = _PINS.set(pins)
    try:
        yield pins
    finally:
        _PINS.reset(before)


def drawn(draw: Callable[[], T], *marked: Any, **more: Any) -> Callable[[], T]:
    """The same function, whenever it is called, with runs standing out or hidden as in `shown`."""

    def pinned() -> T:
        with shown(*marked, **more) as pins:
            return with_legend(draw(), pins)

    return pinned


def with_legend(figure: T, pins: Pins) -> T:
    """The figure with the teams below it, where runs have their colours."""
    if not (teams := pins.legend()):
        return figure
    import plotly.graph_objects as go

    made = figure.to_dict()  # type: ignore[attr-defined]
    layout = made["layout"]
    if not layout.get("showlegend"):
        made["data"] = [{**trace, "showlegend": False} for trace in made["data"]]
        layout["legend"] = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0}
        layout["margin"] = {**layout["margin"], "b": layout["margin"]["b"] + LEGEND}
        layout["height"] += LEGEND
    layout["showlegend"] = True
    keys = [
        {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": plain(team), "marker": {"size": 9, "color": color}}
        for team, color in teams.items()
    ]
    return go.Figure(data=[*made["data"], *keys], layout=layout)


LEGEND = 30
"""Pixels that the names of teams take below a figure."""


def only(names: Sequence[str], *beside: Any) -> Any:
    """The names on a figure without hidden runs, and the same places of what stands beside them: arrays along their first axis, or
    sequences. All of them where nothing would be left."""
    if len(places := _places(names)) == len(names):
        return names, *beside
    parts = ([*names], *(part if isinstance(part, np.ndarray) else [*part] for part in beside))
    return tuple(part[places] if isinstance(part, np.ndarray) else [part[i] for i in places] for part in parts)


def best(order: np.ndarray, names: Sequence[str], most: int) -> np.ndarray:
    """The first of some runs in an order, so many at most, hidden ones left out; `order` numbers the names of all runs."""
    ordered = [names[r] for r in order]
    places = _places(ordered)
    if (pins := _PINS.get()) and pins.left:  # what there is no room for is not drawn either
        pins.drawn -= (past := {ordered[i] for i in places[most:]})
        pins.left |= past
    return order[places[:most]]


def _places(names: Sequence[str]) -> list[int]:
    """The places of those names that are drawn."""
    pins = _PINS.get()
    if pins is None or not pins.hidden:
        return [*range(len(names))]
    runs = {name for name in names if _is_run(name, pins)}
    places = [i for i, name in enumerate(names) if name not in runs or name not in pins.hidden]
    if not places or not runs & pins.hidden:
        return [*range(len(names))]
    pins.left |= runs & pins.hidden
    pins.drawn |= runs - pins.hidden
    return places


def colors(names: Iterable[str]) -> dict[str, str]:
    """Run -> colour of those names that have one of their own; empty where none has, and the figure is as without pins."""
    pins = _PINS.get()
    if pins is None:
        return {}
    here = {name for name in names if _is_run(name, pins)}
    own = {run: color for run, color in pins.color.items() if run in here}
    pins.seen |= here if own else set()
    return own


def marked(names: Iterable[str]) -> dict[str, str]:
    """Run -> colour of those names that stand on a figure whatever else does: pinned runs and the highlighted one."""
    pins = _PINS.get()
    if pins is None:
        return {}
    here = {name: pins.color.get(name, HIGHLIGHT) for name in names if _is_run(name, pins) and name in pins.marked}
    pins.named |= here.keys()
    return here


def color(name: str, own: dict[str, str], usual: str) -> str:
    """The colour of one name on a figure: its own, grey beside those that have one, or the usual one where there are none or it is no
    run."""
    pins = _PINS.get()
    return own[name] if name in own else GREY if own and pins and _is_run(name, pins) else usual


def style(name: str, own: dict[str, str], usual: Style) -> Style:
    """The style of one line on a figure, as `color`."""
    shade = color(name, own, usual.color)
    return usual if shade == usual.color else replace(usual, color=shade)


def named(names: Sequence[str], usual: Collection[str] | None) -> Collection[str] | None:
    """Which names stand on a figure: beside marked runs no other run, what is no run as usual. Where others are hidden, few runs are all
    named."""
    pins, chosen = _PINS.get(), marked(names)
    if pins and pins.left and len(few := {name for name in names if _is_run(name, pins)}) <= MOST:
        chosen |= dict.fromkeys(few, "")
        pins.named |= few
    if not chosen or pins is None:
        return usual
    return {name for name in (names if usual is None else usual) if not _is_run(name, pins)} | chosen.keys()


def text(name: str, short: str, own: dict[str, str]) -> str:
    """A name on an axis as Plotly must get it, a marked one in bold and in its colour."""
    return f'{MARKED}{own[name]}"><b>{plain(short)}</b></span>' if name in own else plain(short)


def run_at(trace: Mapping[str, object], point: int, among: Iterable[str]) -> str:
    """The run that a point of a figure's trace is of; empty where it is of none. Its name stands in the point's text or data, or is the
    trace's own."""
    runs = {plain(run): run for run in among}
    for part in (trace.get("text"), trace.get("customdata"), trace.get("name")):
        found = next(iter(part[point : point + 1]), "") if isinstance(part, (list, tuple)) else part
        found = found[0] if isinstance(found, (list, tuple)) and found else found
        if isinstance(found, str) and found in runs:
            return runs[found]
    return ""


def has_runs(figure: Mapping[str, object], among: Iterable[str]) -> bool:
    """Whether a figure shows any run."""
    runs = frozenset(among)
    return any(run_at(trace, 0, runs) for trace in figure["data"])  # type: ignore[attr-defined]


def _is_run(name: str, pins: Pins) -> bool:
    """A measure is a kind of text of its own, whatever a run is called."""
    return type(name) is str and name in pins.among
