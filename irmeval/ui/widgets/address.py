"""What an address asks for that a widget cannot have: Streamlit would show the default without a word, here it is said above the page."""

import math
from collections.abc import Callable, Iterable

import streamlit as st

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.registry import check_known
from irmeval.core.tables import escape_markdown
from irmeval.ui.state import keys
from irmeval.ui.state.streamlit_internals import remove_from_address, rename_in_address

REFUSED = "refused_of_address"


def begin() -> None:
    """Called where another page is opened: forget the refusals of the page before."""
    st.session_state[REFUSED] = {}


def translate_old_names() -> None:
    """Translate the widget names of older addresses to those of today, for the page that is opened."""
    old = [name for name in st.query_params if "." not in name and keys.of(name) != name]
    rename_in_address({name: keys.of(name) for name in old})


def refuse_unless_valid(name: str, check: Callable[[str], object]) -> None:
    """Before a widget is drawn, remove its value from the address if `check` refuses it, and keep the reason."""
    key = keys.of(name)
    for text in st.query_params.get_all(key):
        try:
            check(text)
        except IrmevalError as error:
            if remove_from_address(key):
                st.session_state.pop(key, None)
                return
            st.session_state.setdefault(REFUSED, {})[key] = {"why": str(error)}
            if _is_endless(text):  # Streamlit trips over it, unless the page is drawn again
                st.rerun()


def _is_endless(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def refuse_unless_option(name: str, options: Iterable[object], label: str = "") -> None:
    """Remove a value from the address that is not among a widget's options, and keep the reason."""
    texts = [str(option) for option in options]

    def check(text: str) -> None:
        if text:
            check_known(text, texts, f"{label or name}: there is no", ParamError)

    refuse_unless_valid(name, check)


def show_refusals() -> None:
    """Show a line for each value that was refused, until the widget has another value."""
    refused = st.session_state.get(REFUSED, {})
    for key in [*refused]:
        if key in st.session_state and refused[key].setdefault("instead", st.session_state[key]) != st.session_state[key]:
            del refused[key]
    if refused:
        lines = "".join(f"\n- {escape_markdown(refusal['why'])}" for refusal in refused.values())
        st.warning(f"Parts of the address cannot be used; defaults are used instead:\n{lines}")
