"""Records of workspaces and reports with impossible values: refused by key, and no
digest is trusted.
"""

import copy
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from irmeval import ReadError, Workspace
from irmeval.reading.named_columns import LARGEST_RECORD, read_json
from irmeval.report import manifest
from irmeval.workspace import packed
from irmeval.workspace.packed import RECORD
from tests.unit.report.test_hostile_reports import written
from tests.unit.workspace.test_workspace import mine, record, repacked, saved, text

__all__ = ["mine", "saved", "written"]  # fixtures
OTHER = "0" * 64
RUN = b"1 Q0 S1 1 3 t\n"


def first(record: dict[str, Any]) -> dict[str, Any]:
    return record["collections"][0]["runs"][0]


def judged(record: dict[str, Any], grades: str) -> None:
    """Another judge with a grade map, whose judgments are those of the last
    collection.
    """
    qrels = record["collections"].pop()["qrels"]
    record["collections"][0]["judges"] = [{"qrels": qrels, "map": grades, "relevant": 1}]
    record["open"] = record["collections"][0]["name"]


SAYS = {
    "a grade map that is none": (lambda r: judged(r, "1:x"), "expected pairs of grades"),
    "format NaN": (lambda r: r.update(format=float("nan")), "found the number NaN"),
    "format -1": (
        lambda r: r.update(format=-1),
        "format: expected a whole number from 1 to .*, found -1",
    ),
    "format true": (
        lambda r: r.update(format=True),
        "format: expected a whole number from 1 to .*, found True",
    ),
    "format 1.0": (
        lambda r: r.update(format=1.0),
        "format: expected a whole number from 1 to .*, found 1.0",
    ),
    "format beyond": (
        lambda r: r.update(format=10**400),
        "format: expected a whole number from 1 to .*, found 1000",
    ),
    "no format": (
        lambda r: r.pop("format"),
        "format: expected a whole number from 1 to .*, found nothing",
    ),
    "a digest that is none": (
        lambda r: first(r).update(sha256="x" * 64),
        "runs.1.sha256: expected a SHA-256, 64 hexadecimal digits",
    ),
    "a short digest": (
        lambda r: first(r).update(sha256="0" * 63),
        "runs.1.sha256: expected a SHA-256, 64 hexadecimal digits",
    ),
    "another digest": (
        lambda r: first(r).update(sha256=OTHER),
        "runs/.*expected the text whose SHA-256 was saved, found a different one",
    ),
    "a seal that is none": (
        lambda r: first(r).update(seal=5),
        "runs.1.seal: expected a text, found 5",
    ),
    "a depth": (
        lambda r: r["collections"][0]["policy"].update(depth=float("inf")),
        "found the number Infinity",
    ),
    "a share": (
        lambda r: r["collections"][0]["selection"].update(least=True),
        "least: expected a number, found True",
    ),
    "pinned": (
        lambda r: r["collections"][0].update(pinned="ab"),
        "pinned: expected a list, found 'ab'",
    ),
    "teams": (
        lambda r: r["collections"][0].update(teams={"a": 1}),
        "teams.a: expected a text, found 1",
    ),
    "a path as a run": (
        lambda r: first(r).update(name="../../x"),
        "runs.1: expected a run with the path of a file as its name",
    ),
    "a run twice": (
        lambda r: r["collections"][1]["runs"][1].update(
            name=r["collections"][1]["runs"][0]["name"]
        ),
        "collections.2: expected valid values, found runs: expected different names",
    ),
    "parameters": (
        lambda r: r.update(parameters={"curves": [1]}),
        r"parameters.curves: expected keys with values, found \[1\]",
    ),
}


@pytest.mark.parametrize("what", SAYS)
def test_workspace_when_its_record_says_what_cannot_be_then_refused_by_the_key(what, saved):
    change, says = SAYS[what]
    with pytest.raises(ReadError, match=f"my.irmeval/.*{says}"):
        Workspace.load(repacked(saved, record(change)))


def test_workspace_when_a_text_was_exchanged_then_its_digest_is_not_believed(saved):
    with pytest.raises(
        ReadError,
        match=("runs/.*expected the text whose SHA-256 was saved, found a different one"),
    ):
        Workspace.load(repacked(saved, text(RUN)))


def test_workspace_when_nothing_binds_a_digest_to_the_text_then_it_is_refused(saved):
    path = repacked(saved, record(lambda r: (first(r).pop("seal"), first(r).update(sha256=OTHER))))
    with pytest.raises(ReadError, match="expected the text whose SHA-256 was saved"):
        Workspace.load(path)


def test_workspace_when_a_collection_is_of_no_files_then_it_is_saved_without_digests(
    mine, tmp_path
):
    bare = replace(
        mine.stored("plain"),
        runs={name: run._replace(sha256="") for name, run in mine.stored("plain").runs.items()},
    )
    replace(mine, collections=(bare,)).save(tmp_path / "bare.irmeval")
    assert Workspace.load(tmp_path / "bare.irmeval").stored("plain").runs["example"].sha256 == ""


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places in a record, from its top to its values."""
    if path:
        yield path
    for key, one in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from leaves(one, (*path, key))


ODD = (True, -1, 10**400, 1.5, "x" * 101, "", None, [], {}, [[1]], {"a": None})


def spoilt(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A record with each of its values exchanged for odd ones, one at a time."""
    for at, (*above, key) in enumerate(leaves(whole)):
        for odd in ODD[at % 4 :: 4]:
            other = copy.deepcopy(whole)
            inside = other
            for step in above:
                inside = inside[step]
            inside[key] = odd
            yield other


def test_workspace_when_any_value_of_its_record_is_odd_then_it_is_read_or_refused_in_words(
    saved, monkeypatch
):
    # the record is another each time, the files are the same
    monkeypatch.setattr(packed, "parse_lines", cache(packed.parse_lines))
    said = []
    members: dict[str, bytes] = {}
    repacked(saved, lambda found: members.update(found))
    for other in spoilt(json.loads(members[RECORD])):
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w") as archive:
            for name, data in (members | {RECORD: json.dumps(other).encode()}).items():
                archive.writestr(name, data)
        try:
            Workspace.parse(str(saved), zipped.getvalue())
        except ReadError as error:
            said.append(str(error))
    assert len(said) > 100
    odd = [text for text in said if not text.startswith(str(saved)) or len(text) > 700]
    assert odd == []


def test_manifest_when_any_value_of_it_is_odd_then_it_is_read_or_refused_in_words(
    written, tmp_path
):
    said, path = [], tmp_path / "m.json"
    for other in spoilt(json.loads(written[manifest.RECORD])):
        path.write_text(json.dumps(other))
        try:
            manifest.rerun(manifest.read(path), manifest.AtHand())
        except ReadError as error:
            said.append(str(error))
    assert len(said) > 100
    assert all(text.startswith(str(path)) and len(text) < 700 for text in said)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1e999}', "the number 1e999"),
        (b'{"a": -Infinity}', "the number -Infinity"),
        (b'{"a": ' + b"9" * 5000 + b"}", "something else"),
        (b"\xff", "something else"),
        (b"[" * 100_000, "something else"),
        (b"[1]", r"something else \(\[1\]\)"),
        (b" " * LARGEST_RECORD + b"{}", "at most 16 MiB, found more"),
    ],
)
def test_record_when_it_holds_what_is_no_number_or_no_object_then_refused(data, says):
    with pytest.raises(ReadError, match=f"^f: expected a record.*{says}"):
        read_json("f", data, "a record", "Mend it.")
