"""The page at an address that no page has: it says so, and links to pages of like names and to the first one."""

from collections.abc import Mapping
from functools import partial
from urllib.parse import unquote

import streamlit as st

from irmeval.core.registry import nearest_names
from irmeval.core.tables import escape_markdown
from irmeval.core.text import shorten
from irmeval.ui.state import keys
from irmeval.ui.state.tab_state import Value
from irmeval.ui.widgets import menu

PAGE = "nowhere"
"""The dashboard's own name for the page at every such address."""
ASKED = Value("nowhere", "")
"""The last such address."""


def pages(others: Mapping[str, st.Page]) -> list[st.Page]:
    """The page at the last such address, in no menu; none if there was none. Streamlit would show its first page there."""
    asked = unquote((st.context.url or "").rpartition("/")[2])
    if asked and asked not in {*others, keys.ROOT} and asked.strip() == asked:
        ASKED.set(asked)
    if not ASKED.get():
        return []
    return [st.Page(partial(_draw, ASKED.get(), others), title="No such page", url_path=ASKED.get(), visibility="hidden")]


def _draw(asked: str, others: Mapping[str, st.Page]) -> None:
    st.title("This page does not exist")
    st.write(f"No page has the address {escape_markdown(shorten(asked))}. The menus hold all pages, and *Search* finds one by its name.")
    like = [others[name] for name in nearest_names(asked, [name for name in others if name not in ("", keys.FIRST)])]
    with st.container(key="next-nowhere", horizontal=True, vertical_alignment="center"):
        st.markdown("Next", width="content")
        for says, page in [*(("A similar name", page) for page in like), ("The first page", others[keys.FIRST])]:
            st.page_link(page, label=f"{says}: **{escape_markdown(menu.name_of(page.url_path))}**")
