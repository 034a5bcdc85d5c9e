"""Results on the page: a sentence, charts, tables, the method, and downloads."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.collection import Collection
from irmeval.core.tables import ENDINGS, decimals, escape_markdown, write_table
from irmeval.core.text import count_noun, first_sentence, slugs
from irmeval.core.version import __version__
from irmeval.experiments.recipe import Recipe
from irmeval.experiments.results import Chart, Figure, Result, Table
from irmeval.experiments.settings import settings_in_words
from irmeval.metrics import Metric
from irmeval.papers.comparisons import find_by_name
from irmeval.plots import canvas, colors, display, pins
from irmeval.plots.axes import use_scale
from irmeval.plots.display import figure_page, mode_bar
from irmeval.plots.elements import measure
from irmeval.reading.score_matrix import Matrix
from irmeval.ui.state import marked_runs
from irmeval.ui.state.mailboxes import BLOCK
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.state.view import Loaded, View
from irmeval.ui.widgets import answer, form, inputs, jobs, link, reporting, session, switches

T = TypeVar("T")

NAMES = ("run", "run_a", "run_b", "run a", "run b")
"""Columns of run names."""
SENT = 250_000
"""Maximum number of cells of a table that are sent to a browser; a larger one is
cut.
"""
SHORT = 12
"""Maximum number of rows of a first table that is shown at full length."""
LOW = 450
"""Maximum height, in pixels, of a figure that may take half of the window instead."""
BAR_WIDTH = 110
"""Width of a column with bars, in pixels."""
LABEL_SIZE = 11.5
"""Size at which `measure` gives the width of the label of a column, whose font is
narrower.
"""
LABEL_EDGES = 18
"""Pixels beside the label of a column."""
KEPT = 1024
"""Labels whose widths are kept."""
APART = 0.03
"""Seconds between what a page is opened for and what is below it."""
ROW = "background-color: rgba(230, 159, 0, 0.28); font-weight: bold"
"""Style of the row of the highlighted run."""
PROVENANCE = "Provenance"
"""Button that opens a result's data, settings and version."""
IMAGES = {"svg": "for print", "png": "for slides"}
SELECTING = {
    "points": {"clickmode": "event+select", "dragmode": "pan"},
    "box": {"clickmode": "event", "dragmode": "select"},
    ("points", "box"): {"clickmode": "event+select", "dragmode": "pan"},
}
"""Layout by selection mode, as Streamlit would set it, and draw the chart once more."""
OFFERED = {
    "csv": ("CSV", "text/csv"),
    "latex": ("LaTeX", "text/plain"),
    "markdown": ("Markdown", "text/markdown"),
}
"""Formats of downloaded tables: label of the button, and media type."""


class DrawnChart(NamedTuple):
    """The figure of a chart, and what is said of it."""

    figure: Figure
    caption: str
    shown: str
    """the part of the caption that stands below it"""
    runs: frozenset[str]
    less: bool
    """whether runs are left out"""


class Sent(NamedTuple):
    """A chart as the browser gets it."""

    caption: str
    shown: str
    less: bool
    """these are as of a `DrawnChart`"""
    figure: Figure
    height: float
    """in pixels, where it has its own"""
    more: dict[str, Any]
    """further arguments of `st.plotly_chart`"""


def draw_figure(chart: Chart) -> DrawnChart:
    """Draw the figure of a chart, with pinned, highlighted and hidden runs and with
    axes as the visitor chose.
    """
    with pins.use_pins(*marked_runs.in_charts()) as pinned, use_scale(switches.axes()) as axes:
        figure = pins.with_legend(chart.draw(), pinned)
    caption = pinned.caption(chart.caption, chart.usual)
    shown = pinned.caption(first_sentence(chart.caption), chart.usual)
    if axes.zoomed:
        caption += switches.NEAR
    return DrawnChart(figure, caption, shown, pinned.among, bool(pinned.left))


def send(chart: Chart, name: str, drawn: DrawnChart | None = None, selects: str = "") -> Sent:
    """A chart, or a changed `drawn` one, as the browser gets it; what was drawn before
    if it would be the same. `selects` is its selection mode, by default that of a click
    on a run.
    """
    looks = selects, st.context.theme.type == "dark", switches.larger()
    if drawn:
        return _send(drawn, name, *looks)
    # most of a press would be spent on figures that are as before
    depends_on = chart, marked_runs.in_charts(), switches.axes(), *looks
    return made_once(f"chart-{name}", depends_on, lambda: _send(draw_figure(chart), name, *looks))


