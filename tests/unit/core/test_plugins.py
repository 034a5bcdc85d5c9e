"""Plugins: the example of the documentation, installed beside faulty packages."""

from importlib.metadata import distributions

import pytest

from irmeval.core import registry
from irmeval.core.registry import Registry


def test_names_when_an_error_ends_what_adds_them_then_all_are_taken_back():
    numbers: Registry[int] = Registry("number")
    numbers.add("one", 1)

    @numbers.all_or_none()
    def add_two() -> None:
        numbers.add("two", 2)
        numbers.add("one", 3)

    with pytest.raises(ValueError, match="registered twice"):
        add_two()
    assert dict(numbers) == {"one": 1}


def test_package_when_its_record_is_damaged_or_found_twice_then_others_are_loaded_once(
    tmp_path, monkeypatch, caplog
):
    records = {
        "damaged": b"\xff",
        "nameless": b"[irmeval.numbers]\none = faulty_number\ntwo = not a module\n",
    }
    for name, text in records.items():
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
        (tmp_path / f"{name}-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    (tmp_path / "damaged-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: damaged\nVersion: 1.0\n"
    )
    (tmp_path / "faulty_number.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "importlib.metadata.distributions", lambda: [*distributions(path=[str(tmp_path)])] * 2
    )
    monkeypatch.setattr(registry, "_declared", registry._declared.__wrapped__)
    loaded = []
    registry.load("irmeval.numbers", Registry("number"), register=loaded.append)
    assert [module.__name__ for module in loaded] == ["faulty_number"]
    damaged, again, bad = caplog.messages
    assert damaged == again
    assert damaged.startswith(
        "irmeval: left out the entry points of damaged 1.0: 'utf-8' codec can't decode byte 0xff"
    )
    assert bad.startswith(
        "irmeval: left out two = 'not a module', an entry point in irmeval.numbers of a package"
        " without a name: "
    )
