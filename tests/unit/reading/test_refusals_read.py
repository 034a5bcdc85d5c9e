"""Refusals of files and collections that are seldom met: each says what was expected, what
came, and what to do.
"""

import gzip
import io
import tarfile

import pytest

import irmeval
from irmeval.core.errors import IrmevalError
from irmeval.experiments import EXPERIMENTS
from irmeval.papers.on_collections import compare_collections
from irmeval.reading import files, foreign, parsing
from irmeval.reading.exclusions import parse_exclusions
from irmeval.scoring.selection import select_by_name
from tests.cases import SAMPLE, collection, read_once, refusal
from tests.counted import made
from tests.unit.reading.test_trec_reading import zipped

ROOM = 1 << 20
SHAPE = "topic -> document -> number"


def tarred(members: dict[str, bytes], cut: int | None = None) -> bytes:
    """A tar file of these members, or its beginning."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()[:cut]


PACKED = {
    "a sheet": (
        zipped({"[Content_Types].xml": b"x", "a": b"b"}),
        "a zip file with run or qrels files in it, found an Office document. Save its sheet as"
        " CSV.",
    ),
    "packed twice": (
        gzip.compress(gzip.compress(b"1 Q0 a 1 1 t\n")),
        "a text packed by gzip, found one that is packed twice. Unpack it first.",
    ),
    "a tar of litter": (
        tarred({"__MACOSX/a": b"x"}),
        "a tar file with run or qrels files in it, found an empty one.",
    ),
    "a tar that is cut": (
        tarred({"a": b"x" * 3000}, cut=1500),
        "a tar file, found damaged data (unexpected end of data). Pack it again.",
    ),
    "a tar of too many": (
        gzip.compress(tarred({str(i): b"" for i in range(2003)})),
        "at most 2001 files in a tar, found more. Split it.",
    ),
}
READ = {
    "documents without a grade": (
        b"qid,docno,label\n1,a,\n1,b,\n",
        ": expected at least one judgment, found documents without a grade. Fill in the grades.",
    ),
    "a level that NTCIR has not": (
        b"1 L1 a\n1 L2 b\n1 L9 c\n1 L0 d\n",
        ", line 3: expected a level of NTCIR (L0, L1, ... or S, A, B, C, D), found L9.",
    ),
    "a line that is no object": (
        b'{"qid":"1","docno":"a","label":1}\n3\n',
        ", line 2: expected an object, found 3. Fix or remove the line.",
    ),
    "an object without a key": (
        b'{"qid":"1","docno":"a","label":1}\n{"qid":"1","label":1}\n',
        ", line 2: expected the key docno, found {'qid': '1', 'label': 1}. Fix or remove the line.",
    ),
    "a grade in words": (
        b'{"qid":"1","docno":"a","label":1}\n{"qid":"1","docno":"b","label":"x"}\n',
        ", line 2: expected a number as grade, found 'x'. Fix or remove the line.",
    ),
    "a number among lists": (
        b'{"1": {"a": {"x": 1}, "b": 3}}',
        f": expected {SHAPE}, found 1, b: 3. Fix or remove it.",
    ),
    "too many levels": (
        b'{"1":{"2":{"3":{"4":{"5":{"6":{"7":{"a":1}}}}}}}}',
        f": expected {SHAPE}, found deeper nesting. Take a level out.",
    ),
}
BLANK = "Give each line a topic and a document, or name a qrels file."
NEXT = EXPERIMENTS["judge-next"]
TWO_RUNS = {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 2.0}}}


def agreed() -> irmeval.Collection:
    """A collection with two judges who have judged what the first has."""
    first = made(4, 7).with_judgments("x", {"0": {"a": 1}})
    return first.with_judgments("y", {"0": {"a": 1}})


CALLS = {
    "no pair": (
        lambda: parse_exclusions("f", b"\n"),
        f"f: expected pairs of topic and document, found none. {BLANK}",
    ),
    "a tab in a name": (
        lambda: parse_exclusions("f", b'topic,document\n"a\tb",c\n'),
        rf"f: expected pairs of topic and document, found 'a\tb\tc'. {BLANK}",
    ),
    "two runs for one": (
        lambda: foreign.run_from_dict("r", TWO_RUNS),
        "r: expected topic -> document -> score, found deeper nesting. Give one run at a time.",
    ),
    "weights without runs": (
        lambda: irmeval.reduce(read_once(SAMPLE[0], ()), "weighted", rate=10),
        "weighted: expected runs, found none. Use uniform, which needs none.",
    ),
    "a pool without runs": (
        lambda: irmeval.reduce(read_once(SAMPLE[0], ()), "shallow", pool=5),
        "pool: expected runs, found none. Read the runs too.",
    ),
    "judges who judged the same": (
        lambda: NEXT(agreed(), ["AP"], by="disagreement"),
        "disagreement: no two other judges have graded a document that qrels has not judged. Use"
        " residual.",
    ),
    "less than a document": (
        lambda: EXPERIMENTS["orders"].params(budgets=("0.5%",), unit="documents"),
        "budgets: expected at least 1 document, found 0.5%. Or set unit='per cent'.",
    ),
    "a choice where there is none": (
        lambda: EXPERIMENTS["collection"](made(4, 7)).plot(choice="x"),
        "plot: this result has no choice. Leave it out.",
    ),
    "runs of an experiment on all": (
        lambda: EXPERIMENTS["orders"](made(4, 7), ["AP"], only=["r0"]),
        "orders: works on all runs; select some of them first.",
    ),
    "no measure": (
        lambda: compare_collections({"a": made(3, 7), "b": made(4, 7)}, []),
        "measures: expected at least one, found none.",
    ),
    "a run that is not there": (
        lambda: select_by_name(made(3, 7), ["r0", "zz"], ["0"]),
        "runs: expected runs of the collection, found 1 other: zz.",
    ),
    "topics that are not there": (
        lambda: select_by_name(made(3, 7), ["r0"], ["8", "9"]),
        "topics: expected topics of the collection, found 2 others: 8, 9.",
    ),
    "no level at which all have a score": (
        lambda: EXPERIMENTS["gains"](
            collection({"1": {"a": 1}, "2": {"a": 0}}, {"r": {"1": ["a"]}, "s": {"2": ["a"]}}),
            ["nDCG"],
        ),
        "gains: expected at least 2 runs and 2 topics with a score for every run, found 2 runs and"
        " 1 topic.",
    ),
}


@pytest.mark.parametrize("case", PACKED)
def test_packed_file_when_refused_then_says_what_to_do(case):
    data, said = PACKED[case]
    assert refusal(IrmevalError, list, files.unpack("f", data, ROOM)) == f"f: expected {said}"


@pytest.mark.parametrize("case", READ)
def test_text_when_refused_then_says_where_and_what_to_do(case):
    data, said = READ[case]
    assert refusal(IrmevalError, parsing.parse, "f", data) == f"f{said}"


@pytest.mark.parametrize("case", CALLS)
def test_call_when_refused_then_says_what_was_expected(case):
    call, said = CALLS[case]
    assert refusal(IrmevalError, call) == said