def _send(drawn: DrawnChart, name: str, selects: str, dark: bool, large: bool) -> Sent:
    drawn.figure.layout.paper_bgcolor = colors.PAGE  # a saved image has it too
    shown = display.on_page(drawn.figure, dark)
    if large:
        shown = display.enlarged(shown)
    more = {"config": mode_bar(name)} | clicks(f"chart-{name}", shown, drawn.runs)
    if mode := selects or more.get("selection_mode"):
        shown["layout"] = {"hovermode": "closest"} | shown["layout"] | SELECTING[mode]
    _, caption, said, _, less = drawn
    height = shown["layout"]["height"]
    return Sent(caption, said, less, display.figure_to_send(shown), height, more)


def chart(
    chart: Chart, name: str, drawn: DrawnChart | None = None, *, said: str = "", **more: Any
) -> Any:
    """Draw a chart, or a changed `drawn` one, with title, buttons that save it, and
    the first sentence of its caption, without what is `said` elsewhere. Return the
    selection.
    """
    selects = more.get("selection_mode", "")
    caption, shown, less, figure, _, usual = send(chart, name, drawn, selects)
    if less:
        answer.note_left_out()
    look: dict[str, Any] = {"horizontal_alignment": "distribute", "vertical_alignment": "bottom"}
    with st.container(key=f"title-{name}", horizontal=True, **look):
        st.header(escape_markdown(chart.title), width="content")
        _camera(f"chart-{name}", chart.title)
    state = st.plotly_chart(figure, key=f"chart-{name}", alt=caption, theme=None, **(usual | more))
    if not_said := shown.removeprefix(said).strip():
        st.caption(escape_markdown(not_said))
    return state


def hero(item: Chart, name: str, **more: Any) -> Any:
    """Draw the chart that answers the question of a page as `chart` does: half as high as
    the window (by the style sheet), or as high as its rows need.
    """
    if send(item, name, None, more.get("selection_mode", "")).height > LOW:
        return chart(item, name, **more)
    with st.container(key=f"hero-{name}"):
        return chart(item, name, height="stretch", **more)


def let_it_be_drawn() -> None:
    """Give the browser time for the chart or table that was just sent, which the page is
    opened for. What it gets together it draws together.
    """
    time.sleep(APART)


def draw_charts(charts: Sequence[Chart], name: str) -> None:
    """Draw charts: the first as wide as the page, but for one that is read beside the
    next, the others two in a row. A caption that several share is shown once, below
    them.
    """
    shared = _shared_captions(charts, name)

    def is_wide(item: Chart) -> bool:
        stands_alone = item is charts[0] and not item.beside
        return item.wide or stands_alone

    def draw_row(row: Sequence[Chart], draw: Callable[..., Any]) -> None:
        for item, column in zip(row, st.columns(len(row)), strict=True):
            with column:
                draw(item, f"{name}-{item.name}", said=shared.get(first_sentence(item.caption), ""))

    rows = form.rows_of_two(charts, is_wide)
    for row in rows[:1]:
        draw_row(row, hero)
        let_it_be_drawn()
    # looked at after it, and scrolled to: half a window each would hide the next
    for row in rows[1:]:
        draw_row(row, chart)
    for caption in shared.values():
        st.caption(escape_markdown(caption))
    # the next result may take long, and a page without charts jumps
    jobs.note_shown(name, partial(draw_charts, charts, name))


def _shared_captions(charts: Sequence[Chart], name: str) -> dict[str, str]:
    """Beginnings of captions that several charts have, as drawn."""
    counts = Counter(first_sentence(item.caption) for item in charts)
    several = [caption for caption, n in counts.items() if n > 1]
    return {caption: _as_drawn(caption, charts, name) for caption in several}


def _as_drawn(caption: str, charts: Sequence[Chart], name: str) -> str:
    """The caption of charts that have the same: as drawn, if that is the same too."""
    alike = [item for item in charts if first_sentence(item.caption) == caption]
    captions = {send(item, f"{name}-{item.name}").shown for item in alike}
    if len(captions) > 1:
        return caption
    return captions.pop()


def draw_waiting(name: str, what: str) -> None:
    """Draw what stands in place of a result that is computed: what was shown of the one
    before in grey, or a frame that says `what` the page computes.
    """
    if draw := jobs.shown_before(name):
        with st.container(key=f"stale-{name}"):
            draw()
        return
    with st.container(key=f"waiting-{name}", border=True):
        st.caption(escape_markdown(what), width="content")


