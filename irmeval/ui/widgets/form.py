"""Widgets drawn from declared parameters, every one bound to the address bar."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any, TypeVar

import streamlit as st

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.params import Field, Param, fields, format_value
from irmeval.core.tables import escape_markdown
from irmeval.experiments.settings import Testing
from irmeval.metrics import DEFAULT, ESTIMATORS, METRICS, Measure, measure, usual
from irmeval.reading.design import Design
from irmeval.reading.policy import NOT_IN_PROFILES, PROFILES, Policy, profile_of
from irmeval.scoring.selection import Selection
from irmeval.ui.state import keys, visitors
from irmeval.ui.widgets import address, answer, inputs

P = TypeVar("P")
T = TypeVar("T")

RECALLED = "recalled"
"""In a tab's state: the page that was just opened, and has the parameters which were last set on it."""
OWN = "your own"
"""Shown where a policy is that of no profile."""

MEASURES = ("AP", "AP'", "Q", "Q'", "nDCG", "nDCG'", "Bpref", "RBP(p=0.95)")
"""Shown first: what Sakai & Kando 2008 compare."""
ESTIMATING = ("xinfAP", "infNDCG", "infP@10", "statAP", "statNDCG@10", "statP@10", "statRBP(p=0.8)", "statR", "infNumRelRet")
"""Offered first where judgments are a sample; of unequal probabilities those that take them into account."""
OFFERED = (
    *MEASURES,
    "infAP",
    "Bpref_R",
    "Bpref_N",
    "Rprec",
    "RR",
    "P@5",
    "P@10",
    "R@100",
    "R@1000",
    "nDCG@10",
    "nDCG@10'",
    "nDCG(base=2)@1000",
    "nDCG(base=2)@1000'",
    "RBP(p=0.95)'",
    "RBP(p=0.8)",
    "RBP(p=0.5)",
    "Q(beta=10)",
    "AP(rel=2)",
)


def usual_measures(design: Design | None) -> tuple[str, ...]:
    """The measures that are picked at first, on judgments of this design."""
    return MEASURES if design is None else usual(design)


def pick_measures(*, shown: bool = True, design: Design | None = None) -> None:
    """The picker of the sidebar, the same on all pages; what cannot be read is said and left out. Where nothing is measured it is not
    shown. On a sample estimators come first; what a visitor has not changed becomes what is usual there, and back."""
    if not shown:
        st.session_state["chosen"] = ()
        return
    elsewhere = {MEASURES, *((*some, *DEFAULT) for some in ESTIMATORS.values())} - {usual_measures(design)}
    if tuple(st.session_state.get(keys.MEASURES, ())) in elsewhere:
        st.session_state[keys.MEASURES] = [*usual_measures(design)]
    st.session_state["chosen"] = _multiselect(
        "Measures",
        keys.MEASURES,
        design,
        help="Pick from the list, or type any measure: a metric with parameters, cut-off and prime, as in `RBP(p=0.9)`, `nDCG@20'`, "
        "`AP(rel=2)`, or a name of trec_eval's such as `map`. The prime ' is the condensed list: unjudged documents removed. "
        f"Metrics: {', '.join(METRICS)}.",
    )


def other_measures(name: str, design: Design | None = None) -> tuple[Measure, ...]:
    """Measures that are picked beside those of the sidebar, at first the usual ones; `ParamError` where none is left."""
    if not (chosen := _multiselect("B: measures", name, design)):
        raise ParamError("measures: expected at least one, found none.")
    return chosen


def _multiselect(label: str, name: str, design: Design | None, **more: Any) -> tuple[Measure, ...]:
    """The measures that are picked; the page says which of the typed ones cannot be read."""
    chosen: dict[Measure, None] = {}
    first = usual_measures(design)
    estimators = [text for text in ESTIMATING if design and (design.alike or text.startswith("stat"))]
    for text in inputs.draw_input(
        st.multiselect,
        label,
        tuple(dict.fromkeys((*estimators, *first, *OFFERED))),
        default=first,
        name=name,
        sound=inputs.texts(first),
        bind="query-params",
        accept_new_options=True,
        placeholder="Pick or type a measure",
        **more,
    ):
        try:
            chosen[measure(text)] = None
        except IrmevalError as error:
            st.error(escape_markdown(str(error)))
    return tuple(chosen)


def measures() -> tuple[Measure, ...]:
    """The measures of the sidebar; without any the page stops with a line that says so."""
    chosen: tuple[Measure, ...] = st.session_state["chosen"]
    if not chosen:
        st.info("Pick at least one measure in the sidebar.")
        st.stop()
    return chosen


