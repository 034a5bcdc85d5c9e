"""A visitor's report: results that they added, with titles and notes, the files that
are made of them, and its editor.
"""

import json
import shlex
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from secrets import token_hex
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.folders import PAGES
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few
from irmeval.experiments.recipe import JUDGES, MATRIX, QRELS, RUNS, WORKSPACE, Recipe
from irmeval.experiments.results import NextStep
from irmeval.judges import Judges
from irmeval.papers.comparisons import find_by_name
from irmeval.plots.axes import use_scale
from irmeval.plots.svg import svg
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels
from irmeval.report import Document, Item, panels, report
from irmeval.report.items import (
    BYTES,
    NOTE,
    TITLE,
    ReportPlan,
    ResultSource,
    missing,
    plan_as_json,
    plan_from_json,
    recipe_as_json,
    source_of,
)
from irmeval.ui.state import cache, keys, visitors
from irmeval.ui.state.mailboxes import REDRAW, REPORT, SAID, Report
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import inputs, jobs, link, session

JOB = "Report"
"""Title of the job that makes its files."""
PAGE = str(PAGES / "report/report.py")
PICTURE = 480
"""Width of the picture of a result in pixels."""
LARGEST = 200_000
"""Maximum characters of it."""
WORDS: dict[str, dict[str, Any]] = {
    "title": {"max_chars": TITLE},
    "note": {"max_chars": NOTE, "height": 80, "draw": st.text_area},
}
"""How the field of a text looks."""


def plan() -> ReportPlan:
    """Plan of this visitor's report."""
    return plan_from_json(visitors.here().report)


def keep(changed: ReportPlan) -> None:
    """Replace the plan of the report. Raises `ParamError` if it is too large."""
    kept = plan_as_json(changed.checked())
    if len(json.dumps(kept)) > BYTES:
        raise ParamError("The report would be too large to be kept. Remove something first.")
    visitor, held = visitors.here(), {item.key for item in changed.items}
    visitor.report = kept
    for gone in visitor.pictures.keys() - held:
        del visitor.pictures[gone]


def count() -> int:
    """Number of results in the report."""
    return len(visitors.here().report.get("items", ()))


def menu_entry() -> str:
    """Menu section of the report, with the number of its results."""
    REPORT.set(Report(counted=count()))
    results = count()
    if not results:
        return "Report"
    return f"Report ({results})"


def button(
    name: str, result: Any, rules: Mapping[str, Any] | None = None, *, label: str = "Add to report"
) -> None:
    """Draw the button that adds a result to the report, or a link if it is there.
    `rules` of the selection are set by the page.
    """
    # pressed in a fragment, and the menu shows the number
    if REPORT.get().counted not in (None, count()):
        st.rerun()
    rules = rules or {}
    REPORT.get().shown[name] = result, rules
    if at := place(result, rules):
        st.page_link(PAGE, label=f"Already in the report, as result {at}", icon=":material/check:")
    else:
        more: dict[str, Any] = {"icon": ":material/post_add:", "type": "tertiary"}
        st.button(label, key=f"report-{name}", on_click=add, args=(result, rules), **more)
    show_message()


def place(result: Any, rules: Mapping[str, Any]) -> int:
    """Place of a result in the report, from 1; 0 if it is not there."""
    if not count():
        return 0
    asked = json.dumps(recipe_as_json(session.recipe(result, **rules)), sort_keys=True)
    kept = (
        json.dumps(item.get("recipe"), sort_keys=True) for item in visitors.here().report["items"]
    )
    return next((at for at, recipe in enumerate(kept, 1) if recipe == asked), 0)


def show_message() -> None:
    """Show the message on the last press, but only once. The callback itself cannot
    show it at a fixed place.
    """
    if said := SAID.take("report"):
        st.toast(said)


def add(result: Any, rules: Mapping[str, Any]) -> None:
    """Add a result to the report, with finding, picture and URL of its page, unless it
    is there already.
    """
    if place(result, rules):
        return
    recipe = session.recipe(result, **rules)
    current, key = plan(), token_hex(4)
    item = Item(recipe, on=_data_of(recipe), key=key, finding=_finding(result), view=_view())
    try:
        keep(current._replace(items=(*current.items, item)))
    except IrmevalError as error:
        SAID.change(report=escape_markdown(str(error)))
    else:
        visitors.here().pictures[key] = _picture(result, plan().items[-1].axes)
        jobs.ask_for(JOB, _state(plan()))  # its page makes the files at once
        SAID.change(report=f"Added: the report now has {count_noun(count(), 'result')}.")


def _data_of(recipe: Recipe) -> str:
    """Names of the data of a result; empty if it needs none."""
    if recipe.of:
        return list_few([*dict(recipe.of)])[:TITLE]
    if not recipe.source:
        return ""
    view = REDRAW.get().view
    if view is None or not view.has_scores:
        return ""
    return view.scores().name


def _finding(result: Any) -> str:
    return str(result.headline())[:NOTE]


