"""What a tab keeps from one drawing of its page to the next: one record for each thing
that lives together.

Streamlit runs a page from its first line at every press, and callbacks and fragments
without the page. What they hand to each other has to lie in the session, and only here.
Each mailbox says why an argument would not do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.errors import IrmevalError
from irmeval.metrics import Measure
from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection
from irmeval.ui.state.run_marks import MarkedRuns

if TYPE_CHECKING:
    from irmeval.lessons.exercises import Checked
    from irmeval.ui.state.dataset import Dataset
    from irmeval.ui.state.view import View
    from irmeval.ui.state.visitor import Visitor

T = TypeVar("T")


@dataclass(frozen=True)
class Value(Generic[T]):
    """A record of each tab, kept over reruns."""

    key: str
    make: Callable[[], T]
    """the record of a new tab"""

    def get(self) -> T:
        """The record of this tab."""
        # Streamlit logs an error for each look at a missing key
        if self.key not in st.session_state:
            st.session_state[self.key] = self.make()
        found: T = st.session_state[self.key]
        return found

    def find(self) -> T | None:
        """The record; None if there is none, and then none is made."""
        return self.get() if self.key in st.session_state else None

    def set(self, value: T) -> None:
        """Replace the record."""
        st.session_state[self.key] = value

    def change(self, **fields: Any) -> None:
        """Replace fields of the record; for callbacks, which are no assignments."""
        record = self.get()
        for name, value in fields.items():
            setattr(record, name, value)

    def take(self, name: str) -> Any:
        """A field of the record, which has its first value from now on."""
        taken = getattr(self.get(), name)
        self.change(**{name: getattr(self.make(), name)})
        return taken


class Put(NamedTuple):
    """A value that this server has put under the key of a widget in a popover."""

    place: str
    """the popover"""
    value: Any
    drawn: int | None = None
    """drawing of the popover that sent it to the browser; None before that"""


@dataclass
class Popovers:
    """Widgets behind buttons."""

    places: dict[str, str] = field(default_factory=dict)
    """popover of each widget in one, by key of the widget"""
    put: dict[str, Put] = field(default_factory=dict)
    """values put under keys of widgets, until the browser has another"""
    here: str = ""
    """the popover that is being drawn; empty outside"""


@dataclass
class Redraw:
    """The page that is drawn, or was drawn last."""

    page: str | None = None
    """its URL path, empty at the root; None in a new tab"""
    recalled: str | None = None
    """page just opened, which gets the parameters last set on it"""
    policy: Policy = field(default_factory=Policy)
    """the policy of the sidebar"""
    selection: Selection | IrmevalError = field(default_factory=Selection)
    """rules of the sidebar that select runs and topics, or the error if they are
    invalid
    """
    measures: tuple[Measure, ...] = ()
    """the measures of the sidebar"""
    marks: MarkedRuns | None = None
    """how runs are marked in its charts"""
    bar: DeltaGenerator | None = None
    """place of a progress bar"""
    looked: dict[Any, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """size and time of the server's files when the drawing was begun"""
    made: dict[str, tuple[tuple[Any, ...], Any]] = field(default_factory=dict)
    """what was made since it was begun, by name, with what it depends on"""
    view: "View | None" = None
    """what the page is drawn from"""
    ranked: tuple[Measure, ...] = ()
    """measures of the leaderboard that was drawn last: one that was added since is put in
    detail, which is drawings after it was added if its scores take long
    """


class Places(NamedTuple):
    """The places of a block, from top to bottom."""

    verdict: DeltaGenerator
    """its sentence, or the error of its settings"""
    controls: DeltaGenerator
    """what the block is played with: at most three widgets"""
    body: DeltaGenerator
    """its charts, and the progress of its work"""
    settings: DeltaGenerator
    """the values in force, and the button that changes them"""
    rest: DeltaGenerator
    """next steps, tables, method, downloads"""


@dataclass
class PageBlock:
    """The block of a page that is drawn: a page is one, and may have more."""

    name: str = "page"
    places: Places | None = None
    """None until one of them is needed: what a page draws before is above them"""
    so_far: str = ""
    """part of the work behind the sentence while the rest is computed; empty at the end"""
    below: str = ""
    """sentences of its verdict that stand with the tables"""
    note: DeltaGenerator | None = None
    """a place in the page's first line of settings; None until that is drawn"""
    left_out: bool = False
    """whether the page leaves out hidden runs"""


