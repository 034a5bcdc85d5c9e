"""Back and forward in the browser: an entry for every page that was opened, each with its own settings."""

import streamlit as st

SCRIPT = """
if (!window.irmevalHistory) {
  window.irmevalHistory = true;
  const push = history.pushState.bind(history);
  let before = null;
  for (const asked of ["click", "keydown", "popstate"]) window.addEventListener(asked, () => { before = null; }, true);
  history.pushState = (state, title, url) => {
    const to = new URL(url, location.href);
    if (to.pathname === location.pathname) {
      before ??= location.href;
      history.replaceState(state, title, to);
    } else {
      if (before) history.replaceState(state, title, before);
      before = null;
      push(state, title, to);
    }
  };
}
"""
"""Streamlit would make an entry of every change that the server makes to an address, and takes a page's settings out of its address
just before it opens another. A change within a page makes no entry here, and is undone where it belongs to the opening of another."""


def install() -> None:
    """Install the script once in a page."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
