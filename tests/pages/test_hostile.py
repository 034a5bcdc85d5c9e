"""One list of hostile names through every page, chart, table and export, and hostile
addresses through every page.

The tests of the dashboard; the others are in `tests/unit/report/test_hostile.py`.
"""

import html
import json
import os
from collections.abc import Iterator
from functools import cache

import pytest
from google.protobuf.message import Message

from irmeval.core.tables import escape_markdown
from irmeval.plots.canvas import escape_name
from tests import hostile
from tests.dashboard import LESS, dashboard, fine, opened
from tests.pages.test_pages import PAGES
from tests.unit.report.test_hostile import markup

PLAIN = {
    ("Selectbox", "options"),
    ("PageLink", "query_string"),
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


def strings(message: Message) -> Iterator[tuple[str, str, str]]:
    """Kind, field and text of everything written in a message."""
    for field, value in message.ListFields():
        for one in value if field.is_repeated and not hasattr(value, "items") else [value]:
            if isinstance(one, str):
                yield message.DESCRIPTOR.name, field.name, one
            elif isinstance(one, Message):
                yield from strings(one)


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
                found += [
                    (kind, name, text[:80])
                    for text in values(json.loads(text))
                    for name in markup(text, escape_name)
                ]
            elif (kind, field) == (
                "Dataframe",
                "columns",
            ):  # whose keys are the names of the data, and are not shown
                found += [
                    (kind, field, name)
                    for text in values(json.loads(text))
                    for name in markup(text, escape_markdown)
                ]
            elif kind == "Html":
                found += [(kind, name) for name in markup(text, html.escape)]
            elif (kind, field) not in PLAIN and "id" not in field and field != "config":
                found += [(kind, field, name, text[:80]) for name in markup(text, escape_markdown)]
    return found


VIEWS = {
    "pages/incompleteness/curves.py": "Run by run",
    "pages/runs/leaderboard.py": "Table",
    "pages/incompleteness/unjudged.py": "To judge next",
    "pages/learn/lab.py": "Step by step",
}


desk = cache(hostile.dataset)

FEW = ["AP", "Q'"]
"""Measures: enough for each page to have all its charts, lists and tables."""
FEWER = {"measures": FEW, "topics_only": "901-905", "random_runs": "5"} | LESS
"""An address: such a page on a few topics and runs."""


def test_collection_when_files_of_hostile_names_are_at_fault_then_faults_are_told_without_markup():
    for word in hostile.WORDS[:12:2]:
        desk = hostile.dataset(4)
        twice = f"{word} Q0 {word} 1 1 t\n".encode() * 2
        desk.add(
            [(f"{n} {hostile.FILE}", twice) for n in "ab"] + [(f"c {hostile.FILE}", word.encode())]
        )
        app = opened("pages/data/collection.py", {"measures": FEW}, desk=desk)
        assert not app.exception
        assert len(app.error) == 1
        assert unescaped(app) == []
        assert not [
            name
            for text in app.table[0].value.to_numpy().ravel()
            for name in markup(text, escape_markdown)
        ]


@pytest.mark.parametrize(
    "page", ["pages/data/collection.py", "pages/runs/matrix.py", "pages/measures/swap.py"]
)
def test_page_when_a_matrix_has_hostile_names_then_none_is_handed_on_as_markup(page):
    app = opened(page, {"view": "Download"}, desk=hostile.matrix())
    assert not app.exception
    assert unescaped(app) == []


@pytest.mark.parametrize("page", ["judges", "systems", "holes"])
def test_page_when_judges_files_have_hostile_names_then_none_is_handed_on_as_markup(page):
    desk = hostile.dataset(4)
    judged = "".join(
        f"{topic} 0 {document} 1\n"
        for topic in hostile.WORDS[4:12]
        for document in hostile.WORDS[12:20]
    )
    assert desk.add_judges([(f"{n} {hostile.FILE}", judged.encode()) for n in "ab"]) == []
    for view in ("Table", "Download"):
        app = opened(f"pages/planning/{page}.py", {"measures": FEW, "view": view} | LESS, desk=desk)
        assert not app.exception
        assert f"b {hostile.FILE}" in [option for box in app.selectbox for option in box.options]
        assert unescaped(app) == []


def test_selection_when_it_leaves_nothing_of_hostile_names_then_the_error_is_escaped():
    for address in (
        {"topics_only": "[click](http://example.org)"},
        {"best_by": ":smile:"},
        {"measures": "[click](http://example.org)"},
    ):
        app = dashboard(desk=hostile.dataset())
        app.query_params.update({"measures": FEW} | address)
        app.run()
        assert not app.exception
        said = " ".join(element.value for element in [*app.error, *app.caption])
        assert said
        assert "[click]" not in said
        assert ":smile" not in said


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
    "1_0",
)
EVERYWHERE = (
    "topics_only",
    "team_rule",
    "best_by",
    "top_runs",
    "per_team",
    "least",
    "draw",
    "measures",
    "order",
    "depth",
    "view",
)


def keys(app) -> list[str]:
    """What a page binds to the address, beside what all pages do."""
    bound = {element.key for element in elements(app.main) if getattr(element, "key", None)}
    return sorted(key for key in bound if key not in EVERYWHERE)


CURVES = "pages/incompleteness/curves.py"


def visited(page: str, address: dict[str, object]) -> None:
    app = opened(page, address)
    assert not app.exception, (page, address, app.exception[0].message)


@pytest.mark.parametrize(
    ("page", "key"),
    [("pages/runs/topics.py", "drawn"), ("pages/incompleteness/curves.py", "watch")],
)
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
    {
        "trials": "1e999",
        "top_runs": "inf",
        "depth": "nan",
        "least": "1e999",
        "gold": "A" + " " * 1000 + "(",
    },
    {"measures": "A" + " " * 1000 + "("},
]


@pytest.mark.parametrize("address", TOLD)
def test_address_when_it_is_hostile_then_the_page_has_no_exception(address):
    visited(CURVES, FEWER | address)


@pytest.mark.parametrize("page", PAGES)
def test_page_when_every_name_and_then_its_address_is_hostile_then_no_markup_and_no_exception(
    page,
):
    shown = fine(
        opened(page, {"view": VIEWS.get(page, "Download"), "measures": FEW} | LESS, desk=desk())
    )
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