def _picture(result: Any, axes: str) -> str:
    """Small picture of the first chart that can be drawn without a browser; empty if
    there is none.
    """
    for chart in result.charts():
        with suppress(ParamError):
            figure = use_scale(axes)(chart.draw)()
            picture = svg(figure.to_dict(), pixels=PICTURE)
            if len(picture) <= LARGEST:
                return picture
    return ""


def _view() -> str:
    """URL of the current page, with its measures: a bare URL would open with the
    visitor's last ones.
    """
    asked = {name: st.query_params.get_all(name) for name in st.query_params}
    asked.setdefault(keys.MEASURES, [*widgets.get(keys.MEASURES, ())])
    view = f"{keys.page_name()}?{urlencode(asked, doseq=True)}"
    if len(view) > NOTE:
        return ""
    return view


def _state(current: ReportPlan) -> str:
    """Everything that the files of the report depend on."""
    asked = current._replace(
        items=tuple(item._replace(finding="", view=item.axes) for item in current.items)
    )
    # another text for other data
    data = " ".join(f"{mine.key} {mine.uploader}" for mine in visitors.here().datasets)
    return json.dumps([plan_as_json(asked), data])


def make(current: ReportPlan) -> None:
    """Draw the button that makes the report, then its files, with a warning for each
    failed result.
    """
    state = _state(current)
    st.button("Make the report", type="primary", on_click=jobs.ask_for, args=(JOB, state))
    if not jobs.is_asked(JOB, state):
        st.caption(
            "An HTML file, and a ZIP with every table as CSV and LaTeX, every figure as SVG,"
            " scripts and a manifest."
        )
        return
    # data of the results are collected for a new job alone
    work: jobs.Function = (lambda _: ()) if jobs.waits(JOB, state) else _work(current)
    document: Document | None = jobs.run(JOB, state, work)
    if document is None:
        return
    if _complete(current, document):
        st.rerun()
    for failed in document.entries:
        if failed.error:
            st.warning(escape_markdown(f"{failed.item.heading}: {failed.error}"))
    with st.container(horizontal=True):
        st.download_button(
            "HTML, to read", document.html, "report.html", "text/html", on_click="ignore"
        )
        st.download_button(
            "ZIP, to use elsewhere",
            document.zipped,
            "report.zip",
            "application/zip",
            on_click="ignore",
        )
    st.caption("To reproduce the numbers bit for bit, or learn why they differ:")
    st.code(_rerun(current), language="bash", wrap_lines=True)


def _rerun(current: ReportPlan) -> str:
    """The command that computes a report again."""
    asked, files = [], [QRELS, RUNS]
    for item in current.items:
        asked.append(item.recipe.panel)
        if item.recipe.of:
            files = [WORKSPACE]
    words = ["python -m irmeval rerun report.zip", *files]
    for name in panels.names(asked):
        words.append(f"--other {shlex.quote(f'{name}=FILE')}")
    return " ".join(words)


def _complete(current: ReportPlan, document: Document) -> bool:
    """Add missing findings and pictures, as after a restart of the server; return
    whether there were any.
    """
    visitor = visitors.here()
    lacking = {
        entry.item.key: entry.result
        for entry in document.entries
        if entry.result and entry.item.key not in visitor.pictures
    }
    if not lacking:
        return False
    items, pictures = [], {}
    for item in current.items:
        if item.key in lacking:
            result = lacking[item.key]
            item = item._replace(finding=_finding(result))
            pictures[item.key] = _picture(result, item.axes)
        items.append(item)
    keep(current._replace(items=tuple(items)))
    visitor.pictures |= pictures
    return True


def _work(current: ReportPlan) -> jobs.Function:
    """Function that makes the report in the background. The data of its results are
    collected here, on the page.
    """
    sources: dict[int, ResultSource | IrmevalError] = {}
    for item in current.items:
        try:
            sources[id(item.recipe)] = _source(item.recipe)
        except IrmevalError as error:
            sources[id(item.recipe)] = error

    def source(recipe: Recipe) -> ResultSource:
        if isinstance(here := sources[id(recipe)], IrmevalError):
            raise ParamError(str(here))
        return here

    def work(progress: Callable[[int, int], None]) -> list[Document]:
        return [
            report(
                current.items,
                source,
                title=current.title,
                note=current.note,
                store=cache.store(),
                progress=progress,
            )
        ]

    return work


def _source(recipe: Recipe) -> ResultSource:
    """Data of a recipe, under its policy and with its judges. Raises `ParamError` if
    they are not loaded.
    """
    if not recipe.source:
        return None
    if recipe.of:
        return {name: _part(name, part) for name, part in recipe.of}
    wrong = []
    for source, judges in session.sources(None if recipe.source == MATRIX else recipe.policy):
        try:
            made = _with_judges(recipe, source, judges)
        except IrmevalError as error:
            wrong.append(str(error))
            continue
        if _is_of(recipe, made):
            return made
    why = " ".join(wrong[:1])
    raise ParamError(
        f"Its data are not loaded. Load them again, then make the report. {why}".strip()
    )


