"""The report of a visitor: recipes that they added from results, in an order and with words of their own, and what is made of them."""

import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Any, Literal

import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import counted
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.recipe import JUDGES, MATRIX, Recipe
from irmeval.judges import Judges
from irmeval.reading.trec import Qrels
from irmeval.report import Document, Item, panels, report
from irmeval.report.items import BYTES, NOTE, TITLE, Plan, Source, plan_as_dict, plan_from_dict, source_of
from irmeval.ui.state import cached, keys, visitors
from irmeval.ui.widgets import inputs, jobs, session

ASKED, SAID = "report_asked", "report_said"
"""In the session: of which state of the report its visitor asked for the files, and what is to be said of their last press."""


def plan() -> Plan:
    """The plan of this visitor's report."""
    return plan_from_dict(visitors.current().report)


def _keep(changed: Plan) -> None:
    """Replace the plan of the report; `ParamError` where it holds more than is allowed."""
    kept = plan_as_dict(changed.checked())
    if len(json.dumps(kept)) > BYTES:
        raise ParamError("The report would be too large to be kept. Take something out of it first.")
    visitors.current().report = kept


def button(name: str, result: Any, rules: Mapping[str, Any] | None = None) -> None:
    """Draw the button that adds a result to the report; `rules` are those of the selection that the page decides."""
    st.button("Add to report", key=f"report-{name}", icon=":material/post_add:", type="tertiary", on_click=_add, args=(result, rules or {}))
    _say()


def _say() -> None:
    """Once; not where the press is handled, for what is drawn there may stand anywhere."""
    if said := st.session_state.pop(SAID, None):
        st.toast(said)


def _add(result: Any, rules: Mapping[str, Any]) -> None:
    recipe = session.recipe(result, **rules)
    on = session.scored().name if recipe.source == MATRIX.lower() else session.loaded().name if recipe.source else ""
    current = plan()
    try:
        _keep(current._replace(items=(*current.items, Item(recipe, on=on, key=token_hex(4)))))
    except IrmevalError as error:
        st.session_state[SAID] = escape_markdown(str(error))
    else:
        count = counted(len(current.items) + 1, "result")
        st.session_state[SAID] = f"Added: the report holds {count} now. It is the last page of the menu."


def edit_title(current: Plan) -> None:
    """Draw the fields of the report's title and note."""
    _say()
    _words("Title", "title", current.title, placeholder="Report")
    _words("Introduction", "note", current.note)


def edit_item(place: int, item: Item, of: int) -> None:
    """Draw an item of the report: its title and note, and buttons that move and remove it."""
    key = item.key
    with st.container(border=True):
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        with left:
            _words("Heading", "title", item.title, key, placeholder=item.heading)
        with right, st.container(horizontal=True, horizontal_alignment="right"):
            for label, step, icon, stays in (
                ("Up", -1, ":material/arrow_upward:", place == 0),
                ("Down", 1, ":material/arrow_downward:", place == of - 1),
                ("Remove", 0, ":material/delete:", False),
            ):
                st.button(label, key=f"report-{label}-{key}", icon=icon, disabled=stays, on_click=_move, args=(key, step))
        _words("Note", "note", item.note, key)
        parts = [EXPERIMENTS[item.recipe.experiment].title, ", ".join(item.recipe.measures), item.on]
        parts += [item.recipe.panel.describe()] if item.recipe.panel else []
        st.caption(" · ".join(escape_markdown(part) for part in parts if part))


def _words(label: str, field: Literal["title", "note"], text: str, key: str = "", **more: Any) -> None:
    more |= {"max_chars": TITLE} if field == "title" else {"max_chars": NOTE, "height": 80, "draw": st.text_area}
    inputs.text(label, text, name=f"{field}-{key}", on_change=_write, args=(field, key), **more)


def _write(field: Literal["title", "note"], key: str = "") -> None:
    text, current = {field: str(st.session_state[keys.of(f"{field}-{key}")])}, plan()
    if key:
        items = tuple(item._replace(**text) if item.key == key else item for item in current.items)  # type: ignore[arg-type]
        current = current._replace(items=items)
    else:
        current = current._replace(**text)  # type: ignore[arg-type]
    try:
        _keep(current)
    except IrmevalError as error:
        st.session_state[SAID] = escape_markdown(str(error))