def clicks(chart: str, figure: dict[str, Any], runs: Iterable[str]) -> dict[str, Any]:
    """Arguments of `st.plotly_chart` that make a click on a run of this chart highlight
    it; none if it shows no runs. In the figure, a clicked point then looks as
    before.
    """
    # Plotly has them as HTML
    names = {canvas.escape_name(run): run for run in runs}
    if not any(pins.shows_run(trace, names) for trace in figure["data"]):
        return {}
    for trace in figure["data"]:
        if "markers" in trace.get("mode", "") or trace["type"] == "box":
            opacity = trace.get("marker", {}).get("opacity", 1)
            trace["selected"] = trace["unselected"] = {"marker": {"opacity": opacity}}

    def take() -> None:
        points = widgets[chart].selection.points
        if not points:
            return
        clicked = points[-1]
        run = pins.run_at(figure["data"][clicked["curve_number"]], clicked["point_index"], names)
        if run:
            marked_runs.toggle_highlight(run)

    return {"on_select": take, "selection_mode": "points"}


def _camera(chart: str, title: str) -> None:
    """Draw buttons that save the chart with this key as an image: Plotly draws it in
    the browser, nothing is sent.
    """
    saves = [
        f'<button data-save="{chart}" data-image="{image}" title="Save as {image.upper()}, {use}" '
        f'aria-label="Save {escape(title)} as {image.upper()}">{image.upper()}</button>'
        for image, use in IMAGES.items()
    ]
    st.html("".join(saves), width="content")


def show_verdict(name: str, result: Result, choice: str = "") -> None:
    """Show the verdict of a result for one option of its choice."""
    depends_on = result, choice
    answer.show_sentence(made_once(f"sentence-{name}", depends_on, partial(result.verdict, choice)))


def charts_of(name: str, result: Result, choice: str = "") -> list[Chart]:
    """Charts of a result for one option of its choice."""
    return made_once(f"charts-{name}", (result, choice), partial(result.charts, choice))


def tables_of(name: str, result: Result) -> list[Table]:
    """Tables of a result."""
    return made_once(f"tables-{name}", (result,), result.tables)


def block(
    view: View,
    name: str,
    result: Result,
    more: Mapping[str, Callable[[], None]] | None = None,
    *,
    choice: str = "",
    charts: Sequence[Chart] | None = None,
    **below: Any,
) -> None:
    """Draw a result for one option of its `choice`: its verdict, its charts (or
    `charts`), and `below_charts`, which takes `more` and `below`.
    """
    show_verdict(name, result, choice)
    charts = charts_of(name, result, choice) if charts is None else charts
    with answer.body():
        draw_charts(charts, name)
    below_charts(view, name, result, charts, more, **below)


def below_charts(
    view: View,
    name: str,
    result: Any,
    charts: Iterable[Chart],
    more: Mapping[str, Callable[[], None]] | None = None,
    *,
    tables: Sequence[Table] | None = None,
    notes: Callable[[], Iterable[str]] = tuple,
    rules: Mapping[str, Any] | None = None,
    **picked: str,
) -> None:
    """Draw the part below a result's charts: next steps, and on demand table, the views
    in `more`, method with `notes`, and downloads.

    `tables` replace those of the result; the page sets `rules` of the selection; `picked`
    as in `draw_picked`: a second block needs a key.
    """
    tables = tables_of(name, result) if tables is None else tables
    also_said = answer.said_below()

    def numbers() -> None:
        if also_said:
            st.caption(escape_markdown(also_said))
        _one_table(tables, key)

    def method() -> None:
        _draw_method(name, result, charts, notes())
        _draw_command(session.recipe(result, **(rules or {})), tables)

    def files() -> None:
        _draw_files(name, charts, tables)

    key = f"{picked['key']}_table" if "key" in picked else "table"
    views: dict[str, Callable[[], None]] = {"Table": numbers}
    views |= {**(more or {}), "Method": method, "Download": files}
    with answer.settings_line():
        reporting.button(name, result, rules)
    with answer.rest():
        link.draw_below(view, name, result)
        draw_picked(views, **picked)


def _draw_method(name: str, result: Any, charts: Iterable[Chart], notes: Iterable[str]) -> None:
    """Draw what was computed, what is behind the charts, and the formulas."""
    experiment = find_by_name(name)
    st.write(escape_markdown(f"{experiment.meaning} Source: {experiment.source}."))
    for line in notes:
        st.write(escape_markdown(line))
    for item in charts:
        caption, shown, *_ = send(item, f"{name}-{item.name}")
        if caption != shown:
            st.markdown(f"**{escape_markdown(item.title)}** {escape_markdown(caption)}")
    formulas({m.metric.name: m.metric for m in result.measures}.values())


