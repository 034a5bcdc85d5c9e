"""The metric lab: a ranked list edited in place, with immediate scores.

The list is one text, in the address bar as well. The widgets of its rows are drawn from
that text, and write it.
"""

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.learn.lab import (
    KINDS,
    LONGEST,
    SAME,
    WRITTEN,
    Lab,
    Params,
    lab,
    parse,
    swap_ranks,
    written,
)
from irmeval.metrics import Measure
from irmeval.plots import colors
from irmeval.ui.state import keys
from irmeval.ui.state.mailboxes import BENCH, Bench
from irmeval.ui.state.tab_state import made_once, widgets
from irmeval.ui.widgets import answer, form, inputs, output, ranked_list


class Example(NamedTuple):
    """An example list, with the measures it illustrates."""

    title: str
    params: Params
    measures: list[str]
    look: str
    """what to look at, and what to try next"""


EXAMPLES = {
    name: Example(**entry | {"params": Params(**entry["params"])})
    for name, entry in tomllib.loads(
        Path(__file__).with_name("examples.toml").read_text(encoding="utf-8")
    ).items()
}
"""Examples by name, in the order of ``examples.toml``."""


STEPS = {"↑": -1, "↓": 1}
MOVES = (*STEPS, "✕")
SWAPS = {"a": "Swap rank", "b": "with rank"}, {"c": "or rank", "d": "with rank"}
"""Keys and labels of the swapped ranks."""
HEADS = {
    "measure": "H and the top grade are those of this list.",
    "raw": "The list as it is; small figures: the change since the last click.",
    "condensed": (
        "The list without unjudged documents; empty for measures without a condensed form."
    ),
}
SWAPPED = (
    "The list with the documents at these two ranks swapped; small figures: the resulting change."
)
CHANGED = "This is your own list. Reset brings back that of the example, and what to look at in it."
OWN = "own"
"""Name of the choice of an example's measures."""
TEXTS = ("list", "rest")
"""Keys of the texts of the list, and of the documents not retrieved."""
KEPT = 50
"""Maximum number of lists that are kept before each change."""
PAUSE = 1.2
"""Seconds per rank while the list plays."""
PLAYING = keys.widget_key_on("lab", "play")
"""Switch that plays the list."""
UPTO = keys.widget_key_on("lab", "upto")
"""Rank down to which the list is drawn."""


def pick_example() -> list[str]:
    """Draw a card for each example, what to look at in the picked one while its list is
    unchanged, and its measures, each of which can be left out; return the measures.
    """
    titles = {name: example.title for name, example in EXAMPLES.items()}
    how: dict[str, Any] = {
        "label_visibility": "collapsed",
        "width": "stretch",
        "persist_state": "session",
    }
    example = EXAMPLES[
        form.pick_button("Start from", titles, "example", None, on_change=_take_example, **how)
    ]
    for name, value in vars(example.params).items():
        widgets.setdefault(keys.widget_key(name), value)
    changed = any(widgets[keys.widget_key(name)] != getattr(example.params, name) for name in TEXTS)
    look = example.look
    if changed:
        look = CHANGED
    st.caption(escape_markdown(look))
    return form.pick_some(
        "Measures of the example", example.measures, OWN, "Those of the sidebar come after them."
    )


def _take_example() -> None:
    _note()
    example = EXAMPLES[widgets[keys.widget_key("example")]]
    widgets.update({keys.widget_key(name): value for name, value in vars(example.params).items()})
    widgets[keys.widget_key(OWN)] = example.measures
    BENCH.get().edits += 1
    BENCH.get().scored = None


def _note() -> None:
    """Save the list before it changes."""
    bench = BENCH.get()
    now = tuple(widgets[key] for key in map(keys.widget_key, TEXTS) if key in widgets)
    bench.before = [*bench.before, now][-KEPT:]


def forget_before() -> None:
    """Begin with another list, to which *Undo* does not return from here."""
    BENCH.set(Bench(edits=BENCH.get().edits + 1))


def _undo() -> None:
    texts = BENCH.get().before.pop()
    widgets.update(zip(map(keys.widget_key, TEXTS), texts, strict=False))
    BENCH.get().edits += 1


def read_list() -> tuple[str, str]:
    """Text of the list and of the documents not retrieved."""
    with st.container(horizontal=True):
        return (
            _text("list", "The list as text", WRITTEN),
            _text(
                "rest",
                "Not retrieved",
                "Documents that are in the pool but not in the list, written the same way.",
            ),
        )


def _text(name: str, label: str, help: str) -> str:
    return inputs.text(
        label,
        name=name,
        help=help,
        on_change=_keep_written,
        args=(name,),
        bind="query-params",
        persist_state="session",
    )


def _keep_written(name: str) -> None:
    """Write an empty list as a hyphen: a link without the text would restore the
    example's.
    """
    key = keys.widget_key(name)
    widgets[key] = widgets[key] or written(())


