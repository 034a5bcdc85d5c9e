"""Texts that a link or a file may hold, of any length and in any digits: read in one
pass, bounded, refused in a short line.

The tests of the dashboard; the others are in `tests/unit/reading/test_long_texts.py`.
"""

import re

import pytest

from irmeval.core import parallel, tables, terminal, text
from irmeval.judges import grade_maps, simulation
from irmeval.lessons import claims, glossary, reading
from irmeval.metrics import base
from irmeval.plots import elements
from irmeval.reading import files, first_block, lines, text_layout
from irmeval.reading.formats import run_scores
from irmeval.ui.state import cookies, hosts
from irmeval.ui.widgets import link, workspaces
from tests.unit.reading.test_long_texts import LONG


# each of these texts takes a pattern that tries it in more than one way longer than anybody waits
@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (base._FORM, "A" + " " * LONG + "("),
        (base._FORM, "A(" + " " * LONG + "@"),
        (base._FORM, "A()" + " " * LONG + "("),
        (base._FORM, "A@" + " " * LONG + "("),
        (lines._NUMBER, "1" * LONG + "x"),
        (lines._NUMBER, "." + "1" * LONG + "x"),
        (lines._NUMBER, "1." + "1" * LONG + "x"),
        (lines._NUMBER, "1e" + "1" * LONG + "x"),
        (lines._INTEGER, "1" * LONG + "x"),
        (text_layout.skipped(text_layout.QRELS), b" " * LONG + b"#" * LONG),
        (text_layout.comments(text_layout.QRELS), b"\n" * LONG + b"x" + b"#" * LONG),
        (text_layout.skipped(text_layout.RUN), b"#" + b"a " * LONG),
        (first_block._TOKEN, '"' + "\\" * LONG + '"x'),
        (re.compile(run_scores.MEASURE, re.IGNORECASE), "a" * LONG),
        (files._PADDING, b"\0" * LONG + b"x"),
        (terminal._ODD, "\x1b" * LONG + "x"),
        (text._CONTROL, "\n" * LONG + "x"),
        (text._DIGITS, "1" * LONG + "x"),
        (hosts._HOST, "[" + "1" * LONG),
        (hosts._HOST, "a" * LONG + ":x"),
        (link._NAMED, "1" * LONG),
        (link._NAMED, "1a2b3c4d." + "1" * LONG),
        (link._NAMED, "1a2b3c4d.1x1." + "a" * LONG),
        (cookies._FORM, "a" * LONG),
        (parallel._LOCAL, "local:" + "1" * LONG),
        (parallel._REMOTE, "tcp://" + ":1" * (LONG // 2) + "x"),
        (elements._TAG, '<span style="color:#' + "0" * LONG),
        (elements._MARKED, "\0#000000\0" + "a" * LONG),
        (tables.MARKED, "1" * LONG),
        (tables.MARKED, "1." + "1" * LONG),
        (workspaces.FOLDER, "a" * LONG),
        (glossary._forms()[1], "tau " * LONG),
        (simulation._CHANCE, "." + "1" * LONG),
        (grade_maps._PART, " " * LONG + "x"),
        (grade_maps._PART, "11111-11111" + " " * LONG + "x"),
        (grade_maps._PART, "11111:" + " " * LONG + "1" + " " * LONG + "x"),
        (reading.FORMAT, "+" * LONG),
        (reading.PLACE, "{" + "a" * LONG),
        (reading._NAME, "a" * LONG),
        (claims._CLAIM, " " * LONG + "1" * LONG + "x <"),
        (claims._CLAIM, "a < -" + "1" * LONG + "x"),
        (claims._CLAIM, "a < ." + "1" * LONG + "x"),
    ],
)
def test_pattern_when_a_long_text_fails_at_its_end_then_it_was_tried_in_one_way(pattern, text):
    assert not pattern.fullmatch(text)