def _draw_command(recipe: Recipe, tables: Sequence[Table]) -> None:
    """Draw the command that computes a result."""
    names = ", ".join(table.name for table in tables)
    st.markdown(
        "On the command line",
        help=escape_markdown(
            f"Replace the words in capitals with your files. The tables are {names}; without"
            " --table it prints every observation, with --all -o FOLDER it writes all tables"
            " and the data of all figures."
        ),
    )
    st.code(recipe.command(tables[0].name), language="bash", wrap_lines=True)


def _draw_files(name: str, charts: Iterable[Chart], tables: Sequence[Table]) -> None:
    """Draw the downloads of tables and figures."""
    scale, marked = switches.axes(), marked_runs.in_charts()
    figures = {
        chart.title: pins.with_pins(use_scale(scale)(chart.draw), *marked) for chart in charts
    }
    notes = {table.title: table.note for table in tables}
    downloads(name, {table.title: table.make for table in tables}, figures, notes)


def draw_picked(
    views: Mapping[str, Callable[[], None]], default: str | None = None, key: str = "view"
) -> None:
    """Draw the picked view; others are not computed."""
    with st.container(key=f"one_of-{key}"):
        _one_of(views, default, key)


@answer.fragment
def _one_of(views: Mapping[str, Callable[[], None]], default: str | None, key: str) -> None:
    options: list[str | None] = [*views]
    sound, look = inputs.option([*options, None], default), {"label_visibility": "collapsed"}
    picked = form.draw_choice(
        st.segmented_control,
        "More",
        options,
        key=key,
        texts=views,
        sound=sound,
        default=default,
        **look,
    )
    if picked:
        views[picked]()


