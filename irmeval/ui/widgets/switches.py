"""At the foot of the sidebar: a button that copies the address of the view, and how the dashboard is shown, in which colours, how large."""

from contextlib import AbstractContextManager

import streamlit as st

from irmeval.ui.state import visitors
from irmeval.ui.state.keys import LARGER
from irmeval.ui.widgets import inputs

THEMES = {"Light": "light", "Dark": "dark", "System": "as this device"}
"""What Streamlit calls a theme, and the button."""
SCRIPT = """
if (!window.irmevalSwitches) {
  window.irmevalSwitches = true;
  const copied = button => {
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  };
  const shown = button => {
    const link = button.nextElementSibling;
    link.hidden = false;
    link.value = location.href;
    link.select();
  };
  document.addEventListener("click", ({ target }) => {
    if (!target.dataset) return;
    if ("copy" in target.dataset) {
      if (!navigator.clipboard) shown(target);
      else navigator.clipboard.writeText(location.href).then(() => copied(target), () => shown(target));
    }
    if ("theme" in target.dataset) {
      const root = location.pathname.replace(/[^/]*$/, "");
      for (const page of ["", ...target.parentElement.dataset.pages.split(" ")])
        localStorage.setItem(`stActiveTheme-${root}${page}-v2`, JSON.stringify(target.dataset.theme));
      location.reload();
    }
  });
}
"""
"""Streamlit keeps the theme apart for each address that a visit may begin with, and looks at it when it begins."""
STYLE = """
button:is([data-copy], [data-theme]) {
  font: inherit; font-size: .875rem; color: inherit; background: none; border: 1px solid rgba(128, 128, 128, .4); border-radius: .5rem;
  padding: .25rem .75rem; min-height: 2.5rem; cursor: pointer;
}
button:is([data-copy], [data-theme]):is(:hover, :focus-visible, [aria-pressed=true]) {border-color: currentColor}
.st-key-switches [data-copy] + input {width: 100%; font: inherit; font-size: .75rem; margin-top: .3rem}
"""
LARGE = """
html {font-size: 125% !important}
@media (max-width: 1500px) {
  [data-testid=stMainBlockContainer] {
    [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn]) {flex-wrap: wrap}
    [data-testid=stColumn]:has([data-testid=stPlotlyChart], .lab, [class*=st-key-lab-at-]) {min-width: 100%}
  }
}
"""


def style() -> str:
    """Draw the style of the switches, and the style that they decide."""
    return STYLE + (LARGE if larger() else "")


def larger() -> bool:
    """Whether this visitor has everything shown larger."""
    return visitors.current().habits.get(LARGER, False)


def draw(pages: list[str]) -> AbstractContextManager[object]:
    """The switches; `pages` are all addresses. What opens at a press on *Display* has room for more."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)
    with st.container(key="switches", horizontal=True, vertical_alignment="top"):
        st.html('<button data-copy>Copy link</button><input aria-label="Link to this view" readonly hidden>', width="content")
        with st.popover("Display") as display:
            pressed = (st.context.theme.type or "light").capitalize()
            buttons = [f'<button data-theme="{t}" aria-pressed="{str(t == pressed).lower()}">{said}</button>' for t, said in THEMES.items()]
            st.caption("Colours")
            st.html(f'<div class="themes" data-pages="{" ".join(filter(None, pages))}">{" ".join(buttons)}</div>')
            inputs.toggle(
                "Larger type", larger(), name=LARGER, on_change=_enlarge, help="Text and figures, for a projector or for tired eyes."
            )
    return display


def _enlarge() -> None:
    visitors.current().habits[LARGER] = st.session_state[LARGER]
