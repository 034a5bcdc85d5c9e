"""Keys of widgets, which are their names in the address too: each belongs to its page, as in ``swap.trials``, but for what all pages share.

So no page finds under a key of its own what another left. Addresses of before that have no page in their names.
"""

from dataclasses import fields

import streamlit as st

from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection
from irmeval.workspace.stored import JUDGED_BY, PINNED

FIRST = "curves"
"""The page that stands at the root."""
ROOT = "start"
"""The name that Streamlit keeps for the root in addresses."""
MEASURES, PROFILE, HIGHLIGHTED, BY_TEAM = "measures", "profile", "run", "by_team"
SEARCHED, CLOSED = "show", "hidden"
COLLECTION, LARGER, AXES = "collection_open", "larger", "axes"
AS_CHOSEN, AS_PUBLISHED, TOGETHER = "as_chosen", "as_published", "together"
JUDGE = ("other", "errs", "share", "judge_seed", "biased", "matrix")
"""In the sidebar: measures, the policy's profile, the highlighted run, whether runs have the colours of their teams, of which runs charts
are (a search, and those hidden one by one), the open collection, larger type, where axes begin. On all pages of papers: whose choice of
runs, how many samples, which verdicts. On all of judges: who the other judge is."""
SHARED = {
    MEASURES,
    PROFILE,
    *(field.name for record in (Policy, Selection) for field in fields(record)),
    PINNED,
    JUDGED_BY,
    HIGHLIGHTED,
    BY_TEAM,
    SEARCHED,
    CLOSED,
    COLLECTION,
    LARGER,
    AXES,
    AS_CHOSEN,
    AS_PUBLISHED,
    TOGETHER,
    *JUDGE,
}
"""What is decided on one page and holds on others: all of the sidebar, the judge who does not exist, what papers are made with."""
NOT_WIDGETS = {"data", "tour", "term", "lesson", "step"}
"""Names in an address that say which data, or which part of a page, is shown."""


def page() -> str:
    """The name of the page that is being drawn."""
    return st.session_state.get("page") or FIRST


def of(name: str) -> str:
    """The key of a widget on the page that is being drawn."""
    return name if name in SHARED or name in NOT_WIDGETS else on(page(), name)


def on(page: str, name: str) -> str:
    """The key of a widget on a named page."""
    return f"{page}.{name}"