@dataclass
class OpenTab:
    """Which data a tab shows, and what it has shown."""

    open: str | None = None
    """key of its collection; None for the one that the visitor opened last"""
    sample: "Dataset | None" = None
    """empty dataset, if the tab shows the shared collection although the visitor has
    their own
    """
    begun: bool = False
    """whether the visitor's last settings, or those of a URL, were applied"""
    arranged: dict[str, Any] | None = None
    """values for widgets before they are drawn"""
    settings: dict[str, Any] | None = None
    """settings of the collection at the last rerun"""
    measures: list[str] | None = None
    """measures at the last rerun"""
    forgotten: bool = False
    """whether the visitor's data were just deleted"""
    first_screen: bool | None = None
    """whether it was opened at the bare root"""
    on_tour: bool = False
    introduced: bool = False
    """whether the page introduces the sample"""


@dataclass
class Address:
    """What a URL has asked for."""

    visitor: object = None
    """`Visitor.token` of the visitor for whom it was read; None before"""
    data: str | None = None
    """data in it that are not loaded"""
    linked: dict[str, list[str]] | None = None
    """values in the URL of a new tab, until they are applied, by name"""
    whole: str | None = None
    """page that was completely drawn"""
    nowhere: str = ""
    """the last path without a page"""
    refused: dict[str, dict[str, Any]] = field(default_factory=dict)
    """reasons why values are refused, and values in their place, by key of the widget"""
    refused_texts: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)
    """valid texts of a list after others were left out, and the reasons, by key"""


@dataclass
class Report:
    """The buttons that add to the report."""

    counted: int | None = None
    """number of results in the menu"""
    shown: dict[str, tuple[Any, Mapping[str, Any]]] = field(default_factory=dict)
    """result and rules of each result on the page, by name"""


@dataclass
class Bench:
    """The list on the bench."""

    before: list[tuple[str, ...]] = field(default_factory=list)
    """lists before each change"""
    edits: int = 0
    """number of changes"""
    scored: tuple[Any, dict[str, float], dict[str, float]] | None = None
    """the list scored last, its scores, and those before its last change"""
    next: int | None = None
    """next rank while the list plays"""


@dataclass
class Lessons:
    """Answers to the questions of lessons."""

    votes: dict[str, list[int]] = field(default_factory=dict)
    """lesson -> votes for each choice, without those of a room"""
    right: dict[str, int] = field(default_factory=dict)
    """right choice by lesson, after its answer is shown"""


@dataclass
class Exercises:
    """Exercises that were begun."""

    opened: str | None = None
    """that for which the starting values were set"""
    solved: dict[str, str] = field(default_factory=dict)
    """exercise -> the code of its solution"""
    checked: "list[Checked]" = field(default_factory=list)
    """codes of others"""


@dataclass
class Said:
    """What a press has to tell the next drawing, once."""

    report: str = ""
    """what became of a result that was added"""
    room: str = ""
    """why what was pressed could not be done"""
    judges: list[str] = field(default_factory=list)
    """errors of the files of judges"""
    grade_map: str = ""
    """why the map of a judge is invalid"""
    fused: str = ""
    """run that was added"""
    criterion: str = ""
    """page of the figure that was clicked"""


VISITOR: "Value[Visitor | None]" = Value("visitor", lambda: None)
"""Callbacks and fragments run without the frame, which asks who it is once a drawing."""
POPOVERS = Value("popovers", Popovers)
"""The browser sends old values of a popover that is closed."""
DRAWN = Value[dict[tuple[str, str], tuple[tuple[Any, ...], Any]]]("drawn", dict)
"""A press draws the whole page: parts of it that nothing has changed, by module and name,
with what each depends on.
"""
REDRAW = Value("redraw", Redraw)
"""A page is a script and gets no arguments. Callbacks come before it, and need what was
drawn last.
"""
BLOCK = Value("block", PageBlock)
"""Streamlit draws into the page from anywhere; a fragment draws into it again."""
TAB = Value("tab", OpenTab)
"""Tabs of one visitor show different data."""
ADDRESS = Value("address", Address)
"""Streamlit rewrites the URL as widgets are drawn: what it said at first is gone then."""
MARKS = Value("runs", MarkedRuns)
"""A click on a run in a chart comes in a fragment, and changes all charts."""
JOBS = Value[Any]("jobs", lambda: None)
"""Work goes on in threads while its page is drawn again and again."""
REPORT = Value("report", Report)
"""A button in a fragment changes the number in the menu, which is outside."""
BENCH = Value("bench", Bench)
"""A press replaces the list; *Undo* needs those before."""
LESSONS = Value("lessons_answered", Lessons)
"""Each step of a lesson is a drawing of its own."""
EXERCISES = Value("exercises_begun", Exercises)
"""A link has values for widgets that a button must not set."""
CANDIDATES = Value[list[Any]]("candidates", list)
"""An uploader is emptied as soon as its runs are read."""
SAID = Value("said", Said)
"""What a callback draws has no place on the page."""
