"""All widgets with a value, each under a key of its page.

A value may come from an address, a visitor's record, a workspace or another page. If
the widget cannot have it, the default replaces it; one in the address is also named
above the page.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import streamlit as st

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.params import CHARACTERS, Field
from irmeval.core.registry import check_known
from irmeval.core.tables import escape_markdown
from irmeval.core.text import capitalize, shorten
from irmeval.scoring.selection import names_text, parse_names
from irmeval.ui.state import keys
from irmeval.ui.state.mailboxes import ADDRESS
from irmeval.ui.state.streamlit_internals import goes_through_history
from irmeval.ui.state.tab_state import DRAWN, drawing_popover, note_drawn, widgets


def forget_refusals() -> None:
    """Clear the refusals of the previous page. Called when another page is opened."""
    ADDRESS.get().refused = {}


def write_address(name: str, value: str | Sequence[str] | None) -> None:
    """Write a value or several to the URL, an empty one removes it; for values set by
    callbacks, which a bound widget writes one press late.
    """
    if not value:
        st.query_params.pop(name, None)
        return
    texts = [*value]
    if isinstance(value, str):
        texts = [value]
    if st.query_params.get_all(name) != texts:
        # else a page in the browser's history for what is not new
        st.query_params[name] = texts


def refuse_unless_valid(name: str, check: Callable[[str], object]) -> None:
    """Remove a widget's value from the URL if `check` refuses it, before the widget is
    first drawn, and keep the reason.
    """
    key = keys.widget_key(name)
    if key in widgets:
        return
    for text in st.query_params.get_all(key):
        try:
            check(text)
        except IrmevalError as error:
            refuse(key, str(error))
            del st.query_params[key]
            return


def refuse(key: str, why: str) -> None:
    """Report above the page why a value of the URL is not used, until the value of the
    key changes.
    """
    ADDRESS.get().refused[key] = {"why": why}


def is_refused(key: str) -> bool:
    """Whether the value in the URL was just refused for a widget, which would use it
    nevertheless if it was bound to it.
    """
    return "instead" not in ADDRESS.get().refused.get(key, {"instead": None})


def refuse_unless_option(name: str, options: Iterable[object], label: str) -> None:
    """The same for a widget whose options have these texts."""
    # an address has texts, whatever the options are
    texts = [str(option) for option in options]

    def check(text: str) -> None:
        if text:
            check_known(text, texts, f"{label}: there is no", ParamError)

    refuse_unless_valid(name, check)


def show_refusals() -> None:
    """Show a line for each refused value, until its widget changes."""
    address = ADDRESS.get()
    # at the end of a drawing: by then each widget has the value in its place
    left = {key: refusal for key, refusal in address.refused.items() if not _is_over(key, refusal)}
    address.refused = left
    if left:
        lines = "".join(f"\n- {escape_markdown(refusal['why'])}" for refusal in left.values())
        st.warning(f"Parts of the URL are invalid; defaults are used instead:\n{lines}")


def _is_over(key: str, refusal: dict[str, Any]) -> bool:
    """Whether a widget has another value than the one in place of a refused one."""
    if key not in widgets:
        return False
    return bool(refusal.setdefault("instead", widgets[key]) != widgets[key])


Checker = Callable[[Any], Any]
"""Function that returns a valid value of the widget: the given one, or a default."""
Sift = Callable[[Sequence[str]], tuple[list[str], list[str]]]
"""Function that splits texts into valid ones of a list, and reasons why others are left
out.
"""

multiselect = partial(st.multiselect, select_all=False, filter_mode="prefix")
"""A list of several values. Enter takes the first option with the typed prefix, or the
typed text if there is none.
"""


def draw_input(
    draw: Callable[..., Any], label: str, *given: Any, name: str, sound: Checker, **more: Any
) -> Any:
    """Draw a widget under a key of the page, after its value in the session is made
    valid.
    """
    make_valid(name, sound)
    key = keys.widget_key(name)
    if "bind" in more and is_refused(key):
        more["bind"] = None
    if "on_change" in more:
        more["on_change"] = partial(_call_if_held, key, more["on_change"])
    value = draw(label, *given, key=key, **more)
    note_drawn(key, from_url=goes_through_history())
    return value


def _call_if_held(key: str, act: Callable[..., None], *given: Any, **more: Any) -> None:
    """Call what a change of a widget asks for, unless the widget has no value any more."""
    # a browser that has not drawn yet that all was reset sends what it still shows
    if key in widgets:
        act(*given, **more)


@contextmanager
def popover(label: str, name: str) -> Iterator[None]:
    """Context for widgets behind a button. A hidden field tells the server which drawing
    of them the browser has built last: see `Widgets`.
    """
    # Streamlit does not tell whether a browser has built what is behind the button
    with st.popover(label, key=name), drawing_popover(keys.widget_key(name)):
        text("Drawn", name=f"{name}{DRAWN}", label_visibility="collapsed")
        yield


def add_beginnings(options: Iterable[str], valid: Callable[[str], bool]) -> list[str]:
    """The options, each preceded by the valid texts that are a prefix of it, since
    Enter would take the option for such a text.
    """
    found: dict[str, None] = {}
    for option in options:
        for end in range(1, len(option)):
            beginning = option[:end]
            # a number such as 0. would stand beside 0, which it is
            if not beginning.endswith(".") and valid(beginning):
                found[beginning] = None
        found[option] = None
    return [*found]


def pick_texts(
    label: str,
    options: Sequence[str],
    *,
    default: Sequence[str],
    name: str,
    sift: Sift,
    **more: Any,
) -> list[str]:
    """Draw a list of texts, typed or from the URL. Invalid texts are left out and
    reported; if none is left, the default is used.
    """
    key, refused = keys.widget_key(name), ADDRESS.get().refused_texts
    typed = key in widgets
    given = widgets.get(key, st.query_params.get_all(key))
    sound: list[str] = []
    wrong: list[str] = []
    if are_texts(given):
        sound, wrong = sift(given)
    bind: dict[str, Any] = {"bind": "query-params"}
    if wrong:
        kept = widgets[key] = sound or [*default]
        refused[key] = kept, wrong
        if not typed:  # or the widget would use the URL
            del st.query_params[key]
            bind = {"bind": None}
    picked: list[str] = draw_input(
        multiselect,
        label,
        options,
        default=default,
        name=name,
        sound=texts(default),
        accept_new_options=True,
        **bind,
        **more,
    )
    kept, reasons = refused.get(key, (picked, []))
    if kept != picked:
        del refused[key]
        return picked
    for why in reasons:
        st.caption(escape_markdown(f"{capitalize(why.rstrip('.'))}."))
    return picked


def pick_pair(label: str, runs: Sequence[str], *, name: str, placeholder: str) -> str:
    """Draw a list of runs of which two are picked; return their names as text, which is
    empty until there are two.
    """
    key = keys.widget_key(name)
    held = widgets.get(key)
    # as the visitor's record keeps it
    if isinstance(held, str):
        with suppress(IrmevalError):
            widgets[key] = parse_names(held, runs)

    def sift(texts: Sequence[str]) -> tuple[list[str], list[str]]:
        wrong = [text for text in texts if text not in runs]
        known = [text for text in texts if text in runs]
        return known, [f"there is no run {shorten(text)}" for text in wrong]

    more: dict[str, Any] = {
        "max_selections": 2,
        "placeholder": placeholder,
        "help": "Two runs. Type to search.",
    }
    picked = pick_texts(label, runs, default=[], name=name, sift=sift, **more)
    if len(picked) == 2:
        return names_text(picked)
    if picked:
        st.caption("Pick a second run.")
    return ""


def make_valid(name: str, sound: Checker) -> None:
    """Make the value under a widget's key valid, before anything reads it."""
    key = keys.widget_key(name)
    if key not in widgets:
        return
    before = widgets[key]
    fit = sound(before)
    if fit is not before:
        widgets[key] = fit


