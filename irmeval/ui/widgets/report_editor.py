"""The report on its page: its results, each with picture, finding and words, which can be moved, opened and removed."""

from base64 import b64encode
from html import escape
from typing import Any, Literal

import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.results import NextStep
from irmeval.papers.comparisons import find_by_name
from irmeval.report import Item
from irmeval.report.items import NOTE, TITLE, Plan
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import inputs, next_steps, reporting


def edit(plan: Plan) -> None:
    """Draw the fields of the report and all its items."""
    reporting.show_message()
    _words("Title", "title", plan.title, placeholder="Report")
    _words("Introduction", "note", plan.note)
    for place, item in enumerate(plan.items):
        with st.container(border=True, key=f"item-{item.key}"):
            _edit_item(place, item, len(plan.items))


def offer_first_results() -> None:
    """Draw links to results with which a report may begin."""
    next_steps.draw([NextStep("Who is best?", "leaderboard"), NextStep("What if judgments disappear?", "curves")], "next-report")


def _edit_item(place: int, item: Item, of: int) -> None:
    """Draw an item: picture, finding and words, and buttons that open, move and remove it."""
    recipe, key = item.recipe, item.key
    left, right = st.columns([1, 3])
    with left:
        st.caption(f"Result {place + 1} of {of}")
        st.html(_picture(item))
    with right:
        _words("Heading", "title", item.title, key, placeholder=item.heading)
        if item.finding:
            st.write(escape_markdown(item.finding))
        parts = [find_by_name(recipe.experiment).title, ", ".join(recipe.measures), item.on]
        parts += [recipe.panel.describe()] if recipe.panel else []
        st.caption(" · ".join(escape_markdown(part) for part in parts if part))
        _words("Note", "note", item.note, key)
        with st.container(horizontal=True, vertical_alignment="center"):
            view = escape(item.view or find_by_name(recipe.experiment).pages[0])
            st.html(f'<a class="again" href="./{view}" target="_self">Open again</a>', width="content")
            for label, step, icon, stays in (
                ("Up", -1, ":material/arrow_upward:", place == 0),
                ("Down", 1, ":material/arrow_downward:", place == of - 1),
                ("Remove", 0, ":material/delete:", False),
            ):
                more: dict[str, Any] = {"icon": icon, "disabled": stays, "type": "tertiary"}
                st.button(label, key=f"report-{label}-{key}", on_click=_move, args=(key, step), **more)


def _picture(item: Item) -> str:
    """A small picture of an item's first chart, as an image, so that no script in it runs."""
    picture = visitors.current().pictures.get(item.key)
    if not picture:
        return f'<p class="thumbnail">{"No chart" if picture == "" else "Its chart is shown once the report is made."}</p>'
    return f'<img class="thumbnail" src="{_url(picture)}" alt="{escape(f"The first chart of {item.heading}")}">'


def _url(picture: str) -> str:
    """A picture in SVG as a URL."""
    return f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"


def _words(label: str, field: Literal["title", "note"], text: str, key: str = "", **more: Any) -> None:
    more |= {"max_chars": TITLE} if field == "title" else {"max_chars": NOTE, "height": 80, "draw": st.text_area}
    inputs.text(label, text, name=f"{field}-{key}", on_change=_write, args=(field, key), **more)


def _write(field: Literal["title", "note"], key: str = "") -> None:
    text, current = {field: str(widgets[keys.widget_key(f"{field}-{key}")])}, reporting.plan()
    if key:
        items = tuple(item._replace(**text) if item.key == key else item for item in current.items)  # type: ignore[arg-type]
        current = current._replace(items=items)
    else:
        current = current._replace(**text)  # type: ignore[arg-type]
    try:
        reporting.keep(current)
    except IrmevalError as error:
        reporting.SAID.set(escape_markdown(str(error)))


def _move(key: str, step: int) -> None:
    """Move an item by one step, or with step 0 remove it."""
    current = reporting.plan()
    items = [*current.items]
    place = next((place for place, item in enumerate(items) if item.key == key), None)
    if place is not None and 0 <= place + step < len(items):
        item = items.pop(place)
        if step:
            items.insert(place + step, item)
        reporting.keep(current._replace(items=tuple(items)))