def _is_of(recipe: Recipe, source: Collection | Matrix | Judges) -> bool:
    """Whether a recipe was made of these data."""
    try:
        found: Any = source_of(recipe, source)
    except IrmevalError:  # the selection is not possible on them
        return False
    if found is None or recipe.data is None:
        return False
    return bool(found.fingerprint == recipe.data.fingerprint)


def _part(name: str, part: Recipe) -> Collection:
    """Data of one of several compared collections."""
    try:
        made = _source(part)
    except ParamError:
        raise missing(name, part, "Load it again, then make the report.") from None
    assert isinstance(made, Collection)
    return made


def _with_judges(
    recipe: Recipe, source: Collection | Matrix, judges: Mapping[str, Qrels]
) -> Collection | Matrix | Judges:
    """Judges of a recipe, or a collection with them; the data themselves if it has none."""
    panel = recipe.panel
    if panel is None or not isinstance(source, Collection):
        return source
    if recipe.source == JUDGES:
        return panels.compared(panel, source, judges, recipe.policy.repeated)
    key = (
        "_joined",
        source.fingerprint,
        panel,
        tuple((name, judges[name].sha256) for name in judges),
    )
    joined = cache.store().get_or_make(
        key, lambda: panels.with_further_judges(panel, source, judges)
    )
    visitors.here().note_use(session.dataset(), joined)
    return joined


def edit(plan: ReportPlan) -> None:
    """Draw the fields of the report and all its items."""
    show_message()
    _words("Title", "title", plan.title, placeholder="Report")
    _words("Introduction", "note", plan.note)
    for place, item in enumerate(plan.items):
        with st.container(border=True, key=f"item-{item.key}"):
            _edit_item(place, item, len(plan.items))


def offer_first_results(view: View) -> None:
    """Draw links to suggested first results."""
    link.draw(
        view,
        [
            NextStep("Who is best?", "leaderboard"),
            NextStep("What if judgments disappear?", "curves"),
        ],
        "next-report",
    )


def _edit_item(place: int, item: Item, of: int) -> None:
    """Draw an item: picture, finding and notes, and buttons that open, move and remove
    it.
    """
    recipe, key = item.recipe, item.key
    left, right = st.columns([2, 3])
    with left:
        st.caption(f"Result {place + 1} of {of}")
        st.html(_thumbnail(item))
    with right:
        _words("Heading", "title", item.title, key, placeholder=item.heading)
        if item.finding:
            st.write(escape_markdown(item.finding))
        parts = [find_by_name(recipe.experiment).title, ", ".join(recipe.measures), item.on]
        if recipe.panel:
            parts.append(recipe.panel.describe())
        st.caption(escape_markdown(" · ".join(filter(None, parts))))
        _words("Note", "note", item.note, key)
        with st.container(horizontal=True, vertical_alignment="center"):
            view = escape(item.view or find_by_name(recipe.experiment).pages[0])
            st.html(
                f'<a class="again" href="./{view}" target="_self">Open again</a>', width="content"
            )
            for label, step, icon, stays in (
                ("Up", -1, ":material/arrow_upward:", place == 0),
                ("Down", 1, ":material/arrow_downward:", place == of - 1),
                ("Remove", 0, ":material/delete:", False),
            ):
                more: dict[str, Any] = {"icon": icon, "disabled": stays, "type": "tertiary"}
                st.button(
                    label, key=f"report-{label}-{key}", on_click=_move, args=(key, step), **more
                )


def _thumbnail(item: Item) -> str:
    """Small picture of an item's first chart, as an image, so that no script in it
    runs.
    """
    picture = visitors.here().pictures.get(item.key)
    if picture is None:
        return '<p class="thumbnail">Its chart is shown once the report is made.</p>'
    if not picture:
        return '<p class="thumbnail">No chart</p>'
    url = f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}"
    return (
        f'<img class="thumbnail" src="{url}" alt="{escape(f"The first chart of {item.heading}")}">'
    )


def _words(
    label: str, field: Literal["title", "note"], text: str, key: str = "", **more: Any
) -> None:
    more |= WORDS[field]
    inputs.text(label, text, name=f"{field}-{key}", on_change=_write, args=(field, key), **more)


def _write(field: Literal["title", "note"], key: str = "") -> None:
    text = {field: str(widgets[keys.widget_key(f"{field}-{key}")])}
    try:
        keep(_with_text(plan(), key, text))
    except IrmevalError as error:
        SAID.change(report=escape_markdown(str(error)))


def _with_text(current: ReportPlan, key: str, text: Mapping[Any, Any]) -> ReportPlan:
    """The plan with another text of the item with this key, or of the report itself."""
    if not key:
        return current._replace(**text)
    items = [*current.items]
    for place, item in enumerate(items):
        if item.key == key:
            items[place] = item._replace(**text)
    return current._replace(items=tuple(items))


def _move(key: str, step: int) -> None:
    """Move an item by one step, or remove it with step 0."""
    current = plan()
    items = [*current.items]
    held = [item.key for item in items]
    if key not in held:  # another tab has removed it
        return
    place = held.index(key)
    if not 0 <= place + step < len(items):
        return
    item = items.pop(place)
    if step:
        items.insert(place + step, item)
    keep(current._replace(items=tuple(items)))
