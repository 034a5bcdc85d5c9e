"""Widgets of declared parameters, all bound to the URL."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import cache, lru_cache, partial
from typing import Any, TypeVar

import streamlit as st

from irmeval.core.errors import IrmevalError
from irmeval.core.params import Field, Param, fields, format_value, say
from irmeval.core.text import capitalize, shorten
from irmeval.experiments.settings import list_mentioned
from irmeval.metrics import DEFAULT, ESTIMATORS, METRICS, Measure, default_measures, measure
from irmeval.reading.design import Design
from irmeval.reading.exclusions import parse_exclusions
from irmeval.reading.policy import DEFAULT as DEFAULT_POLICY
from irmeval.reading.policy import NOT_IN_PROFILES, PROFILES, Policy, profile_of
from irmeval.scoring.selection import Selection
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.mailboxes import REDRAW
from irmeval.ui.state.tab_state import keep_put, made_once, widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, inputs, receiving

P = TypeVar("P")
T = TypeVar("T")

MAX_MEASURES = 8
"""Maximum number of measures."""
FEW = 5
"""Maximum number of options side by side: more take several lines in a narrow
window.
"""
LIST_WIDTH = 260
"""Width in pixels of a list in the line of settings."""
KEPT = 256
"""Policies and measures whose texts are kept, since every drawing asks for them."""
OWN = "your own"
"""Name of a policy that equals no profile."""

MEASURES = ("AP", "AP'", "nDCG'", "RBP(p=0.95)")
"""Default measures."""
ESTIMATING = (
    "xinfAP",
    "infNDCG",
    "infP@10",
    "statAP",
    "statNDCG@10",
    "statP@10",
    "statRBP(p=0.8)",
    "statR",
    "infNumRelRet",
)
"""First suggestions if judgments are a sample; with unequal probabilities, only
estimators that use them.
"""
OFFERED = (
    *MEASURES,
    "Q",
    "Q'",
    "nDCG",
    "Bpref",
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
    """Default measures for judgments of this design."""
    return MEASURES if design is None else default_measures(design)


def pick_measures(design: Design | None) -> tuple[Measure, ...]:
    """Draw the picker of the sidebar, and return the picked measures. Unchanged ones
    follow the design.
    """
    elsewhere = {MEASURES, *((*some, *DEFAULT) for some in ESTIMATORS.values())} - {
        usual_measures(design)
    }
    if tuple(widgets.get(keys.MEASURES, ())) in elsewhere:
        widgets[keys.MEASURES] = [*usual_measures(design)]
    return draw_measures(
        "Measures",
        keys.MEASURES,
        design,
        help=(
            "Pick from the list, or type any measure: a metric with parameters, cut-off and prime,"
            " as in `RBP(p=0.9)`, `nDCG@20'`, `AP(rel=2)`, or a name of trec_eval's such as `map`."
            " Enter takes it, or the first in the list that begins with what you typed. The prime"
            f" ' is the condensed list: unjudged documents removed. Metrics: {', '.join(METRICS)}."
        ),
    )


def keep_measures(design: Design | None) -> tuple[Measure, ...]:
    """Keep the picked measures for the next page, on a page that shows no picker: else
    Streamlit forgets what no widget holds. Returns them.
    """
    names = widgets.get(keys.MEASURES, usual_measures(design))
    widgets[keys.MEASURES] = [*names]
    return tuple(map(_measure, _sift_measures([*names])[0]))


def draw_measures(label: str, name: str, design: Design | None, **more: Any) -> tuple[Measure, ...]:
    """Draw a picker of measures, and return the picked ones; unreadable ones, and those
    beyond `MAX_MEASURES`, are left out and reported.
    """
    first = usual_measures(design)
    estimators = [
        text for text in ESTIMATING if design and (design.alike or text.startswith("stat"))
    ]
    picked = inputs.pick_texts(
        label,
        _add_beginnings(tuple(dict.fromkeys((*estimators, *first, *OFFERED)))),
        default=first,
        name=name,
        sift=_sift_measures,
        max_selections=MAX_MEASURES,
        placeholder="Pick or type a measure",
        **more,
    )
    return tuple(map(_measure, picked))


@lru_cache(KEPT)
def _measure(text: str) -> Measure:
    """The measure of a text. Raises `IrmevalError` if there is none."""
    return measure(text)


@cache
def _add_beginnings(offers: tuple[str, ...]) -> list[str]:
    """The suggestions, and measures that are a prefix of one; cached, since pages ask
    often.
    """
    return inputs.add_beginnings(offers, lambda text: not _sift_measures([text])[1])


def _sift_measures(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Measures among the texts, each once and at most `MAX_MEASURES`, and reasons why others
    are left out.
    """
    found: dict[Measure, str] = {}
    wrong = []
    for text in texts:
        try:
            read = _measure(text)
        except IrmevalError as error:
            wrong.append(error.brief)
            continue
        if read in found:
            wrong.append(f"{shorten(text)} is {read}, which is picked already")
        found.setdefault(read, text)
    kept = [*found.values()]
    if beyond := kept[MAX_MEASURES:]:
        wrong.append(
            f"at most {MAX_MEASURES} measures at once; left out: {', '.join(map(shorten, beyond))}"
        )
    return kept[:MAX_MEASURES], wrong


