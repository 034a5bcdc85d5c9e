"""Any bytes give a reading or a `ReadError`; what is read is what a line-by-line
reading in plain Python finds.
"""

import gzip
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from irmeval import ReadError
from irmeval.reading import files, parsing, trec
from tests.cases import settled_run
from tests.unit.reading.test_trec_reading import ODD_IDS, PLAIN_RUN, qrels_rows, run_rows, zipped

# ids: whatever is no ASCII blank and no NUL; U+00A0, U+2028 and control characters are letters like
# others
LETTERS = st.characters(exclude_characters="\0\t\n\v\f\r ", exclude_categories=("Cs",))
IDS = st.sampled_from(ODD_IDS) | st.text(LETTERS, min_size=1, max_size=8)
TOPICS = IDS.filter(lambda t: not t.startswith(("#", "\ufeff")))
BLANKS = st.text("\t \v\f\r", min_size=1, max_size=3)
EVEN_BLANKS = st.sampled_from([" ", "\t"])
FILLERS = st.sampled_from(["", "\n", " \t\n", "# a comment\n", "\r\n", "  # indented\n"])
NUMBERS = st.floats(allow_nan=False).map(repr) | st.integers(-9, 9).map("{:+d}".format)
JUNK = st.text(' \t\n\r#01a.-+"\ufeffé', max_size=60).map(str.encode) | st.binary(max_size=60)


def naive(data, columns):
    """The lines' columns, one line at a time; None where a line has another number of
    them.
    """
    found = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        parts = line.split()
        if parts and not parts[0].startswith(b"#"):
            if len(parts) != columns:
                return None
            found.append([part.decode(errors="replace") for part in parts])
    return found


@st.composite
def texts(draw, columns):
    """A file of lines with the columns drawn from strategies, blanks even or not, with
    comments and empty lines.
    """
    blanks = draw(st.sampled_from([BLANKS, EVEN_BLANKS, st.just(" ")]))
    ends = draw(st.sampled_from([st.just("\n"), st.sampled_from(["\n", "\r\n", " \n"])]))
    fillers = draw(st.sampled_from([FILLERS, st.just("")]))
    lines = []
    for row in draw(
        st.lists(
            st.tuples(*columns), min_size=1, max_size=12, unique_by=lambda row: (row[0], row[2])
        )
    ):
        line = row[0] + "".join(draw(blanks) + column for column in row[1:])
        lines.append(draw(fillers) + line + draw(ends))
    text = draw(st.sampled_from(["", "\ufeff"])) + "".join(lines)
    return (text if draw(st.booleans()) else text.removesuffix("\n")).encode()


@given(texts((TOPICS, IDS, IDS, st.integers(-9, 9).map(str))))
def test_qrels_when_oddly_written_then_read_as_line_by_line_and_put_in_order(data):
    expected = [(topic, document, int(grade)) for topic, _, document, grade in naive(data, 4)]
    order = parsing.settled_qrels("q", data).topics
    assert qrels_rows(data) == sorted(
        expected, key=lambda row: (order.index(row[0]), row[1].encode())
    )


@given(texts((TOPICS, IDS, IDS, IDS, NUMBERS, IDS)))
def test_run_when_oddly_written_then_reads_as_line_by_line_and_the_same_where_arrow_gives_up(data):
    rows = naive(data, 6)
    assume(
        len({row[5] for row in rows}) == 1
        or len({row[0] for row in rows}) == len({(row[0], row[5]) for row in rows})
    )
    expected = [
        (topic, document, rank, float(score)) for topic, _, document, rank, score, _ in rows
    ]
    assert run_rows(data) == expected
    quick = settled_run("r", data)
    assert quick.tags == tuple(dict.fromkeys(row[5] for row in rows))
    with mock.patch("pyarrow.csv.read_csv", side_effect=pa.ArrowInvalid("no")):
        slow = settled_run("r", data)
    for name, column, again in zip(trec.Run._fields, quick, slow, strict=True):
        assert name == "better" or list(column) == list(again), name
    assert quick.better is slow.better is None


@settings(max_examples=120)
@given(
    JUNK | st.lists(JUNK, max_size=12).map(b" ".join) | st.lists(JUNK, max_size=12).map(b"\t".join)
)
@example(b"\xff\xfe1\0")
@example(b"a b c 1\n\xef\xbb\xbf")
@example(b"#")
@example(b"\xef\xbb\xbf\xef\xbb\xbfa b c 1")
def test_reading_when_given_any_bytes_then_refuses_or_reads_as_line_by_line(data):
    assume(not data.startswith(b"\xef\xbb\xbf" * 2))
    for read, columns in ((parsing.settled_qrels, 4), (settled_run, 6)):
        try:
            found = read("f", data)
        except ReadError as error:
            assert error.line is None or 1 <= error.line <= data.count(b"\n") + 1
            assert "\n" not in str(error)
        else:
            assert not found.format.startswith("TREC") or len(found.documents) == len(
                naive(data, columns)
            )


WRAPPED = [
    gzip.compress(PLAIN_RUN, mtime=0),
    *(zipped({"a": PLAIN_RUN, "b.gz": gzip.compress(PLAIN_RUN, mtime=0)}, m) for m in (0, 8)),
]


@settings(max_examples=180)
@given(st.sampled_from(WRAPPED), st.randoms(use_true_random=True))
def test_wrapping_when_damaged_then_refused_or_unpacked(packed, random):
    bad = bytearray(packed)
    for _ in range(random.randint(1, 3)):
        bad[random.randrange(4, len(bad))] = random.randrange(256)
    try:
        found = list(files.unpack("f", bytes(bad), limit=1 << 20))
    except ReadError:
        return
    assert sum(len(text) for _, text in found) <= 1 << 20


@pytest.mark.parametrize("packed", WRAPPED)
def test_wrapping_when_cut_anywhere_then_refused(packed):
    for end in range(4, len(packed)):
        with pytest.raises(ReadError):
            list(files.unpack("f", packed[:end]))
