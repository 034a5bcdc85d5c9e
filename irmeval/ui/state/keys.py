"""Keys of widgets, which are also their names in the address. A key names its page, as in ``swap.trials``, unless several pages share it.

So no page finds a value that another page left.
"""

from dataclasses import fields

import streamlit as st

from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection
from irmeval.workspace.stored import JUDGED_BY, PINNED

FIRST = "curves"
"""The page at the root."""
ROOT = "start"
"""Streamlit's own name of the root."""
MEASURES, PROFILE, HIGHLIGHTED, BY_TEAM = "measures", "profile", "run", "by_team"
SEARCHED, CLOSED = "show", "hidden"
COLLECTION, LARGER, AXES = "collection_open", "larger", "axes"
SIDEBAR = (MEASURES, PROFILE, PINNED, JUDGED_BY, HIGHLIGHTED, BY_TEAM, SEARCHED, CLOSED, COLLECTION, LARGER, AXES)
"""Measures, the policy's profile, pinned runs, the judge, the highlighted run, whether runs have the colours of their teams, the search for
runs in charts, the runs hidden one by one, the open collection, larger type, and where axes begin."""
AS_CHOSEN, AS_PUBLISHED, TOGETHER = PAPERS = "as_chosen", "as_published", "together"
"""On all pages of papers: whose selection of runs, how many samples, which verdicts."""
JUDGE = ("other", "errs", "share", "judge_seed", "biased", "matrix")
"""On all pages of judges: who the other judge is."""
BESIDE = {field.name for record in (Policy, Selection) for field in fields(record)}.union(SIDEBAR)
"""Keys of widgets that stand beside every page."""
SHARED = BESIDE.union(PAPERS, JUDGE)
"""Keys of widgets that several pages share."""
NOT_WIDGETS = {"data", "tour", "term", "lesson", "step"}
"""Names in an address for the data, or for a part of a page."""


def page_name() -> str:
    """The name of the page that is being drawn."""
    return st.session_state.get("page") or FIRST


def widget_key(name: str) -> str:
    """The key of a widget on the page that is being drawn."""
    return name if name in SHARED or name in NOT_WIDGETS else widget_key_on(page_name(), name)


def widget_key_on(page: str, name: str) -> str:
    """The key of a widget on a named page."""
    return f"{page}.{name}"