def measures(view: View) -> tuple[Measure, ...]:
    """Measures of the sidebar; if there are none, the page stops with a message."""
    if not view.measures:
        st.info("Pick at least one measure in the sidebar.")
        answer.stop_page()
    return view.measures


def params(
    kind: type[P],
    prefix: str = "",
    *,
    seldom: Collection[str] = (),
    in_force: list[str] | None = None,
    runs: Sequence[str] = (),
    declared: Mapping[str, Field] | None = None,
    **decided: Any,
) -> P:
    """Draw widgets for a ``Params`` dataclass, and return their values; a prefix
    distinguishes two forms on a page.

    Parameters that are `decided` elsewhere have no widget; the widgets of those in
    `seldom` come last. The values are appended to `in_force`, those of `seldom` only if
    they differ from the default, and test and correction as one phrase. A pair is
    picked from `runs`. `declared` replaces the declaration of some parameters.
    """
    declared = fields(kind) | {**(declared or {})}
    drawn = [
        name
        for name in [*(name for name in declared if name not in seldom), *seldom]
        if name not in decided
    ]
    # before they are drawn: Streamlit takes no value for a widget afterwards
    recall(f"{prefix}{name}" for name in drawn)
    values = {}
    with st.grid(2, key=f"form-{prefix}", vertical_alignment="bottom") as grid:
        for name in drawn:
            field = declared[name]
            several = field.is_list or field.param.pair  # with remarks below
            with grid.cell(column_span="all") if several else nullcontext():
                values[name] = widget(f"{prefix}{name}", field, runs=runs)
    for name, value in values.items():
        default = declared[name].default
        is_list = declared[name].is_list
        keep(f"{prefix}{name}", value, list(map(format_value, default)) if is_list else default)

    def read() -> tuple[P, list[str]]:
        made = make(kind, values | decided)
        shown = list_mentioned(made, seldom)
        return made, [said for name in drawn if name in shown and (said := say(made, name))]

    made, said = made_once(f"{prefix}{kind.__module__}", (repr(values | decided),), read)
    if in_force is not None:
        in_force += said
    return made


def recall(names: Iterable[str]) -> None:
    """Give widgets the values last set on the page, unless it was opened by an address
    with its own parameters.
    """
    page = keys.page_path()
    kept = visitors.here().parameters.setdefault(page, {})
    if REDRAW.get().recalled == page:
        widgets.update({keys.widget_key(name): kept[name] for name in names if name in kept})


def keep(name: str, value: Any, usual: Any) -> None:
    """Keep the value of a widget for the next visit of the page; the usual one is not
    kept.
    """
    kept = visitors.here().parameters.setdefault(keys.page_path(), {})
    if value == usual:
        # a default may be another one in the next version
        kept.pop(name, None)
    else:
        kept[name] = value


def rows_of_two(items: Iterable[T], wide: Callable[[T], bool]) -> list[list[T]]:
    """Rows of two items; a wide item has its own row."""
    rows: list[list[T]] = []
    is_open = False
    for item in items:
        is_wide = wide(item)
        if is_open and not is_wide:
            rows[-1].append(item)
            is_open = False
            continue
        rows.append([item])
        is_open = not is_wide
    return rows


def last_params(kind: type[P], *pages: str) -> P:
    """Parameters that the visitor last set on other pages, given by their URL paths;
    defaults if these are invalid.
    """
    kept: dict[str, Any] = {}
    for page in pages:
        kept |= visitors.here().parameters.get(page, {})
    asked = {name: field for name, field in fields(kind).items() if name in kept}
    fitting = {name: kept[name] for name, field in asked.items() if _fits(kept[name], field)}
    try:
        return kind(**fitting)
    except IrmevalError:
        return kind()


def _fits(value: Any, field: Field) -> bool:
    """Whether a widget accepts a value from a file."""
    try:
        checked = field.check(value)
    except IrmevalError:
        return False
    if field.is_list:
        return isinstance(value, list) and inputs.are_texts(value)
    return type(value) is type(checked)


