"""Two results of an experiment side by side: A is that of the page, and B differs in what
is picked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.shards import Sharded
from irmeval.core.errors import IrmevalError
from irmeval.core.params import Field, checked, fields, format_value, param, takes
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS, Chart, Result, Table
from irmeval.experiments.facts import LONGEST, Verdict
from irmeval.experiments.results import Frame
from irmeval.experiments.settings import SAMPLED, Method, Seed
from irmeval.experiments.sweep import LEFT
from irmeval.judges import Judges
from irmeval.metrics import Measure
from irmeval.plots.axes import on_one_scale
from irmeval.plots.canvas import INNER, Figure
from irmeval.plots.line_charts import TEXT
from irmeval.plots.points import with_names_placed
from irmeval.plots.projected import space_names
from irmeval.reading.policy import NOT_IN_PROFILES, PROFILES, Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.report.differences import LargestDifference, find_largest
from irmeval.ui.state import cache
from irmeval.ui.state.view import Loaded, View
from irmeval.ui.widgets import answer, form, inputs, output, session

POLICY = "policy"
"""B has another policy."""
GAINS = "gains"
"""B has another gain map."""
JUDGMENTS = "judgments"
"""B keeps fewer judgments."""
MEASURES = "measures"
"""B has other measures."""
PROFILE = "All decisions of one program or tradition."
MAX_DIFFERENCES = 2
"""Maximum number of differences beside the largest."""
ENDS = ("low", "high", "p")
"""Words in the names of columns with ends of intervals or p."""


@checked
class KeptJudgments:
    """Judgments that B keeps."""

    kept: float = param(
        "B: judgments kept, %",
        "Share of the judgments that is kept, of each topic.",
        low=1,
        high=100,
        rate=True,
        default=50.0,
    )
    method: Method = "stratified"
    draw: Seed = 1


@dataclass(frozen=True)
class OtherSettings:
    """Settings of B."""

    loaded: Loaded[Any] | None
    """collection of B; None if that is A's"""
    measures: tuple[Measure, ...]
    params: Any
    differences: Mapping[str, tuple[str, str]]
    """differing settings of A and B, in words"""


def choose_other(
    view: View,
    name: str,
    result: Result,
    loaded: Loaded[Any] | None,
    made: Collection | Matrix | Judges | None = None,
    runs: Sequence[str] = (),
) -> OtherSettings | None:
    """Draw B's form: the differing settings, with their widgets; None if an error is
    shown. `made` are data made by the page, such as judges; `runs` those to choose from.
    """
    collection = None
    if loaded and isinstance(loaded.collection, Collection):
        collection = loaded.collection
    options = _may_differ(result, collection)
    # fewer judgments change every result
    usual = next(key for key in (JUDGMENTS, "seed", *options) if key in options)
    picked = form.pick_some(
        "B differs in",
        list(options),
        f"{name}_differs",
        "Everything else is as in A.",
        [usual],
        options.__getitem__,
    )
    prefix = f"{name}_b_"
    try:
        params, differences = _params(prefix, picked, result.params, runs)
        measures = result.measures
        if MEASURES in picked:
            design = None
            if collection:
                design = collection.design
            measures = form.draw_measures("B: measures", f"{prefix}{MEASURES}", design)
        differences[MEASURES] = ", ".join(result.measures), ", ".join(measures)
        other = None
        if loaded and collection:
            other, of_data = _data(view, prefix, picked, loaded)
            differences |= of_data
        source = made
        if on := other or loaded:
            source = on.collection
        # only for its errors: here they are shown as those of B
        EXPERIMENTS[name].work(source, measures, params)
    except IrmevalError as error:
        st.error(escape_markdown(f"B: {error}"))
        return None
    changed = {label: (a, b) for label, (a, b) in differences.items() if a != b}
    return OtherSettings(other, measures, params, changed)


ON_PAGE = ("team_rule", "of", "watch")
"""Settings that are the same for A and B: the rule of the sidebar, and what other settings
of the page depend on.
"""


def _may_differ(result: Result, collection: Collection | None) -> dict[str, str]:
    """What B may differ in, and its label."""
    options = {}
    for key, field in fields(type(result.params)).items():
        if key not in ON_PAGE and takes(result.params, key):
            options[key] = field.param.label
    if result.measures:
        options[MEASURES] = MEASURES
    if collection is None:
        return options
    options |= {POLICY: POLICY, GAINS: GAINS}
    if not isinstance(collection, Sharded):  # the workers keep its judgments
        options[JUDGMENTS] = JUDGMENTS
    return options


