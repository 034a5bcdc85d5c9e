"""One list of hostile names through every page, chart, table and export, and hostile
addresses through every page.
"""

import csv
import io
import json
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

from irmeval import Collection, ParamError, evaluate
from irmeval.core.errors import ReadError
from irmeval.core.tables import FORMATS, escape_markdown
from irmeval.plots import display
from irmeval.plots.canvas import escape_name
from irmeval.report import exports
from tests import hostile

NAMES = [
    name
    for name in (*hostile.WORDS, hostile.FILE)
    if len(name) > 2 and name not in ("---", "%{customdata}")
]
"""Those that are not also written on purpose."""


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


FRAME = pd.DataFrame(
    {
        "run": hostile.LINES,
        "=HYPERLINK(1)": hostile.LINES[::-1],
        "[h]\n": np.linspace(0, 1, len(hostile.LINES)),
    }
)


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


def test_plotly_when_a_name_is_escaped_then_is_one_line_without_markup_and_figures_hold_no_script():
    import plotly.graph_objects as go

    for name in hostile.LINES:
        assert not re.search(r"[<>\n]|%\{", escape_name(name))
    page = display.figure_page(
        go.Figure(
            {
                "data": [
                    {
                        "type": "bar",
                        "x": [escape_name(n) for n in hostile.LINES],
                        "y": [1] * len(hostile.LINES),
                    }
                ]
            }
        ),
        "x",
    )
    assert "<script>alert" not in page


def test_trec_formats_when_a_name_holds_a_blank_then_refused_and_hostile_words_written_as_is():
    words = dict.fromkeys(hostile.WORDS, 1)
    for odd in ("a b", "a\nb", "a\u2028b"):
        c = Collection.from_dicts({"1": words | {"a": 1}}, {odd: {"1": {"a": 1.0}}})
        with pytest.raises(ParamError, match="cannot be written"):
            exports.condensed_run(c, odd)
        with pytest.raises(ParamError, match="cannot be written"):
            exports.trec_scores(evaluate(c, ["AP"]))
    for odd in ("a b", "a\nb", "a\u2028b"):
        c = Collection.from_dicts({"1": {odd: 1}}, {"r": {"1": {"a": 1.0}}})
        with pytest.raises(ParamError, match="cannot be written"):
            exports.reduced_qrels(c, np.ones(1, np.int8))
    c = Collection.from_dicts({"1": words}, {hostile.WORDS[0]: {"1": words}})
    assert len(exports.condensed_run(c, hostile.WORDS[0]).splitlines()) == len(hostile.WORDS)


def test_error_when_what_came_holds_control_characters_then_its_text_is_one_harmless_line():
    for name in hostile.LINES:
        assert str(ReadError(name, 1, name, name, name)).isprintable()