def make(kind: type[P], values: Mapping[str, Any]) -> P:
    """``Params`` of the values; the page stops with a message if one is invalid."""
    try:
        return kind(**values)
    except IrmevalError as error:
        answer.refuse(str(error))


def draw_choice(
    draw: Callable[..., Any],
    label: str,
    *given: Any,
    key: str,
    texts: Iterable[object],
    **more: Any,
) -> Any:
    """Draw a widget, after refusing a value in the URL that is not among the options'
    texts.
    """
    inputs.refuse_unless_option(key, texts, label)
    return inputs.draw_input(draw, label, *given, name=key, **({"bind": "query-params"} | more))


def pick_one(
    label: str, options: Mapping[str, str], key: str, help: str | None, **more: Any
) -> str:
    """Draw a choice of one option, by label: side by side if they are few, else in a
    drop-down list.
    """
    if len(options) <= FEW:
        return pick_button(label, options, key, help, **more)
    return choose(
        label,
        list(options),
        key=key,
        help=help,
        format_func=options.__getitem__,
        width=LIST_WIDTH,
        **more,
    )


def pick_button(
    label: str, options: Mapping[str, str], key: str, help: str | None, **more: Any
) -> str:
    """Draw a choice of one option, side by side by label."""
    first = next(iter(options))
    look = {"format_func": options.__getitem__, "required": True, "wrap": True, "help": help}
    sound = inputs.option(options, first)
    picked: str | None = draw_choice(
        st.segmented_control,
        label,
        list(options),
        key=key,
        texts=options.values(),
        sound=sound,
        default=first,
        **look,
        **more,
    )
    return picked or first  # None for an address with the name of the widget and no value


def pick_some(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None,
    first: Sequence[str] | None = None,
    format_func: Callable[[str], str] = str,
) -> list[str]:
    """Draw a choice of several of a few options, side by side; at first `first`, by
    default all.
    """
    default = options if first is None else first
    look: dict[str, Any] = {
        "selection_mode": "multi",
        "format_func": format_func,
        "wrap": True,
        "help": help,
    }
    sound = inputs.some(options, default)
    return list(
        draw_choice(
            st.pills, label, options, key=key, texts=options, sound=sound, default=default, **look
        )
    )


def slide(label: str, values: Sequence[str], start: str, key: str) -> str:
    """Draw a slider over ordered values."""
    label = capitalize(label)
    if len(values) == 1:
        inputs.refuse_unless_option(key, values, label)
        return values[0]
    return draw_choice(
        st.select_slider,
        label,
        values,
        start,
        key=key,
        texts=values,
        sound=inputs.option(values, start),
    )


def decide(in_force: list[str]) -> tuple[Policy, Selection | IrmevalError]:
    """Draw the widgets of the policy and the selection of all pages, and add to
    `in_force` what they say. Returns both; in place of a selection that is invalid, why.
    """
    # the profile is named above the decisions, and follows from them
    with st.container():
        st.markdown("**Policy**")
        profile = st.container()
        inputs.refuse_unless_valid("gains", lambda text: Policy(gains=str(text)))
        drawn = {
            name: widget(name, field)
            for name, field in fields(Policy).items()
            if name != keys.EXCLUDE
        }
        decided = drawn | {keys.EXCLUDE: _draw_exclusions()}
        policy = made_once("policy", (decided,), partial(make, Policy, decided))
        widgets[keys.PROFILE] = policy_name(policy)
        with profile:
            help = "Sets all of these to the decisions of one program or tradition."
            choose(
                "Profile",
                [*PROFILES, OWN],
                key=keys.PROFILE,
                bind=None,
                on_change=_take_profile,
                help=help,
            )
        st.markdown("**Runs and topics**")
        values = {name: widget(name, field) for name, field in fields(Selection).items()}
        narrowed = [
            field.say(values[name])
            for name, field in fields(Selection).items()
            if values[name] != field.default
        ]
        in_force += [f"policy {describe_policy(policy)}", *(narrowed or ["all runs and topics"])]
    return policy, made_once("selection", (values,), partial(_read_selection, values))


def _read_selection(values: Mapping[str, Any]) -> Selection | IrmevalError:
    """Rules with these values; if they are invalid, why, which pages that need them show."""
    try:
        return Selection(**values)
    except IrmevalError as error:
        return error


@lru_cache(KEPT)
def policy_name(policy: Policy) -> str:
    """Name of the profile that equals a policy, or `OWN`."""
    return profile_of(policy) or OWN