def _params(
    prefix: str, picked: Sequence[str], of_a: Any, runs: Sequence[str]
) -> tuple[Any, dict[str, tuple[str, str]]]:
    """B's own parameters, and how they differ from A's, in words."""
    declared = fields(type(of_a))
    values = {}
    with st.grid(4, vertical_alignment="bottom"):
        for key in filter(declared.__contains__, picked):
            field = declared[key]
            values[key] = field.check(form.widget(f"{prefix}{key}", _of_b(field), "B: ", runs))
    params = replace(of_a, **values)
    return params, {
        declared[key].param.label: (_text(getattr(of_a, key)), _text(getattr(params, key)))
        for key in values
    }


def _of_b(field: Field) -> Field:
    """A field as B begins with it: with A's seed it would draw the same again."""
    if field.name != "seed":
        return field
    return replace(field, default=field.default + 1)


def _data(
    view: View, prefix: str, picked: Sequence[str], loaded: Loaded[Collection]
) -> tuple[Loaded[Collection] | None, dict[str, tuple[str, str]]]:
    """B's collection, None if it is A's, and its differences."""
    a = b = loaded.collection.policy
    if POLICY in picked:
        profile = form.choose(
            "B: policy", list(PROFILES), 1, key=f"{prefix}{POLICY}", help=PROFILE, width=300
        )
        # no program has an opinion on these, and a second change would blur the first
        b = replace(PROFILES[profile], **{key: getattr(a, key) for key in NOT_IN_PROFILES})
    if GAINS in picked:
        inputs.refuse_unless_valid(f"{prefix}{GAINS}", lambda text: Policy(gains=str(text)))
        b = replace(b, gains=form.widget(f"{prefix}{GAINS}", fields(Policy)[GAINS], "B: "))
    found = loaded
    if b != a:
        found = session.loaded_under(view, b)
    differences = {POLICY: (form.describe_policy(a), form.describe_policy(b))}
    if JUDGMENTS in picked:
        kept = form.params(KeptJudgments, prefix)
        found = replace(
            found, collection=cache.reduced(found.collection, kept.method, kept.kept, kept.draw)
        )
        differences[JUDGMENTS] = (
            "all",
            f"{kept.kept:g}% ({SAMPLED[kept.method]}, draw {kept.draw})",
        )
    view.visitor.note_use(view.dataset, found.collection)
    if found is loaded:
        return None, differences
    return found, differences


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(format_value, value))
    if value in (None, ""):
        return "as usual"
    return format_value(value)


def describe_settings(other: OtherSettings) -> str:
    """A sentence on the differences between A and B."""
    parts = [f"{label} {b} instead of {a}" for label, (a, b) in other.differences.items()]
    if not parts:
        return "B has the same settings as A."
    return f"B has {'; '.join(parts)}."


def describe_both(other: OtherSettings, a: Result, b: Result, choice: str = "") -> Verdict:
    """What changes from A to B in the column that a reader looks at, and by which
    settings; `choice` is what both are shown for.
    """
    settings = describe_settings(other)
    if not other.differences:
        return Verdict(settings)
    if _are_equal(a, b):
        return Verdict("The results of A and B are the same.", settings)
    apart = find_differences(a, b, choice)
    if not apart:
        return Verdict(settings)
    first, *rest = apart
    more = f"{settings} {_describe_more(rest)}".strip()
    if not first.is_visible:
        return Verdict(_claim(other, f"{first.name} is the same to the digits shown"), more)
    if first.others:
        more = f"No other {first.name} changes more. {more}"
    return Verdict(_claim(other, str(first)), more)


def _are_equal(a: Result, b: Result) -> bool:
    """Whether all tables are the same."""
    first, second = a.tables(), b.tables()
    if [table.name for table in first] != [table.name for table in second]:
        return False
    return all(one.make().equals(other.make()) for one, other in zip(first, second, strict=True))


def _claim(other: OtherSettings, said: str) -> str:
    """A sentence on B, without its settings where it would be too long with them."""
    claim = f"{_lead(other)}{said}."
    if len(claim.split()) <= LONGEST:
        return claim
    return f"In B, {said}."


def _lead(other: OtherSettings) -> str:
    """How a sentence on B begins: ``With 50% of the judgments, ``."""
    if len(other.differences) != 1:
        return "With the settings of B, "
    ((label, (_, b)),) = other.differences.items()
    if label == JUDGMENTS:
        return f"With {b.partition(' (')[0]} of the judgments, "
    return f"With {label} {b}, "