def params(kind: type[P], prefix: str = "", *, more: Collection[str] = (), said: list[str] | None = None, **decided: Any) -> P:
    """Widgets for a ``Params`` dataclass, and the values they hold; a prefix tells two forms on a page apart.

    What is decided elsewhere gets no widget. `more` are seldom changed: they come last, and among what is in force, which is appended to
    `said`, only where they differ from the default. Test and correction are said together, as sentences name them.
    """
    declared, values = fields(kind), dict(decided)
    drawn = [*(name for name in declared if name not in more), *more]
    drawn = [name for name in drawn if name not in decided]
    recalled = _recall([f"{prefix}{name}" for name in drawn])
    rows: list[list[str]] = []
    for name in drawn:
        if rows and len(rows[-1]) == 1 and not (declared[name].many or declared[rows[-1][0]].many):
            rows[-1].append(name)
        else:
            rows.append([name])
    with st.container(key=f"form-{prefix}{drawn[0]}") if drawn else nullcontext():
        for row in rows:
            for name, column in zip(row, st.columns(len(row), vertical_alignment="bottom"), strict=True):
                with column:
                    values[name] = widget(f"{prefix}{name}", declared[name])
    _keep(recalled, {f"{prefix}{name}": (values[name], declared[name]) for name in drawn})
    made = _make(kind, values)
    if said is not None:
        set_to = [(declared[name], getattr(made, name)) for name in drawn]
        in_force = {"test": made.tested_by, "correction": ""} if isinstance(made, Testing) else {}
        seldom = {*more, *(made.unused if isinstance(made, Testing) else ())}
        for field, value in set_to:
            if field.name in in_force or field.name not in seldom or value != field.default:
                said += filter(None, [in_force.get(field.name, field.say(value))])
    return made


def _recall(names: Iterable[str]) -> dict[str, Any]:
    """What the visitor last set on this page, where they come to it otherwise than by an address, which says all there is to set."""
    state = st.session_state
    kept = visitors.current().parameters.setdefault(state.get("page", ""), {})
    if state.get(RECALLED) == state.get("page"):
        state.update({keys.of(name): kept[name] for name in names if name in kept})
    return kept


def last(kind: type[P], *pages: str) -> P:
    """The parameters of a form as the visitor last set them on another page, by its addresses; its defaults where none can be used."""
    kept = {name: value for page in pages for name, value in visitors.current().parameters.get(page, {}).items()}
    try:
        return kind(**{name: kept[name] for name, field in fields(kind).items() if name in kept and _fits(kept[name], field)})
    except IrmevalError:
        return kind()


def _fits(value: Any, field: Field) -> bool:
    """Whether a widget accepts a value that was read from a file."""
    if field.many and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        return False
    try:
        checked = field.check(value)
    except IrmevalError:
        return False
    return field.many or type(value) is type(checked)


def _keep(kept: dict[str, Any], values: Mapping[str, tuple[Any, Field]]) -> None:
    """Keep the values that differ from the defaults."""
    for key, (value, field) in values.items():
        if value == (list(map(format_value, field.default)) if field.many else field.default):
            kept.pop(key, None)
        else:
            kept[key] = value


def _make(kind: type[P], values: dict[str, Any]) -> P:
    """The ``Params`` of the values; the page stops with a line where one is not allowed."""
    try:
        return kind(**values)
    except IrmevalError as error:
        answer.refuse(str(error))


def pick_one(label: str, options: Mapping[str, str], key: str, help: str | None, **more: Any) -> str:
    """Draw a choice of one of a few options, side by side under their labels."""
    first = next(iter(options))
    address.refuse_unless_option(key, options.values(), label)
    picked: str | None = inputs.draw_input(
        st.segmented_control,
        label,
        list(options),
        default=first,
        required=True,
        format_func=options.__getitem__,
        name=key,
        sound=inputs.option(options, first),
        help=help,
        wrap=True,
        **({"bind": "query-params"} | more),
    )
    return picked or first  # an address that names the widget and nothing after it leaves it empty


def pick_some(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None,
    first: Sequence[str] | None = None,
    format_func: Callable[[str], str] = str,
) -> list[str]:
    """Draw a choice of several of a few options, side by side; at first all, unless `first` says otherwise."""
    address.refuse_unless_option(key, options, label)
    default = options if first is None else first
    return list(
        inputs.draw_input(
            st.pills,
            label,
            options,
            selection_mode="multi",
            default=default,
            format_func=format_func,
            name=key,
            sound=inputs.some(options, default),
            help=help,
            bind="query-params",
            wrap=True,
        )
    )


