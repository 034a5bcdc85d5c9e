"""Runs that are marked on every figure over runs: pinned runs, the highlighted run, and
runs in the colours of their teams; and hidden runs, which no figure draws.

They are set by a context around the drawing (`use_pins`), so that no experiment needs
to know of them. Figures over measures do not change, nor do numbers.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from irmeval.core.places import pick
from irmeval.core.text import count_noun, verb
from irmeval.plots.canvas import escape_name
from irmeval.plots.colors import GREY, HIGHLIGHT, MARKED, PALETTE, Style, ink, measures_first

T = TypeVar("T")
READABLE = 40
"""Maximum number of runs in a figure with a row or a column for each."""
MAX_PINS = len(PALETTE)
"""Maximum number of pinned runs: the number of colours."""
COLORS = (*[*PALETTE.values()][1:], PALETTE["blue"])
"""Colours of pinned runs. Blue is last, since it is also the colour of unmarked
names.
"""
PINNED = " Pinned runs stand out in their colours."
"""Caption part of a figure with pinned runs."""
HIGHLIGHTED = " The highlighted run stands out."
"""Caption part of a figure with the highlighted run."""
TEAMS = " Runs have the colours of their teams."
"""Caption part of a figure with team colours."""
OTHERS = "other teams"


@dataclass
class Pins:
    """The marked and hidden runs, and those of them that figures have shown so far."""

    runs: tuple[str, ...] = ()
    """the pinned runs"""
    among: frozenset[str] = frozenset()
    """all runs"""
    highlighted: str = ""
    """the highlighted run; empty where there is none"""
    team: Mapping[str, str] = field(default_factory=dict)
    """run -> team, where runs have the colours of their teams"""
    hidden: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)
    """the runs on figures where some have their own colours"""
    named: set[str] = field(default_factory=set)
    """the runs whose names were on a figure"""
    drawn: set[str] = field(default_factory=set)
    """where runs are hidden, the runs that were on a figure"""
    left: set[str] = field(default_factory=set)
    """the runs that a figure left out, as they are hidden or there is no room"""

    @cached_property
    def of_team(self) -> dict[str, str]:
        """Team -> colour, for the largest teams, as many as there are colours that
        differ from each other and from the grey of the rest.
        """
        sizes = Counter(self.team.values())
        order = sorted(sizes, key=lambda team: (-sizes[team], team))
        colors = [*PALETTE.values()]
        if len(order) > MAX_PINS:
            colors.pop()  # it is near to the grey that other teams have now
        return dict(zip(order, colors, strict=False))

    @cached_property
    def marked(self) -> frozenset[str]:
        """The runs whose names are on every figure."""
        return frozenset({*self.runs, self.highlighted} & self.among)

    @cached_property
    def color(self) -> dict[str, str]:
        """Run -> colour; with teams, a pinned run has the colour of its team."""
        own = self._of_teams if self.team else dict(zip(self.runs, COLORS, strict=False))
        if self.highlighted:
            own[self.highlighted] = HIGHLIGHT
        return {run: color for run, color in own.items() if run in self.among}

    @property
    def _of_teams(self) -> dict[str, str]:
        """Run -> colour of its team, if that has one."""
        return {run: self.of_team[team] for run, team in self.team.items() if team in self.of_team}

    def caption(self, said: str, usual: str) -> str:
        """The caption of a figure that was drawn: `said`, without the part `usual`
        where runs are marked, and sentences on marked runs.
        """
        if self.seen or self.named:
            said = said.replace(usual, "", 1)
        return said + self.describe()

    def describe(self) -> str:
        """Sentences on the marked and hidden runs of a figure that was drawn."""
        shows_pinned = not self.team and not self.named.isdisjoint(self.runs)
        drawn = count_drawn(len(self.drawn), len(self.drawn | self.left))
        said = {
            PINNED: shows_pinned,
            HIGHLIGHTED: self.highlighted in self.named,
            TEAMS: bool(self.team and self.seen),
            f" {drawn}; hidden runs are left out.": bool(self.left),
        }
        return "".join(text for text, holds in said.items() if holds)

    def legend(self) -> dict[str, str]:
        """Team -> colour of the runs on a figure that was drawn; the grey of other
        teams is last.
        """
        if not self.team:
            return {}
        here = {*map(self.team.get, self.seen)}
        legend = {team: color for team, color in self.of_team.items() if team in here}
        if legend and here - legend.keys():
            legend[OTHERS] = GREY
        return legend


def count_drawn(drawn: int, of: int) -> str:
    """How many of the runs are drawn, in words."""
    return f"{drawn:,} of {count_noun(of, 'run')} {verb(drawn, 'is', 'are')} drawn"


NO_PINS = Pins()
"""Outside of a context there is no run, so that nothing is ever marked or noted here."""
_PINS: ContextVar[Pins] = ContextVar("pins", default=NO_PINS)


@contextmanager
def use_pins(
    runs: Sequence[str],
    among: Iterable[str],
    highlighted: str = "",
    team: Mapping[str, str] | None = None,
    hidden: Collection[str] = (),
    measures: Collection[str] = (),
) -> Iterator[Pins]:
    """Draw figures with these runs pinned, of all runs `among`, one highlighted, the
    colours of teams, without hidden runs, and with the colours that `measures` have.
    """
    pins = Pins(
        tuple(runs[:MAX_PINS]), frozenset(among), highlighted, team or {}, frozenset(hidden)
    )
    before = _PINS.set(pins)
    try:
        with measures_first(measures):
            yield pins
    finally:
        _PINS.reset(before)


def with_pins(draw: Callable[[], T], *marked: Any, **more: Any) -> Callable[[], T]:
    """The same function, with runs marked and hidden as in `use_pins` whenever it is
    called.
    """

    def pinned() -> T:
        with use_pins(*marked, **more) as pins:
            return with_legend(draw(), pins)

    return pinned


def with_legend(figure: T, pins: Pins) -> T:
    """The figure with a legend of teams below it, where runs have the colours of
    teams.
    """
    if not (teams := pins.legend()):
        return figure
    import plotly.graph_objects as go

    made = figure.to_dict()  # type: ignore[attr-defined]
    layout = made["layout"]
    # a figure with a legend of its own has room for it
    if not layout.get("showlegend"):
        made["data"] = [{**trace, "showlegend": False} for trace in made["data"]]
        layout["legend"] = {
            "orientation": "h",
            "yref": "container",
            "y": 0,
            "yanchor": "bottom",
            "x": 0,
        }
        layout["margin"] = {**layout["margin"], "b": layout["margin"]["b"] + LEGEND}
        layout["height"] += LEGEND
    layout["showlegend"] = True
    keys = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": escape_name(team),
            "marker": {"size": 9, "color": color},
        }
        for team, color in teams.items()
    ]
    return go.Figure(data=[*made["data"], *keys], layout=layout)


LEGEND = 30
"""Height of the legend of teams below a figure, in pixels."""


def without_hidden(names: Sequence[str], *beside: Any) -> Any:
    """The names on a figure and what belongs to them (arrays, sequences), without
    hidden runs. All names where none would be left.
    """
    places = _places(names)
    if len(places) == len(names):
        return names, *beside

    def drawn(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            return part[places]
        return pick([*part], places)

    return drawn([*names]), *map(drawn, beside)


def first_drawn(order: np.ndarray, names: Sequence[str], most: int) -> np.ndarray:
    """The first runs in an order, at most `most`, without hidden ones; `order` holds
    indices of names.
    """
    ordered = pick(names, order)
    places = _places(ordered)
    pins = _PINS.get()
    if pins.left:
        # runs that there is no room for are not drawn either
        past = {ordered[i] for i in places[most:]}
        pins.drawn -= past
        pins.left |= past
    return order[places[:most]]


def _places(names: Sequence[str]) -> list[int]:
    """The indices of the names that are drawn."""
    every, pins = [*range(len(names))], _PINS.get()
    runs = _runs_of(names, pins)
    hidden = runs & pins.hidden
    places = [i for i in every if names[i] not in hidden]
    if not hidden or not places:
        return every
    pins.left |= hidden
    pins.drawn |= runs - hidden
    return places


def colors(names: Iterable[str]) -> dict[str, str]:
    """Run -> colour, for the names with a colour of their own; empty where none has
    one, and the figure is as without pins.
    """
    pins = _PINS.get()
    here = _runs_of(names, pins)
    own = {run: color for run, color in pins.color.items() if run in here}
    if own:
        pins.seen |= here
    return own


def marked(names: Iterable[str]) -> dict[str, str]:
    """Run -> colour, for the names that are on every figure: pinned runs and the
    highlighted one.
    """
    pins = _PINS.get()
    runs = [name for name in names if _is_run(name, pins) and name in pins.marked]
    pins.named.update(runs)
    # one without a colour is of a team that has none
    return {run: pins.color.get(run, HIGHLIGHT) for run in runs}


def color(name: str, own: dict[str, str], usual: str) -> str:
    """The colour of one name on a figure: its own; grey for a run beside runs with
    their own; else the usual one.
    """
    if own and _is_run(name, _PINS.get()):
        return own.get(name, GREY)
    return usual


def style(name: str, own: dict[str, str], usual: Style) -> Style:
    """The style of one line on a figure, in the colour of `color`."""
    return replace(usual, color=color(name, own, usual.color))


def names_shown(names: Sequence[str], usual: Collection[str] | None) -> Collection[str] | None:
    """The names that a figure shows: of runs only the marked ones, if any; where runs
    are hidden and few are left, all of these.
    """
    pins = _PINS.get()
    runs, chosen = _runs_of(names, pins), {*marked(names)}
    if pins.left and len(runs) <= MAX_PINS:
        chosen |= runs
        pins.named |= runs
    if not chosen:
        return usual
    return {*(names if usual is None else usual)} - runs | chosen


def axis_text(name: str, short: str, own: dict[str, str]) -> str:
    """A name on an axis as text for Plotly; a marked one is bold and in its colour."""
    text = escape_name(short)
    if name not in own:
        return text
    return f'{MARKED}{ink(own[name])}"><b>{text}</b></span>'


def run_at(trace: Mapping[str, Any], point: int, runs: Mapping[str, str]) -> str:
    """The run of a point of a trace, from the point's text or data, or from the trace's
    name; empty where it is no run. `runs` has the name of each run under its name as a
    figure has it (`escape_name`).
    """
    # a cell is of no single run, and its number may be the name of one
    if trace.get("type") == "heatmap":
        return ""
    for part in map(trace.get, ("text", "customdata", "name")):
        of_point = part[point : point + 1] if isinstance(part, list | tuple) else part
        # of several data of a point, the first is the name
        name = _first(_first(of_point))
        if isinstance(name, str) and name in runs:
            return runs[name]
    return ""


def shows_run(trace: Mapping[str, Any], runs: Mapping[str, str]) -> bool:
    """Whether a point of a trace is of a run, which `run_at` tells."""
    texts = trace.get("text")
    points = len(texts) if isinstance(texts, list | tuple) else 1
    return any(run_at(trace, point, runs) for point in range(points))


def _first(part: Any) -> Any:
    """The first item of a list, None of an empty one; what is no list is itself."""
    if not isinstance(part, list | tuple):
        return part
    return part[0] if part else None


def _runs_of(names: Iterable[str], pins: Pins) -> set[str]:
    return {name for name in names if _is_run(name, pins)}


def _is_run(name: str, pins: Pins) -> bool:
    """Whether a name is a run. A measure has its own type of text, so it is no run even
    if a run has its name.
    """
    return type(name) is str and name in pins.among
