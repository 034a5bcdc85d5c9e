"""Values in the address. One that a widget cannot have is named above the page; Streamlit would silently show the default."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.registry import check_known
from irmeval.core.tables import escape_markdown
from irmeval.ui.state import keys
from irmeval.ui.state.tab_state import Value, widgets

REFUSED = Value[dict[str, dict[str, Any]]]("refused_of_address", {})
"""Key of a widget -> why its value in the address is refused, and the value in its place."""


def forget_refusals() -> None:
    """Forget the refusals of the previous page. Called when another page is opened."""
    REFUSED.set({})


def write(name: str, value: str | Sequence[str] | None) -> None:
    """Write a value or several to the address, an empty one removes it; for values set by callbacks, which a bound widget writes one press
    late."""
    if value and st.query_params.get_all(name) != ([value] if isinstance(value, str) else [*value]):
        st.query_params[name] = value
    elif not value and name in st.query_params:
        del st.query_params[name]


def refuse_unless_valid(name: str, check: Callable[[str], object]) -> None:
    """Before a widget is first drawn, remove its value from the address if `check` refuses it, and keep the reason."""
    key = keys.widget_key(name)
    for text in st.query_params.get_all(key) if key not in widgets else ():
        try:
            check(text)
        except IrmevalError as error:
            refuse(key, str(error))
            del st.query_params[key]
            return


def refuse(key: str, why: str) -> None:
    """Say above the page why a value of the address is not used, until what is kept under the key changes."""
    REFUSED.setdefault({})[key] = {"why": why}


def is_refused(key: str) -> bool:
    """Whether the value in the address was just refused for a widget: it would take the value all the same, if it was bound to it."""
    return "instead" not in REFUSED.get().get(key, {"instead": None})


def refuse_unless_option(name: str, options: Iterable[object], label: str) -> None:
    """The same for a widget whose options have these texts."""
    texts = [str(option) for option in options]

    def check(text: str) -> None:
        if text:
            check_known(text, texts, f"{label}: there is no", ParamError)

    refuse_unless_valid(name, check)


def show_refusals() -> None:
    """Show a line for each refused value, until its widget changes."""
    refused = REFUSED.get()
    for key in [*refused]:
        if key in widgets and refused[key].setdefault("instead", widgets[key]) != widgets[key]:
            del refused[key]
    if refused:
        lines = "".join(f"\n- {escape_markdown(refusal['why'])}" for refusal in refused.values())
        st.warning(f"Parts of the address cannot be used; defaults are used instead:\n{lines}")
