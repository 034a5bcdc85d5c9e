"""One list of hostile names through every page, chart, table and export, and hostile addresses through every page."""

import csv
import html
import io
import json
import os
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
import pytest
from google.protobuf.message import Message

from irmeval import Collection, ParamError, evaluate
from irmeval.core.errors import ReadError
from irmeval.core.tables import FORMATS, escape_markdown
from irmeval.plots.theme import plain
from irmeval.report import exports, figures
from irmeval.ui.pages import frame
from tests import hostile
from tests.dashboard import LESS, dashboard, fine, opened
from tests.test_pages import PAGES

PLAIN = {
    ("Selectbox", "options"),
    ("MultiSelect", "options"),
    ("MultiSelect", "default"),
    ("Code", "code_text"),
    ("PlotlyChart", "alt"),
    ("Selectbox", "raw_value"),
    ("Selectbox", "set_value"),
    ("MultiSelect", "raw_values"),
    ("TextInput", "value"),
    ("TextInput", "default"),
    ("DownloadButton", "url"),
    ("Dataframe", "columns"),
    ("TextInput", "set_value"),
}
"""Fields of Streamlit's messages that it shows as they are."""
NAMES = [name for name in (*hostile.WORDS, hostile.FILE) if len(name) > 2 and name not in ("---", "%{customdata}")]
"""Those that are not also written on purpose."""


