"""Message of a page that fails, in place of a traceback, with links to the page's
defaults and to another page.
"""

from contextlib import suppress
from secrets import token_hex

import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.tab_state import NOTHING, widgets
from irmeval.ui.widgets import jobs, session


def show_failure(error: Exception) -> bool:
    """Show an error of a page, a fragment or a callback. Streamlit calls this after it
    has logged the error.
    """
    what = (
        str(error)
        if isinstance(error, IrmevalError)
        else f"{type(error).__name__}. The log of this server has the details."
    )
    st.error(f"**This page could not be drawn with these settings.** {escape_markdown(what)}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Show this page with its defaults",
            # several parts of a page may fail, and Streamlit refuses a key twice
            key=f"begin_anew-{token_hex(4)}",
            type="primary",
            on_click=reset_page,
        )
        with suppress(st.errors.StreamlitAPIException):  # it failed before there were pages
            st.page_link(
                str(PAGES / "incompleteness/curves.py"),
                label="Go to the first page",
                query_params={},
            )
        if visitors.here().loaded():  # what fails may be the data themselves
            st.button(
                "Forget my data", key=f"forget_failed-{token_hex(4)}", on_click=session.forget
            )
    return True


def reset_page() -> None:
    """Reset the open page to its defaults: in this tab, in the URL and on disk."""
    prefix = keys.widget_key_on(keys.page_name(), "")
    for key in [str(key) for key in widgets if str(key).startswith(prefix)]:
        widgets[key] = NOTHING
    visitors.here().parameters.pop(keys.page_path(), None)
    jobs.forget_failed()
    st.rerun()