def _move(key: str, step: int) -> None:
    """Swap an item with the next or the one before; with no step, remove it."""
    current = plan()
    items = [*current.items]
    place = next((place for place, item in enumerate(items) if item.key == key), None)
    if place is not None and 0 <= place + step < len(items):
        item = items.pop(place)
        if step:
            items.insert(place + step, item)
        _keep(current._replace(items=tuple(items)))


def make(current: Plan) -> None:
    """Draw the button that makes the report, then its files; the page says what could not be made."""
    state = json.dumps([plan_as_dict(current), session.here()])
    st.button("Make the report", type="primary", on_click=st.session_state.update, kwargs={ASKED: state})
    if st.session_state.get(ASKED) != state:
        st.caption("One HTML file to read, and a ZIP with every table as CSV and LaTeX, every figure as SVG, scripts and a manifest.")
        return
    document: Document | None = jobs.run("Report", state, _work(current) if not jobs.waits("Report", state) else lambda _: ())
    if document is None:
        return
    for failed in document.entries:
        if failed.error:
            st.warning(escape_markdown(f"{failed.item.heading}: {failed.error}"))
    with st.container(horizontal=True):
        st.download_button("HTML, to read", document.html, "report.html", "text/html", on_click="ignore")
        st.download_button("ZIP, to use elsewhere", document.zipped, "report.zip", "application/zip", on_click="ignore")
    st.caption("The numbers come again, to the bit, or it is said why not:")
    others = [shlex.quote(f"{name}=FILE") for name in panels.names(item.recipe.panel for item in current.items)]
    words = ["python -m irmeval rerun report.zip QRELS RUNS", *(f"--other {other}" for other in others)]
    st.code(" ".join(words), language="bash", wrap_lines=True)


def _work(current: Plan) -> jobs.Function:
    """What makes the report in the background; where its results are made on is found out here, on the page."""
    sources: dict[int, Source | IrmevalError] = {}
    for item in current.items:
        try:
            sources[id(item.recipe)] = _source(item.recipe)
        except IrmevalError as error:
            sources[id(item.recipe)] = error

    def source(recipe: Recipe) -> Source:
        if isinstance(here := sources[id(recipe)], IrmevalError):
            raise ParamError(str(here))
        return here

    def work(progress: Callable[[int, int], None]) -> list[Document]:
        return [report(current.items, source, title=current.title, note=current.note, store=cached.store(), progress=progress)]

    return work


def _source(recipe: Recipe) -> Source:
    """All that was read, under the recipe's policy, with its judges; `ParamError` where it was made on other data than are at hand."""
    if not recipe.source:
        return None
    fingerprint, why = recipe.data.fingerprint if recipe.data else "", ""
    for source, judges in session.sources(None if recipe.source == MATRIX.lower() else recipe.policy):
        try:
            made = _with_judges(recipe, source, judges) if isinstance(source, Collection) and recipe.panel else source
        except IrmevalError as error:
            why = why or str(error)
            continue
        with suppress(IrmevalError):  # a selection that other data do not allow
            if (found := source_of(recipe, made)) and found.fingerprint == fingerprint:
                return made
    raise ParamError(f"It was made on other data than are loaded now. Load those again, and make the report then. {why}".strip())


def _with_judges(recipe: Recipe, source: Collection, judges: Mapping[str, Qrels]) -> Collection | Judges:
    """The judges of a recipe, or a collection with these judges."""
    panel = recipe.panel
    assert panel
    if recipe.source == JUDGES:
        return panels.compared(panel, source, judges, recipe.policy.repeated)
    key = "_joined", source.fingerprint, panel, tuple((name, judges[name].sha256) for name in judges)
    joined = cached.store().made(key, lambda: panels.with_further_judges(panel, source, judges))
    session.note_use(joined)
    return joined
