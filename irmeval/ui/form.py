"""Widgets drawn from declared parameters, every one bound to the address bar."""

from typing import Any, TypeVar

import streamlit as st

from irmeval import METRICS, IrmevalError, Measure, measure
from irmeval.params import Field, fields
from irmeval.report.tables import escape_markdown

P = TypeVar("P")

MEASURES = ("AP", "AP'", "Q", "Q'", "nDCG", "nDCG'", "Bpref", "RBP(p=0.95)")
"""Shown first: what Sakai & Kando 2008 compare."""
OFFERED = (
    *MEASURES,
    "infAP", "Bpref_R", "Bpref_N", "Rprec", "RR", "P@5", "P@10", "R@100", "R@1000", "nDCG@10", "nDCG@10'", "nDCG(base=2)@1000",
    "nDCG(base=2)@1000'", "RBP(p=0.95)'", "RBP(p=0.8)", "RBP(p=0.5)", "Q(beta=10)", "AP(rel=2)",
)  # fmt: skip


def pick_measures() -> None:
    """The picker in the sidebar, the same on all pages; what cannot be read is said and left out."""
    picked = st.sidebar.multiselect(
        "Measures",
        OFFERED,
        default=MEASURES,
        key="measures",
        bind="query-params",
        accept_new_options=True,
        placeholder="Pick or type a measure",
        help="Pick from the list, or type any measure: a metric with parameters, cut-off and prime, as in `RBP(p=0.9)`, `nDCG@20'`, "
        "`AP(rel=2)`, or a name of trec_eval's such as `map`. The prime ' is the condensed list: unjudged documents removed. "
        f"Metrics: {', '.join(METRICS)}.",
    )
    found: dict[Measure, None] = {}
    for text in picked:
        try:
            found[measure(text)] = None
        except IrmevalError as error:
            st.sidebar.error(escape_markdown(str(error)))
    st.session_state["chosen"] = tuple(found)


def measures() -> tuple[Measure, ...]:
    """The measures picked in the sidebar; without any the page stops and says so."""
    found: tuple[Measure, ...] = st.session_state["chosen"]
    if not found:
        st.info("Pick at least one measure in the sidebar.")
        st.stop()
    return found


def params(kind: type[P]) -> P:
    """A row of widgets for a ``Params`` dataclass, and the values they hold."""
    declared = fields(kind)
    columns = st.columns([4 if field.many else 1 for field in declared.values()], vertical_alignment="bottom")
    values = {}
    for (name, field), column in zip(declared.items(), columns, strict=True):
        with column:
            values[name] = _widget(name, field)
    try:
        return kind(**values)
    except IrmevalError as error:
        st.error(escape_markdown(str(error)))
        st.stop()


def _widget(name: str, field: Field) -> Any:
    """One widget; its label, bounds, choices and help come from the parameter's declaration."""
    param = field.param
    common: dict[str, Any] = {"key": name, "help": param.help, "bind": "query-params"}
    label = param.label[0].upper() + param.label[1:]
    if field.many:
        offers = [f"{v:g}" for v in param.offers]
        return st.multiselect(label, offers, default=[f"{v:g}" for v in field.default], accept_new_options=True, **common)
    if param.choices:
        return st.selectbox(label, param.choices, index=param.choices.index(field.default), **common)
    low, high = (None if v is None else field.kind(v) for v in (param.low, param.high))
    return st.number_input(label, low, high, field.default, step=1 if field.kind is int else None, **common)
