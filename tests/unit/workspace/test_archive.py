"""Arrow files keep all of qrels, runs and matrices; other content is refused."""

import dataclasses
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from irmeval import Collection, ReadError
from irmeval.collection.base import qrels_of
from irmeval.reading import parsing, score_matrix
from irmeval.reading.design import Design
from irmeval.workspace import archive
from tests.cases import settled_run

CONTENTS = {
    "qrels": lambda: parsing.settled_qrels("q", b"1 0 a 1\n1 0 \xc3\xa9\t-1\n2 0 b 300\n"),
    "run": lambda: settled_run("r", b"1 Q0 a +1 0.5 t\n2 Q0 b 2 -inf u\n"),
    "repeated": lambda: parsing.parse_run("r", b"1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n"),
    "matrix": lambda: score_matrix.parse_matrix(
        "m.csv", b"topic,r1,r2\n1,0.1,0.2\n2,0.3,0.4\n3,0.5,0.6\n"
    ),
}


def parts(content: object) -> dict[str, object]:
    if hasattr(content, "_asdict"):
        return content._asdict()
    return {f.name: getattr(content, f.name) for f in dataclasses.fields(content)}


def same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, pa.Array):
        return one.equals(other)
    if isinstance(one, Exception):
        return repr(one) == repr(other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("make", CONTENTS.values(), ids=CONTENTS)
def test_archive_when_written_and_read_then_is_the_same_and_cannot_be_changed(make):
    content = make()
    found = archive.read("it", archive.write(content))
    assert type(found) is type(content)
    for name, value in parts(content).items():
        assert same(value, parts(found)[name]), name
    assert not any(
        value.flags.writeable for value in parts(found).values() if isinstance(value, np.ndarray)
    )
    assert archive.write(found) == archive.write(content)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda b: b"",
        lambda b: b"1 0 a 1\n",
        lambda b: b[: len(b) // 2],
        lambda b: b.replace(b'"kind"', b'"mind"'),
    ],
)
def test_archive_when_the_bytes_are_no_such_file_then_they_are_refused_in_a_line(spoil):
    with pytest.raises(ReadError, match="it: expected a file stored by irmeval"):
        archive.read("it", spoil(archive.write(CONTENTS["run"]()).to_pybytes()))


@pytest.mark.parametrize(
    "more",
    [{}, {"weight": np.array([3.0, 1.0, 2.0])}, {"stated": np.array([0.5, 0.25, 1.0])}],
    ids=["strata", "weights", "stated"],
)
def test_sample_when_written_and_read_then_its_design_is_the_same(more):
    design = Design(np.array([0, 1, 1], np.int32), ("top", "rest"), **more)
    built = replace(
        Collection.from_dicts({"1": {"a": 1, "b": 0, "c": 1}}, {"r": {"1": {"a": 1.0}}}),
        design=design,
    )
    again = archive.read("it", archive.write(qrels_of(built)))
    assert again.design is not None
    assert again.design.names == design.names
    assert again.design.digest == design.digest


def test_plain_qrels_when_written_then_nothing_is_stored_of_a_design():
    plain = qrels_of(Collection.from_dicts({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}))
    assert b"design" not in archive.write(plain).to_pybytes()
    assert archive.read("it", archive.write(plain)).design is None
