"""Text that no disk and no browser takes, half of a surrogate pair, is refused where it
enters; and whatever a visitor has loaded, they can have it forgotten.
"""

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator

import pytest

from irmeval.core.errors import ReadError
from irmeval.ui.pages import failures
from irmeval.ui.state import store, visitors
from irmeval.ui.state.cookies import key_of
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import session
from irmeval.workspace import Workspace
from irmeval.workspace.packed import RECORD
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines
from tests.dashboard import dataset_of, opened, refused
from tests.visiting import FILES, loaded

HALF, WRITTEN = "\ud83d", "\\ud83d"
COOKIE = "c" * 32

pytestmark = pytest.mark.usefixtures("nobody_here")


def tar_of(name: bytes, data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(name.decode(errors="surrogateescape"))
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def texts_in(value: object, path: tuple = ()) -> Iterator[tuple]:
    """Paths to all texts and keys in a record."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts_in(one, (*path, key))


def test_workspace_when_any_text_of_its_record_has_half_a_character_then_is_refused():
    saved = Workspace((loaded().dataset.stored("mine"),), "mine").to_bytes()
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    record = json.loads(files[RECORD])
    paths = [*texts_in(record)]
    assert len(paths) > 10
    for path in paths:
        changed = json.loads(files[RECORD])
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] += HALF
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in (files | {RECORD: json.dumps(changed).encode()}).items():
                archive.writestr(name, data)
        with pytest.raises(ReadError, match="half of a surrogate pair"):
            Workspace.parse("my.irmeval", out.getvalue())


@pytest.mark.parametrize(
    "file",
    [
        ("run.json", f'{{"{WRITTEN}": {{"S1": 1}}}}'.encode()),
        ("run.json", f'{{"1": {{"S1{WRITTEN}": 1.5}}}}'.encode()),
        ("run.jsonl", f'{{"qid": "1", "docno": "S1", "score": 1, "tag": "{WRITTEN}"}}'.encode()),
        ("run.txt", b"1 Q0 S1 1 2.0 \xed\xa0\xbd\n"),
        ("run.csv", b"qid,docno,score\n1,S1\xed\xa0\xbd,2.0\n"),
        ("runs.tar", tar_of(b"r\xff", run_lines("r", TINY_RUNS["ideal"]).encode())),
    ],
)
def test_file_when_it_has_half_a_character_then_no_name_of_a_visitor_has_one(file):
    desk = dataset_of([("q.txt", TINY_QRELS.encode()), file])
    assert bool(desk.runs) != bool(refused(desk))
    said = [
        desk.title,
        *desk.runs,
        *(tag for run in desk.runs.values() for tag in run.tags),
        *refused(desk),
    ]
    assert all(text.encode() for text in said)
    visitor = Visitor("one", dataset=desk)
    visitors.sync(visitor)
    assert visitor.refused == ""


def test_address_when_it_has_half_a_character_then_the_page_says_so():
    for name in ("runs_only", "measures", "find", "runs"):
        assert not opened("pages/data/selection.py", {name: "%ED%A0%BD"}).exception


def test_forgetting_when_what_is_loaded_cannot_be_stored_or_shown_then_all_is_gone():
    visitor = loaded(FILES, key_of(COOKIE))
    visitor.dataset.name = HALF
    visitors.sync(visitor)
    assert visitor.refused == visitors.CANNOT_STORE
    visitors.forget(visitor)
    assert not visitor.loaded()
    assert not store.is_kept(visitor.key)


def test_failure_of_a_page_when_something_is_loaded_then_offers_to_forget_it(monkeypatch):
    shown = []
    monkeypatch.setattr(visitors, "here", lambda: loaded())
    monkeypatch.setattr(failures.st, "button", lambda label, **more: shown.append((label, more)))
    failures.show_failure(ValueError("a"))
    assert [more["on_click"] for label, more in shown if label == "Forget my data"] == [
        session.forget
    ]