def strings(message: Message) -> Iterator[tuple[str, str, str]]:
    """Kind, field and text of everything written in a message."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated and not hasattr(value, "items") else [value]:
            if isinstance(one, str):
                yield message.DESCRIPTOR.name, field.name, one
            elif isinstance(one, Message):
                yield from strings(one)


@cache
def escaped(escape) -> dict[str, str]:
    """The names as they are written, the longest first."""
    return {name: escape(name) for name in sorted(NAMES, key=len, reverse=True)}


@cache
def markup(text: str, escape) -> list[str]:
    """The names that stand in a text unescaped."""
    if not any(name in text for name in NAMES):
        return []
    for written in escaped(escape).values():
        text = text.replace(written, "")
    return [name for name, written in escaped(escape).items() if written != name and name in text]


def elements(block) -> Iterator:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from elements(child)
        yield child


def values(thing) -> Iterator[str]:
    """All texts in a figure."""
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, dict):
        for one in thing.values():
            yield from values(one)
    elif isinstance(thing, list):
        for one in thing:
            yield from values(one)


def unescaped(app) -> list[tuple[str, ...]]:
    """Where a page hands a name on as markup."""
    found = []
    for element in elements(app._tree):
        if not isinstance(getattr(element, "proto", None), Message):
            continue
        for kind, field, text in strings(element.proto):
            if kind == "PlotlyChart" and field in ("spec", "figure"):
                found += [(kind, name, text[:80]) for text in values(json.loads(text)) for name in markup(text, plain)]
            elif (kind, field) == ("Dataframe", "columns"):  # whose keys are the names of the data, and are not shown
                found += [(kind, field, name) for text in values(json.loads(text)) for name in markup(text, escape_markdown)]
            elif kind == "Html":
                found += [(kind, name) for name in markup(text, html.escape)]
            elif (kind, field) not in PLAIN and "id" not in field and field != "config":
                found += [(kind, field, name, text[:80]) for name in markup(text, escape_markdown)]
    return found


VIEWS = {
    "pages/incompleteness/curves.py": "Run by run",
    "pages/scores/leaderboard.py": "Table",
    "pages/incompleteness/unjudged.py": "To judge next",
    "pages/learn/lab.py": "Step by step",
}


desk = cache(hostile.dataset)

FEW = ["AP", "Q'"]
"""Measures: enough for each page to have all its charts, lists and tables."""
FEWER = {"measures": FEW, "topics_only": "901-905", "random_runs": "5"} | LESS
"""An address: such a page on a few topics and runs."""


def test_collection_when_files_of_hostile_names_are_at_fault_then_their_faults_are_told_without_markup():
    for word in hostile.WORDS[:12:2]:
        desk = hostile.dataset(4)
        twice = f"{word} Q0 {word} 1 1 t\n".encode() * 2
        desk.add([(f"{n} {hostile.FILE}", twice) for n in "ab"] + [(f"c {hostile.FILE}", word.encode())])
        app = opened("pages/data/collection.py", {"measures": FEW}, desk=desk)
        assert not app.exception
        assert len(app.error) == 1
        assert unescaped(app) == []
        assert not [name for text in app.table[0].value.to_numpy().ravel() for name in markup(text, escape_markdown)]


@pytest.mark.parametrize("page", ["pages/data/collection.py", "pages/significance/matrix.py", "pages/reliability/swap.py"])
def test_page_when_a_matrix_has_hostile_names_then_none_is_handed_on_as_markup(page):
    app = opened(page, {"view": "Download"}, desk=hostile.matrix())
    assert not app.exception
    assert unescaped(app) == []


@pytest.mark.parametrize("page", ["documents", "systems", "holes"])
def test_page_when_judges_files_have_hostile_names_then_none_is_handed_on_as_markup(page):
    desk = hostile.dataset(4)
    judged = "".join(f"{topic} 0 {document} 1\n" for topic in hostile.WORDS[4:12] for document in hostile.WORDS[12:20])
    assert desk.add_judges([(f"{n} {hostile.FILE}", judged.encode()) for n in "ab"]) == []
    for view in ("Table", "Download"):
        app = opened(f"pages/judges/{page}.py", {"measures": FEW, "view": view} | LESS, desk=desk)
        assert not app.exception
        assert f"b {hostile.FILE}" in [option for box in app.selectbox for option in box.options]
        assert unescaped(app) == []


def test_selection_when_it_leaves_nothing_of_hostile_names_then_the_error_is_escaped():
    for address in ({"topics_only": "[click](http://example.org)"}, {"best_by": ":smile:"}, {"measures": "[click](http://example.org)"}):
        app = dashboard(desk=hostile.dataset())
        app.query_params.update({"measures": FEW} | address)
        app.run()
        assert not app.exception
        said = " ".join(element.value for element in app.error)
        assert said
        assert "[click]" not in said
        assert ":smile" not in said


FRAME = pd.DataFrame({"run": hostile.LINES, "=HYPERLINK(1)": hostile.LINES[::-1], "[h]\n": np.linspace(0, 1, len(hostile.LINES))})


def test_csv_when_names_are_hostile_then_no_cell_or_heading_begins_a_formula_and_all_come_back():
    rows = list(csv.reader(io.StringIO(FORMATS["csv"](FRAME), newline="")))
    assert len(rows) == len(FRAME) + 1
    for row in rows:
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for cell in row)
    assert [row[0].removeprefix("'") for row in rows[1:]] == list(hostile.LINES)


def test_markdown_when_names_are_hostile_then_a_line_is_a_row_of_as_many_cells():
    lines = FORMATS["markdown"](FRAME).splitlines()
    assert len(lines) == len(FRAME) + 2
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 4 for line in lines)
    assert not markup("\n".join(lines), escape_markdown)


@pytest.mark.parametrize("columns", [["run"], ["run", "=HYPERLINK(1)", "[h]\n"]])
def test_latex_when_names_are_hostile_then_a_line_is_a_row_and_begins_with_no_option(columns):
    lines = FORMATS["latex"](FRAME[columns]).splitlines()
    rows = [lines[2], *lines[4:-2]]
    assert len(rows) == len(FRAME) + 1
    for row in rows:
        assert row.endswith(r" \\")
        assert not row.startswith(("*", "["))
        bare = re.sub(r"\\text\w+\{\}|\\[&%$#_{}]|-\{\}|^\{\}", "", row.removesuffix(r" \\"))
        assert bare.count("&") == len(columns) - 1
        assert not set(bare) & set("\\%$#_{}~^<>|`\x1b\u202e")


def test_json_when_names_are_hostile_then_all_come_back():
    assert [row["run"] for row in json.loads(FORMATS["json"](FRAME))] == list(hostile.LINES)


def test_markdown_when_a_name_is_escaped_then_it_is_one_line_that_begins_no_block():
    for name in hostile.LINES:
        text = escape_markdown(name)
        assert len(text.splitlines()) <= 1
        assert not re.match(r"\s*([-+*>#=|]|\d+[.)](\s|$))", text)
        assert not re.search(r":(//|[\w+-]+[:/])|(?<!\\):[a-z]|www\.|\w@\w+\.", text, re.IGNORECASE)


def test_plotly_when_a_name_is_escaped_then_it_is_one_line_without_markup_and_figures_hold_no_script():
    import plotly.graph_objects as go

    for name in hostile.LINES:
        assert not re.search(r"[<>\n]|%\{", plain(name))
    page = figures.page(go.Figure({"data": [{"type": "bar", "x": [plain(n) for n in hostile.LINES], "y": [1] * len(hostile.LINES)}]}), "x")
    assert "<script>alert" not in page


def test_trec_formats_when_a_name_holds_a_blank_then_refused_and_hostile_words_are_written_as_they_are():
    words = dict.fromkeys(hostile.WORDS, 1)
    for odd in ("a b", "a\nb", "", "a\u2028b"):
        c = Collection.from_dicts({"1": words | {"a": 1}}, {odd: {"1": {"a": 1.0}}})
        with pytest.raises(ParamError, match="cannot be written"):
            exports.condensed_run(c, odd)
        with pytest.raises(ParamError, match="cannot be written"):
            exports.trec_scores(evaluate(c, ["AP"]))
        with pytest.raises(ParamError, match="cannot be written"):
            exports.reduced_qrels(Collection.from_dicts({"1": {odd: 1}}, {"r": {"1": {"a": 1.0}}}), np.ones(1, np.int8))
    c = Collection.from_dicts({"1": words}, {hostile.WORDS[0]: {"1": words}})
    assert len(exports.condensed_run(c, hostile.WORDS[0]).splitlines()) == len(hostile.WORDS)


def test_error_when_what_came_holds_control_characters_then_its_text_is_one_harmless_line():
    for name in hostile.LINES:
        assert str(ReadError(name, 1, name, name, name)).isprintable()


VALUES = (
    "",
    " ",
    "²",
    "1" * 5000,
    "-1",
    "1e999",
    "nan",
    "A" + " " * 1000 + "(",
    "zzz",
    "[click](http://example.org)",
    "<b>x</b>",
    ":smile:",
    "\0",
    "\u202e",
    "1-",
    "²-³",
    "0x10",
    "1,2:3",
    "' OR 1=1",
    "../../etc/passwd",
    "%s%n{0}",
    "🙂",
    "a" * 10_000,
    "True",
    "None",
    "1_000",
)
EVERYWHERE = ("topics_only", "team_rule", "best_by", "top_runs", "per_team", "least", "draw", "measures", "order", "depth", "view")


def keys(app) -> list[str]:
    """What a page binds to the address, beside what all pages do."""
    bound = {element.key for element in elements(app.main) if getattr(element, "key", None)}
    return sorted(key for key in bound if key not in EVERYWHERE)


CURVES = "pages/incompleteness/curves.py"


def visited(page: str, address: dict[str, object]) -> None:
    app = opened(page, address)
    assert not app.exception, (page, address, app.exception[0].message)


@pytest.mark.parametrize(("page", "key"), [("pages/scores/topics.py", "drawn"), ("pages/incompleteness/pools.py", "kind")])
def test_choice_when_the_address_leaves_it_empty_then_it_is_the_first(page, key):
    visited(page, FEWER | {key: ""})


MANY = "IRMEVAL_FUZZ" in os.environ
TOLD = [
    {"best_by": "zzz", "top_runs": "3"},
    {"best_by": "A" + " " * 1000 + "(", "per_team": "best"},
    {"topics_only": "²"},
    {"topics_only": "1" * 5000},
    {"topics_only": f"1-{'9' * 5000}"},
    {"team_rule": "1" * 5000, "per_team": "best"},
    {"trials": "1e999", "top_runs": "inf", "depth": "nan", "least": "1e999", "gold": "A" + " " * 1000 + "("},
    {"measures": "A" + " " * 1000 + "("},
]


@pytest.mark.parametrize("address", TOLD)
def test_address_when_it_is_hostile_then_the_page_has_no_exception(address):
    visited(CURVES, FEWER | address)


@pytest.mark.parametrize("page", PAGES)
def test_page_when_every_name_and_then_its_address_is_hostile_then_none_is_markup_and_there_is_no_exception(page):
    shown = fine(opened(page, {"view": VIEWS.get(page, "Download"), "measures": FEW} | LESS, desk=desk(), stills=True))
    assert len(shown.title) == 1
    assert unescaped(shown) == []
    own = keys(shown)
    at = PAGES.index(page)
    for value in VALUES if MANY else (VALUES[at % len(VALUES)],):
        visited(page, FEWER | dict.fromkeys(own, value))


@pytest.mark.skipif(not MANY, reason="takes minutes; IRMEVAL_FUZZ=1 asks for it")
@pytest.mark.parametrize("key", EVERYWHERE)
def test_sidebar_when_the_address_is_hostile_then_it_has_no_exception(key):
    for value in VALUES:
        visited(CURVES, {key: value, "per_team": "best", "top_runs": "3"} | {key: value})


def test_pages_when_listed_then_the_story_is_all_there_is_to_visit():
    assert len(PAGES) == sum(map(len, frame.STORY.values())) + 1