def _describe_more(apart: Sequence[LargestDifference]) -> str:
    """A sentence on smaller differences; empty without any."""
    texts = [str(difference) for difference in apart if difference.is_visible]
    if not texts:
        return ""
    said, rest = "; ".join(texts[:MAX_DIFFERENCES]), len(texts) - MAX_DIFFERENCES
    if rest > 0:
        said += f", and {count_noun(rest, 'other column')}"
    return f"Also: {said}."


def find_differences(a: Result, b: Result, choice: str = "") -> list[LargestDifference]:
    """Largest differences in the first table that has any: of the column that a reader
    looks at, then of the others, largest first.
    """
    tables = {table.name: table for table in b.tables()}
    for table in a.tables():
        if table.name not in tables:
            continue
        first, second = table.make(), tables[table.name].make()
        apart = find_largest(_rows_of(first, choice), _rows_of(second, choice))
        found = [difference for difference in apart if _is_of_result(difference.column)]
        if any(difference.is_visible for difference in found):
            looked_at = _column_looked_at(a, choice, [*map(str, first)], found)
            return sorted(found, key=lambda difference: difference.column != looked_at)
    return []


def _rows_of(frame: Frame, choice: str) -> Frame:
    """The rows of a measure or a run that results are shown for; all if there are none."""
    for column in ("measure", "target", "run"):
        if column in frame and (frame[column] == choice).any():
            return frame[frame[column] == choice]
    return frame


def _column_looked_at(
    a: Result, choice: str, columns: Sequence[str], found: Sequence[LargestDifference]
) -> str:
    """Which of the columns of `found` the page of a result is about."""
    columns_of_page = [choice, a.looked_at, *columns]
    changed = [difference.column for difference in found]
    return min(changed, key=columns_of_page.index)


def _is_of_result(column: str) -> bool:
    """Whether a column has what the result says, not its rates, its p or the ends of
    intervals.
    """
    words = {*re.split(r"[ ,_]+", column)}
    return column != LEFT and words.isdisjoint(ENDS)


def draw_both(
    name: str,
    other: OtherSettings,
    results: Sequence[Result],
    verdicts: Sequence[Verdict],
    charts: Sequence[Sequence[Chart]],
    choice: str = "",
) -> None:
    """Draw the results A and B side by side on shared axes, each with its verdict;
    `choice` is what they are shown for.
    """
    first, second = results
    answer.show_sentence(describe_both(other, first, second, choice))
    columns = st.columns(2)
    for column, label, verdict in zip(columns, "AB", verdicts, strict=True):
        # what else is known would push the charts down: it is with the tables
        said = verdict._replace(below="").text
        column.caption(f"**{label}** {escape_markdown(said)}")
    of_b = {chart.name: chart for chart in charts[1]}
    for chart in charts[0]:
        _draw_pair(name, chart, of_b.get(chart.name))
    tables = {
        f"Table {label}": partial(_draw_table, result.tables()[0], verdict.below)
        for label, result, verdict in zip("AB", results, verdicts, strict=True)
    }
    output.draw_picked(tables, key=f"{name}_tables")


def _draw_table(table: Table, said: str) -> None:
    """Draw the first table of A or B, below what its verdict says of more than its claim."""
    if said:
        st.caption(escape_markdown(said))
    output.result_table(table)


def on_shared_axes(first: Figure, second: Figure) -> tuple[Figure, Figure]:
    """Change two figures, so that they have one scale and names have room on it."""
    for figure in on_one_scale(first, second):
        space_names(figure.layout, TEXT / INNER)
        with_names_placed(figure)
    return first, second


def _draw_pair(name: str, a: Chart, b: Chart | None) -> None:
    """Draw a chart of A and that of B on one scale; A's alone if B has none."""
    left, right = st.columns(2)
    drawn = output.draw_figure(a)
    drawn_b = None
    if b:
        drawn_b = output.draw_figure(b)
        # two scales side by side would show a difference where there is none
        on_shared_axes(drawn.figure, drawn_b.figure)
    with left:
        output.chart(a._replace(title=f"A: {a.title}"), f"{name}-{a.name}", drawn)
    if b:
        with right:
            output.chart(b._replace(title=f"B: {b.title}"), f"{name}-{b.name}-b", drawn_b)