def table(
    frame: pd.DataFrame, *, rows: int = 0, shares: Mapping[str, str] | None = None, **more: Any
) -> Any:
    """Draw a table, with the same decimals in each column; `shares` are columns drawn
    as bars in per cent, with their meaning; `more` is passed to `st.dataframe`. At most
    `SENT` cells are sent. `rows` is the total number if the frame has only the
    first.
    """
    rows, frame = rows or len(frame), frame.head(max(1, SENT // max(len(frame.columns), 1)))
    config = {
        name: st.column_config.NumberColumn(
            format="%,d" if kind.kind in "iu" else f"%,.{decimals(frame[name])}f"
        )
        for name, kind in zip(frame.columns, frame.dtypes, strict=True)
        if kind.kind in "iuf"
    }
    for name, help in (shares or {}).items():
        frame = frame.assign(**{name: 100 * frame[name]})
        config[name] = st.column_config.ProgressColumn(
            name, format="%.1f%%", max_value=100.0, width=BAR_WIDTH, help=help
        )
    config |= more.pop("column_config", {})
    state = st.dataframe(
        _with_highlight(frame),
        hide_index=True,
        placeholder="",
        column_config=fit_labels(config),
        **more,
    )
    if len(frame) < rows:
        st.caption(
            f"The first {len(frame):,} of {rows:,} rows. *Download* and the command line give all"
            " of them."
        )
    return state


def height_of(frame: pd.DataFrame) -> Literal["content", "stretch"]:
    """Height of the first table of a page: as long as it is, or half of the window (by
    the style sheet, in its container).
    """
    return "content" if len(frame) <= SHORT else "stretch"


def fit_labels(config: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a table, none too narrow for its label."""
    fitting = {}
    for name, column in config.items():
        fitting[name] = column
        width = column.get("width")
        if isinstance(width, int):
            least = _label_width(column.get("label") or name)
            fitting[name] = column | {"width": max(width, round(least))}
    return fitting


@lru_cache(KEPT)
def _label_width(label: str) -> float:
    """Pixels that the label of a column takes; cached, since every drawing asks for all."""
    return measure(label, LABEL_SIZE) + LABEL_EDGES


def _with_highlight(frame: pd.DataFrame) -> Any:
    """A table, with the row of the highlighted run marked."""
    highlighted = marked_runs.marks().highlighted
    if not highlighted or "run" not in frame:
        return frame
    here = (frame["run"] == highlighted).to_numpy()
    if not here.any():
        return frame
    styles = np.where(here, ROW, "").tolist()
    return frame.style.apply(lambda column: styles, axis=0)


def result_table(made: Table) -> None:
    """Draw a table of a result, without hidden runs."""
    frame = made.make()
    table(shown := without_hidden(frame))
    if made.note:
        st.caption(escape_markdown(made.note))
    if len(shown) < len(frame):
        st.caption("Rows of hidden runs are omitted here; downloads have all rows.")


def without_hidden(frame: pd.DataFrame) -> pd.DataFrame:
    """A table without the rows of hidden runs, which the line of settings mentions."""
    names = frame[[name for name in NAMES if name in frame]]
    hidden = names.isin(marked_runs.in_charts().hidden).any(axis=1)
    if not hidden.any() or hidden.all():
        return frame
    answer.note_left_out()
    return frame[~hidden].reset_index(drop=True)


def _one_table(tables: Sequence[Table], key: str) -> None:
    """Draw one of the tables of a result, picked by its title."""
    by_name = {made.name: made for made in tables}
    name = tables[0].name
    if len(tables) > 1:
        titles = {made.name: made.title for made in tables}
        name = form.pick_one("Table", titles, key, None, label_visibility="collapsed")
    result_table(by_name[name])


def table_to_judge(frame: pd.DataFrame, rows: int = 0) -> None:
    """Draw the table of unjudged documents, with more decimals of the residual."""
    help = "Possible increase of the mean RBP if the document is relevant."
    table(
        frame,
        rows=rows,
        column_config={
            "residual": st.column_config.NumberColumn("residual", help=help, format="%.6f")
        },
    )


def downloads(
    name: str,
    tables: Mapping[str, Callable[[], pd.DataFrame]],
    figures: Mapping[str, Callable[[], Figure]],
    notes: Mapping[str, str] | None = None,
) -> None:
    """Draw buttons that download each table in each format, with its note if it has
    one, and each figure as a page. A file is made on demand.
    """
    notes = notes or {}
    for (title, make), file in zip(tables.items(), slugs(tables), strict=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{escape_markdown(title)} (table)", width=240)
            for form, (label, mime) in OFFERED.items():
                write = partial(write_table, form=form, note=notes.get(title, ""))
                download_button(label, make, write, f"{name}-{file}.{ENDINGS[form]}", mime)
    for (title, draw), file in zip(figures.items(), slugs(figures), strict=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{escape_markdown(title)} (figure)", width=240)
            download_button(
                "HTML",
                draw,
                partial(figure_page, name=f"{name}-{file}"),
                f"{name}-{file}.html",
                "text/html",
            )


def download_button(
    label: str, make: Callable[[], T], write: Callable[[T], str], file: str, mime: str
) -> None:
    """Draw a button that makes and writes a file when it is pressed."""
    st.download_button(label, lambda: write(make()), file, mime, key=file, on_click="ignore")


def formulas(metrics: Iterable[Metric]) -> None:
    """Draw formula, meaning and source of each metric."""
    for metric in metrics:
        st.markdown(f"**{escape_markdown(metric.name)}** $\\displaystyle {metric.formula}$")
        st.caption(escape_markdown(f"{metric.meaning} {metric.unjudged} Source: {metric.source}."))


def _in_words(params: Any) -> list[str]:
    """Settings in words; none without parameters."""
    return [*settings_in_words(params)] if params else []


def provenance(
    loaded: Loaded[Collection | Matrix] | None, params: Any = None, **more: object
) -> None:
    """Draw a button that opens a line of provenance: the collection, None if none is
    needed, declared parameters, and `more`.
    """
    parts = ["No collection is needed"]
    if loaded:
        c = loaded.collection
        parts = [
            f"{escape_markdown(loaded.name)} `{c.fingerprint[:12]}`",
            count_noun(len(c.runs), "run") if c.runs else "no runs",
            count_noun(len(c.topics), "topic"),
        ]
        if isinstance(c, Collection):
            if c.design:
                parts.append("judgments are a sample")
            parts += [f"policy: {form.describe_policy(c.policy)}", f"depth {c.policy.depth}"]
            left = sum(c.repeated) + c.rejudged + sum(map(sum, c.excluded))
            if left:
                parts.append(f"{count_noun(left, 'line')} left out")
    said = [
        *made_once("settings-in-words", (params,), lambda: _in_words(params)),
        *(f"{key.replace('_', ' ')} {value}" for key, value in more.items()),
    ]
    parts += map(escape_markdown, said)
    block = "-".join(["provenance", BLOCK.get().name, *map(str, more.values())])
    label = PROVENANCE
    if "setting" in more:  # of a second result on the page
        label += f" of {more['setting']}"
    with st.container(key=block), st.popover(label, type="tertiary"):
        st.caption(" · ".join([*parts, f"irmeval {__version__}"]))