def option(options: Iterable[Any], first: Any) -> Checker:
    """Accept one of the options; anything else becomes `first`."""
    allowed = [*options, first]
    return lambda value: value if value in allowed else first


def some(options: Iterable[Any], first: Iterable[Any] = (), most: int | None = None) -> Checker:
    """Accept several of the options, no more than `most`."""
    allowed, usual = [*options], [*first]

    def sound(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return usual
        left = [each for each in value if each in allowed][:most]
        return value if len(left) == len(value) else left

    return sound


def texts(first: Iterable[str], most: int | None = None) -> Checker:
    """Accept a list of any texts, no more than `most`."""
    usual = [*first]

    def sound(value: Any) -> Any:
        if not are_texts(value):
            return usual
        left = value[:most]
        return value if len(left) == len(value) else left

    return sound


def within(field: Field) -> Checker:
    """Accept a value that is valid for a declared parameter."""

    def sound(value: Any) -> Any:
        try:
            checked = field.check(value)
        except IrmevalError:
            return field.default
        return value if type(value) is type(checked) else checked

    return sound


def is_text(value: object, most: int = CHARACTERS) -> bool:
    """Whether a value is a text that can be sent to a browser."""
    if not isinstance(value, str) or len(value) > most:
        return False
    try:
        # a lone surrogate is a text here, and none that can be sent: the page would end
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def are_texts(value: object) -> bool:
    """Whether a value is a list of such texts."""
    return isinstance(value, list | tuple) and all(map(is_text, value))


def text(
    label: str, value: str = "", *, name: str, draw: Callable[..., str] = st.text_input, **more: Any
) -> str:
    """Draw a field for a text."""
    most = more.get("max_chars", CHARACTERS)
    return draw_input(
        draw,
        label,
        value,
        name=name,
        sound=lambda held: held if is_text(held, most) else value,
        **more,
    )


def toggle(label: str, value: bool = False, *, name: str, **more: Any) -> bool:
    """Draw a switch."""
    return draw_input(
        st.toggle,
        label,
        value,
        name=name,
        sound=lambda held: held if isinstance(held, bool) else value,
        **more,
    )