def read_swaps() -> list[int]:
    """Draw the ranks of the two swaps, with a button for each."""
    ranks = []
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        for pair in SWAPS:
            picked = [
                form.number(label, 1, LONGEST, key=key, persist_state="session", width=90)
                for key, label in pair.items()
            ]
            key, name = f"swap-{''.join(pair)}", " and ".join(map(str, picked))
            st.button(
                ":material/swap_vert:",
                key=key,
                on_click=_exchange,
                args=picked,
                help=f"Swap the documents at ranks {name}.",
            )
            ranks += picked
    return ranks


def check(*values: Any) -> Params:
    """Parse the list being edited; the page stops if the text is invalid."""
    try:
        return Params(*values)
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        answer.stop_page()


def compute(measures: Sequence[Measure], params: Params) -> Lab:
    """Scores of the list."""
    return made_once(
        "lab", (tuple(measures), params), lambda: lab(measures=measures, params=params)
    )


def edit(params: Params, reset: Callable[..., None] | None = None, *of: Any) -> None:
    """Draw the bench: one widget per rank, as each more costs every click its time, and
    documents to put at the end. `reset` restores the list, by default the example's.
    """
    documents = parse(params.list)
    for i, document in enumerate(documents):
        _draw_grade(i, document)
    with st.container(key="grades", horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(
            "Grade at each rank",
            help=(
                "u: unjudged, in the pool; x: outside the pool. ↑ ↓ move a document, ✕ removes it."
            ),
        )
        _draw_button("Undo", ":material/undo:", _undo, disabled=not BENCH.get().before)
        _draw_button("Reset", ":material/restart_alt:", reset or _take_example, args=of)
    if len(documents) < LONGEST:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _draw_additions(parse(params.rest))


def _draw_grade(i: int, document: str) -> None:
    """Draw the kinds that the document at position i can be of, and its moves."""
    # a new key for every edit, so that a second click before the new rows are drawn is dropped
    # instead of applied to another row
    name = f"at-{i}-{BENCH.get().edits}"
    key = keys.widget_key(name)
    # the list as text is the one writer: rows are drawn from it, and write it
    widgets[key] = document
    inputs.draw_input(
        st.segmented_control,
        f"{i + 1}",
        (*KINDS, *MOVES),
        name=name,
        sound=inputs.option(KINDS, document),
        required=True,
        on_change=_change,
        args=(i, key),
    )


def _draw_button(label: str, icon: str, act: Callable[..., None], **more: Any) -> None:
    """Draw a small button, whose key is its label."""
    st.button(label, key=label.lower(), icon=icon, type="tertiary", on_click=act, **more)


def _draw_additions(left: Sequence[str]) -> None:
    """Draw the documents that can be put at the end: one of each kind, and those judged
    that the list lacks.
    """
    kinds = "; ".join(f"{kind}: {meaning}" for kind, meaning in KINDS.items())
    inputs.draw_input(
        st.segmented_control,
        "Add",
        KINDS,
        name="add",
        sound=inputs.option(KINDS, None),
        on_change=_add,
        help=f"A document at the end: {kinds}",
    )
    if left:
        inputs.draw_input(
            st.pills,
            "Missed",
            range(len(left)),
            format_func=left.__getitem__,
            name="retrieve",
            sound=inputs.option(range(len(left)), None),
            on_change=_retrieve,
            help="Judged, but not in the list: click to add the document at its end.",
        )


def _documents(name: str = "list") -> list[str]:
    return list(parse(widgets[keys.widget_key(name)]))


def _put(documents: Sequence[str], name: str = "list") -> None:
    widgets[keys.widget_key(name)] = written(documents)
    BENCH.get().edits += 1


def _change(i: int, key: str) -> None:
    """Change the kind of the document at position i, move it, or take it out, so that
    it is judged but not retrieved.
    """
    _note()
    documents, picked = _documents(), widgets[key]
    taken = documents.pop(i)
    if picked in KINDS:
        documents.insert(i, picked)
    elif picked in STEPS:
        documents.insert(max(i + STEPS[picked], 0), taken)
    # one outside the pool is gone: what is not retrieved is of the pool
    elif taken != "x":
        _put([*_documents("rest"), taken], "rest")
    _put(documents)


def _add() -> None:
    _note()
    _put([*_documents(), widgets[keys.widget_key("add")]])
    # a button, not a choice: pressed again it adds another one
    widgets[keys.widget_key("add")] = None


def _retrieve() -> None:
    _note()
    rest = _documents("rest")
    _put([*_documents(), rest.pop(widgets[keys.widget_key("retrieve")])])
    _put(rest, "rest")
    widgets[keys.widget_key("retrieve")] = None


def _exchange(a: int, b: int) -> None:
    documents = _documents()
    if max(a, b) <= len(documents):
        _note()
        _put(swap_ranks(documents, a, b))


def board(result: Lab, chosen: Sequence[Measure], *, swaps: bool = True) -> None:
    """Draw a row per measure: raw, condensed and, with `swaps`, after either swap. The
    `chosen` measures have first choice of a colour.
    """
    before, shown = _before(result), {}
    if swaps:
        shown = result.params.swaps
    styles = colors.styles([*chosen, *result.measures])
    rows = []
    for measure in result.measures:
        raw, condensed = result.score(measure)
        color, top = styles[measure].color, measure.metric.range[1]
        cells = [
            _cell(raw, before.get(measure), top, color, f"raw {measure}"),
            _cell(condensed, before.get(f"{measure}'"), top, color, f"condensed {measure}"),
            *(
                _cell(result.score(measure, swap)[0], raw, top, color, f"{swap} {measure}")
                for swap in shown
            ),
        ]
        rows.append(f"<tr><td>{escape(measure)}</td>{''.join(cells)}</tr>")
    heads = "measure", "raw", "condensed", *(f"{a} ⇄ {b}" for a, b in shown.values())
    names = {title: ranked_list.name_column(title, result.measures) for title in heads}
    head = "".join(
        f"<th title='{escape(HEADS.get(title, SWAPPED))}'>{name}</th>"
        for title, name in names.items()
    )
    st.html(
        f"<table class=lab><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _before(result: Lab) -> dict[str, float]:
    """Scores before the last change of the list."""
    now = (result.documents, result.rest)
    key, values, before = BENCH.get().scored or (now, {}, {})
    # a redraw that changes no document leaves the small figures as they are
    if key != now:
        before = values
    BENCH.get().scored = now, {name: v[0] for name, v in result.values.items()}, before
    return before


def _cell(value: float | None, before: float | None, top: float, color: str, title: str) -> str:
    if value is None or value != value:
        return "<td></td>"
    arrow = bar = ""
    if before is not None:
        arrow = _arrow(value - before)
    if top != float("inf"):
        width = f"{100 * min(value / top, 1):.1f}%"
        bar = f"<i><b style='width: {width}; background: {color}'></b></i>"
    return f"<td title='{escape(title)}'><span>{value:.4f}</span> {arrow}{bar}</td>"


def _arrow(change: float) -> str:
    """How much a score has risen or fallen; empty if it has not."""
    if abs(change) <= SAME:
        return ""
    if change > 0:
        return f"<small class=up>▲ {change:.4f}</small>"
    return f"<small class=down>▼ {-change:.4f}</small>"


def steps(result: Lab, chosen: Sequence[Measure]) -> None:
    """Draw the contribution of each rank to one measure, in its colour of `board`."""
    names = [*result.measures]
    picked = form.choose("Measure", names, key="steps", help="Measure shown step by step.")
    measure = names[names.index(picked)]  # the list gives back its text alone
    raw, condensed = result.score(measure)
    start = result.start(measure)
    said = f"{measure} is {raw:.4f}: the column “{measure} adds” sums to it"
    if start:
        said += f" from {start:.4f} before any document"
    if condensed is not None:
        said += f"; {measure}' is {condensed:.4f}"
    st.write(escape_markdown(f"{said}."))
    table = result.steps(measure)
    if result.documents:
        _go_through(
            result,
            measure,
            start,
            table["adds"].tolist(),
            colors.styles([*chosen, *result.measures])[measure].color,
        )
    heads = {"adds": f"{measure} adds", "adds'": f"{measure}' adds"}
    output.table(table.rename(columns=heads), key="step-table")
    st.caption(
        "A prime means the condensed list. P: precision, BR: blended ratio, cg and cgI: cumulated"
        " gain of this and the ideal list; penalty: how much lower the gains of documents above"
        " are. A rank adds the score of the list cut there minus that of the list cut one rank"
        " above."
    )


def _go_through(result: Lab, measure: Measure, start: float, adds: list[float], color: str) -> None:
    """Draw the list down to a rank, and the score so far; the switch *Play* continues
    to the next rank.
    """
    last = len(adds)
    if (rank := BENCH.take("next")) is not None:
        # here, since Streamlit refuses a new value once the widget is drawn
        widgets[UPTO], widgets[PLAYING] = rank, rank < last
    with st.container(horizontal=True, vertical_alignment="center"):
        upto = inputs.draw_input(
            st.slider,
            "Down to rank",
            0,
            last,
            last,
            name="upto",
            sound=inputs.option(range(last + 1), last),
        )
        help = "Steps down the list and shows what each rank adds."
        plays = inputs.toggle(
            "Play", name="play", on_change=widgets.update, kwargs={UPTO: 0}, help=help
        )
    so_far = start + sum(adds[:upto])
    said = f"{so_far:.4f} so far, of {start + sum(adds):.4f}."
    if upto:
        said = f"rank {upto} adds {adds[upto - 1]:.4f}; {said}"
    cell = ranked_list.bar(so_far, measure.metric.range[1], color)
    st.html(
        f"{ranked_list.tiles(result.documents, upto=upto)}<table class=bars><tr>{cell}</tr></table>"
    )
    st.caption(escape_markdown(said))
    if plays:
        answer.call_after(PAUSE, partial(BENCH.change, next=upto + 1))
