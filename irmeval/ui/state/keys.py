"""Keys of widgets, which are also their names in the URL. A key contains its page, as
in ``swap.trials``, unless several pages share it.

So no page finds a value that another page left.
"""

from dataclasses import fields

from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection
from irmeval.ui.state.mailboxes import REDRAW
from irmeval.ui.state.tab_state import DRAWN
from irmeval.workspace.stored import JUDGED_BY

FIRST = "curves"
"""The page at the root."""
ROOT = "start"
"""Streamlit's own name of the root."""
MEASURES = "measures"
PROFILE = "profile"
"""Policy."""
RUNS = "runs"
"""Record of `marked_runs`."""
COLLECTION = "collection_open"
"""Open collection."""
LARGER = "larger"
"""Larger type."""
AXES = "axes"
"""Start of axes."""
AS_CHOSEN = "as_chosen"
"""On all pages of papers: selection of runs."""
AS_PUBLISHED = "as_published"
"""On all pages of papers: number of samples."""
TOGETHER = "together"
"""On all pages of papers: kind of verdicts."""
JUDGE = ("other", "errs", "share", "judge_seed", "biased", "matrix")
"""On all pages of judges: the other judge."""
SETTINGS = "Settings-sidebar"
"""The popover of the sidebar."""
EXCLUDE = "exclude"
"""Excluded pairs of the policy, which have no widget and are not in the URL, since they
may be long.
"""
BESIDE = {field.name for record in (Policy, Selection) for field in fields(record)} - {EXCLUDE}
BESIDE |= {MEASURES, PROFILE, JUDGED_BY, RUNS, COLLECTION, LARGER, AXES}
"""Keys of widgets beside every page."""
SHARED = BESIDE.union((AS_CHOSEN, AS_PUBLISHED, TOGETHER, SETTINGS, SETTINGS + DRAWN), JUDGE)
"""Keys of widgets that several pages share."""
NOT_WIDGETS = {"data", "tour", "term", "lesson", "lessons", "step", "exercise"}
"""Names in a URL for the data, or for a part of a page."""
OF_NO_PAGE = SHARED | NOT_WIDGETS
"""Names that are keys as they are."""


def page_path() -> str:
    """URL path of the page that is being drawn; empty at the root."""
    return REDRAW.get().page or ""


def page_name() -> str:
    """Name of the page that is being drawn."""
    return page_path() or FIRST


def widget_key(name: str) -> str:
    """Key of a widget on the page that is being drawn."""
    if name in OF_NO_PAGE:
        return name
    return widget_key_on(page_name(), name)


def widget_key_on(page: str, name: str) -> str:
    """Key of a widget on a given page."""
    return f"{page}.{name}"