@lru_cache(KEPT)
def describe_policy(policy: Policy) -> str:
    """Description of a policy: profile, treatment of duplicates, exclusions, and gains
    other than the grades.
    """
    repeated = (
        ""
        if policy.repeated == DEFAULT_POLICY.repeated
        else f"{policy.repeated} of duplicate documents"
    )
    excluded = [fields(Policy)["exclude_own"].say(policy.exclude_own), policy.exclude_said]
    return ", ".join(
        filter(
            None,
            [
                policy_name(policy),
                repeated,
                *excluded,
                f"gains {policy.gains}" if policy.gains else "",
            ],
        )
    )


def _draw_exclusions() -> str:
    """Draw the uploader of excluded pairs; return those in use."""
    field = fields(Policy)[keys.EXCLUDE]
    if dropped := st.file_uploader(
        capitalize(field.param.label), key=receiving.uploader(keys.EXCLUDE), help=field.param.help
    ):
        with answer.errors_shown():
            widgets[keys.EXCLUDE] = parse_exclusions(dropped.name, dropped.getvalue())
            receiving.empty_uploader(keys.EXCLUDE, [dropped])
            st.rerun()
    held: str = widgets.setdefault(keys.EXCLUDE, "")
    if held:
        st.button(
            "Exclude none", key="exclude_none", on_click=widgets.update, kwargs={keys.EXCLUDE: ""}
        )
    return held


def _take_profile() -> None:
    """Set the widgets to the decisions of a profile."""
    keep_put()  # the browser may send the profile of the last time that the popover was open
    if (name := widgets[keys.PROFILE]) in PROFILES:
        widgets.update(
            {
                key: value
                for key, value in asdict(PROFILES[name]).items()
                if key not in NOT_IN_PROFILES
            }
        )


def choose(
    label: str,
    options: Sequence[T],
    index: int | None = 0,
    *,
    key: str,
    help: str | None = None,
    **more: Any,
) -> T:
    """Draw a drop-down list for many options."""
    texts = map(more.get("format_func", str), options)
    sound = inputs.option(options, None if index is None or not options else options[index])
    return draw_choice(
        st.selectbox, label, options, index, key=key, texts=texts, sound=sound, help=help, **more
    )


def number(
    label: str, low: int, high: int, value: int | None = None, *, key: str, **more: Any
) -> int:
    """Draw a field for a whole number; at first `value`, by default the lowest."""
    field = Field(label, int, value, Param(label, low=low, high=high))
    inputs.refuse_unless_valid(key, field.check)
    more = {"bind": "query-params"} | more
    return (
        inputs.draw_input(
            st.number_input, label, low, high, value, name=key, sound=inputs.within(field), **more
        )
        or low
    )


def _sift_values(field: Field, texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Texts that are valid values of a parameter, and reasons why others are left
    out.
    """
    kept, wrong = [], []
    for text in texts:
        try:
            field.check([text])
            kept.append(text)
        except IrmevalError as error:
            wrong.append(str(error))
    return kept, wrong


def widget(name: str, field: Field, before: str = "", runs: Sequence[str] = ()) -> Any:
    """Draw one widget; its label (after `before`), bounds, choices and help are from
    the parameter's declaration.
    """
    param = field.param
    label = before + param.label if before else capitalize(param.label)
    common: dict[str, Any] = {
        "name": name,
        "sound": inputs.within(field),
        "help": param.help,
        "bind": "query-params",
    }
    if field.is_list:
        offers, default = (
            list(map(format_value, param.offers)),
            list(map(format_value, field.default)),
        )
        del common["sound"], common["bind"]
        offers = inputs.add_beginnings(offers, lambda text: not _sift_values(field, [text])[1])
        return inputs.pick_texts(
            label, offers, default=default, sift=partial(_sift_values, field), wrap=True, **common
        )
    if param.pair:
        return inputs.pick_pair(label, runs, name=name, placeholder=capitalize(param.empty))
    if field.kind is str and not param.choices:
        del common["sound"]
        return inputs.text(label, field.default, placeholder=param.empty or None, **common)
    inputs.refuse_unless_valid(name, field.check)
    if field.kind is bool:
        return inputs.toggle(label, field.default, name=name, help=param.help, bind="query-params")
    if choices := [*(param.choices or ())]:
        return inputs.draw_input(
            st.selectbox,
            label,
            choices,
            index=choices.index(field.default),
            **common,
        )
    low, high = (None if v is None else field.kind(v) for v in (param.low, param.high))
    step, form = (1, None) if field.kind is int else (None, "%g")
    common |= {"step": step, "format": form, "placeholder": param.empty or None}
    return inputs.draw_input(st.number_input, label, low, high, field.default, **common)
