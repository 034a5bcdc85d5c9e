"""Whatever bytes come: the readers and the check answer or refuse in one line, never
with a traceback.

How many inputs is up to the environment: ``IRMEVAL_FUZZ=100000 pytest
tests/unit/reading/test_fuzz.py``.
"""

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeval import IrmevalError, ReadError
from irmeval.check import ScoredRuns, check
from irmeval.check.formats import to_json
from irmeval.check.text_report import as_text
from irmeval.collection.base import build
from irmeval.reading import parsing
from irmeval.reading.faults import examine
from irmeval.reading.lines import numbered_lines
from tests.cases import read_qrels_or_run, settled_run
from tests.mutants import KINDS, mutant

INPUTS = int(os.environ.get("IRMEVAL_FUZZ", "150"))
QRELS = parsing.settled_qrels(
    "q", b"1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 0\n2 0 b -1\n3 0 a 1\n3 0 c 0\n"
)
RUNS = [
    settled_run(f"r{i}", f"1 Q0 a 1 {i} t\n1 Q0 b 2 1 t\n3 Q0 a 1 1 t\n".encode()) for i in range(5)
]
MEASURES = ("AP", "AP'", "nDCG", "RBP(p=0.8)", "infAP", "Judged@2")
FIELDS = {
    order: ScoredRuns.of(build(QRELS, RUNS, order=order), MEASURES)
    for order in ("trec_eval", "double", "rank", "file")
}

TOKENS = b"1 2 3 4 Q0 0 a b c u 0.5 -1 1e39 nan inf +1 t \xe9 \xc3\xa9 # 1.5".split()
COLUMNS = (
    [b"1", b"2", b"3", b"9"],
    [b"Q0"],
    [b"a", b"b", b"c", b"u", b"v"],
    [b"1", b"2", b"x", b"-1", b"1.0"],
    [b"1", b"1.00000001", b"0", b"-1", b"1e39", b"-inf", b"nan", b"1e-60"],
    [b"t", b"u"],
)
BLANKS = b" ", b"\t", b"  ", b" \t", b"\v"
ENDS = b"\n", b"\r\n", b"\r", b"\n\n", b"", b"\0", b" \n"
MARKS = b"", b"", b"\xef\xbb\xbf", b"\xff\xfe"
# one seed: to draw each word by Hypothesis takes longer than to read them
CHOICE = st.randoms(use_true_random=True)


def run_line(choice: random.Random) -> bytes:
    """A line of a run, with odd values in some columns."""
    return b" ".join(map(choice.choice, COLUMNS))


def near_miss(choice: random.Random) -> bytes:
    """A text that is almost a run or a qrels."""
    lines = [
        choice.choice((run_line(choice), b" ".join(choice.choices(TOKENS, k=choice.randint(0, 7)))))
        for _ in range(choice.randint(0, 10))
    ]
    ended = (line.replace(b" ", choice.choice(BLANKS), 1) + choice.choice(ENDS) for line in lines)
    return choice.choice(MARKS) + b"".join(ended)


def run_lines(choice: random.Random) -> bytes:
    return b"\n".join(run_line(choice) for _ in range(choice.randint(1, 12)))


TEXTS = CHOICE.map(near_miss) | st.binary(max_size=80)


@settings(max_examples=INPUTS)
@given(TEXTS, st.sampled_from(["run", "qrels"]))
def test_readers_and_examination_when_given_anything_then_read_or_refuse_in_a_line_and_count_rest(
    data, columns
):
    for read in (read_qrels_or_run, parsing.settled_qrels, settled_run):
        try:
            sound = read("f", data)
        except ReadError as error:
            assert "\n" not in str(error)
        else:
            assert len(sound.documents) > 0
    found = examine("f", data, columns)
    lines = sum(1 for _ in numbered_lines(data))
    at_fault = sum(fault.lines for fault in found.faults.values())
    if found.sound is None:
        assert found.faults
    else:
        assert sum(len(content.documents) for content in found.contents()) + at_fault == lines


@settings(max_examples=INPUTS // 3)  # each of which is told in full
@given(CHOICE.map(run_lines) | TEXTS, st.sampled_from([*FIELDS]))
def test_check_when_given_anything_then_it_finds_what_can_be_written_down(data, order):
    one = check(examine("run", data), "run", FIELDS[order])
    assert one.findings
    assert "run: " in as_text(one, tables=True)
    assert to_json([one]).startswith("[")
    if "Ties" in one.tables and order == "trec_eval":
        ties = one.tables["Ties"].dropna()
        for lower, higher in (
            ("worst", "expected"),
            ("expected", "best"),
            ("worst", "as scored"),
            ("as scored", "best"),
        ):
            assert np.all(ties[lower] <= ties[higher] + 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_when_changed_here_and_there_then_read_or_refused_in_a_short_line(kind):
    rng = random.Random(kind)
    for _ in range(INPUTS):
        changed = mutant(rng, kind)
        try:
            KINDS[kind].read(changed)
        except IrmevalError as error:
            assert "\n" not in str(error)
            assert len(str(error)) <= 1000