def slide(label: str, values: Sequence[str], start: str, key: str) -> str:
    """Draw a slider over ordered values."""
    label = label[0].upper() + label[1:]
    address.refuse_unless_option(key, values, label)
    if len(values) == 1:
        return values[0]
    at: str = inputs.draw_input(st.select_slider, label, values, start, name=key, sound=inputs.option(values, start), bind="query-params")
    return at


def decide() -> None:
    """Draw the widgets of the policy and the selection, which every page works under."""
    answer.begin("sidebar")
    with answer.settings("Policy, runs and topics") as said:
        st.markdown("**Policy**")
        profile = st.container()
        address.refuse_unless_valid("gains", lambda text: Policy(gains=str(text)))
        policy = _make(Policy, {name: widget(name, field) for name, field in fields(Policy).items()})
        st.session_state[keys.PROFILE] = policy_name(policy)
        with profile:
            inputs.draw_input(
                st.selectbox,
                "Profile",
                [*PROFILES, OWN],
                name=keys.PROFILE,
                sound=inputs.option(PROFILES, OWN),
                on_change=_take_profile,
                help="Sets all of these as in one program or tradition.",
            )
        st.markdown("**Runs and topics**")
        values = {name: widget(name, field) for name, field in fields(Selection).items()}
        narrowed = [field.say(values[name]) for name, field in fields(Selection).items() if values[name] != field.default]
        said += [f"policy {describe_policy(policy)}", *(narrowed or ["all runs and topics"])]
    selection: Selection | IrmevalError
    try:
        selection = Selection(**values | {"runs_only": visitors.current().chosen(values["runs_only"])})
    except IrmevalError as error:  # said where the selection is needed, so that a page that needs none stands
        selection = error
    st.session_state.update(policy=policy, selection=selection)


def policy_name(policy: Policy) -> str:
    """Name of the profile that a policy equals, or a word for a policy of one's own."""
    return profile_of(policy) or OWN


def describe_policy(policy: Policy) -> str:
    """The profile, what is taken of files at fault where that is not nothing, and gains that are not the grades."""
    gains = f", gains {policy.gains}" if policy.gains else ""
    return f"{policy_name(policy)}{', first of repeated documents' if policy.repeated == 'first' else ''}{gains}"


def _take_profile() -> None:
    """Set the widgets to the decisions of a profile."""
    if (name := st.session_state[keys.PROFILE]) in PROFILES:
        st.session_state.update({key: value for key, value in asdict(PROFILES[name]).items() if key not in NOT_IN_PROFILES})


def choose(label: str, options: Sequence[T], index: int | None = 0, *, key: str, help: str | None = None, **more: Any) -> T:
    """Draw a list that opens, to choose one of many options."""
    address.refuse_unless_option(key, map(more.get("format_func", str), options), label)
    sound = inputs.option(options, None if index is None or not options else options[index])
    more = {"bind": "query-params", "help": help} | more
    picked: T = inputs.draw_input(st.selectbox, label, options, index, name=key, sound=sound, **more)
    return picked


def number(label: str, low: int, high: int, value: int | None = None, *, key: str, **more: Any) -> int:
    """Draw a field for a whole number, at first the lowest unless `value` is given."""
    field = Field(label, int, value, Param(label, low=low, high=high))
    address.refuse_unless_valid(key, field.check)
    more = {"bind": "query-params"} | more
    return inputs.draw_input(st.number_input, label, low, high, value, name=key, sound=inputs.within(field), **more) or low


def widget(name: str, field: Field, before: str = "") -> Any:
    """Draw one widget; its label (after `before`), bounds, choices and help come from the parameter's declaration."""
    param = field.param
    label = before + param.label if before else param.label[0].upper() + param.label[1:]
    common: dict[str, Any] = {"name": name, "sound": inputs.within(field), "help": param.help, "bind": "query-params"}
    if field.many:
        offers, default = list(map(format_value, param.offers)), list(map(format_value, field.default))
        common["sound"] = inputs.texts(default)
        return inputs.draw_input(st.multiselect, label, offers, default=default, accept_new_options=True, wrap=True, **common)
    if field.kind is str and not param.choices:
        del common["sound"]
        return inputs.text(label, field.default, placeholder=param.empty or None, **common)
    address.refuse_unless_valid(name, field.check)
    if param.choices:
        return inputs.draw_input(st.selectbox, label, param.choices, index=param.choices.index(field.default), **common)
    low, high = (None if v is None else field.kind(v) for v in (param.low, param.high))
    step, form = (1, None) if field.kind is int else (None, "%g")
    common |= {"step": step, "format": form, "placeholder": param.empty or None}
    return inputs.draw_input(st.number_input, label, low, high, field.default, **common)
