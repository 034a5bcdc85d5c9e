"""Records to JSON and back: what annotations ask for is read, all else is refused by
its key.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.params import BelowOne, checked, param
from irmeval.core.records import (
    CHARACTERS,
    Digest,
    Record,
    from_json,
    one_of,
    read_kept,
    to_json,
    whole,
)


class Point(NamedTuple):
    x: int
    label: str = ""


@checked
class Settings:
    trials: int = param("trials", "", default=5)
    words: str = param("words", "", default="")
    rates: tuple[float, ...] = param("rates", "", rate=True, default=(50.0,))


USUAL = Settings()


@dataclass(frozen=True)
class Whole:
    name: Annotated[str, one_of("a", "b")]
    count: Annotated[int, whole(1, 9)] = 1
    share: float = 0.5
    sure: bool = False
    digest: Digest = ""
    at: Point | None = None
    points: tuple[Point, ...] = ()
    pair: tuple[str, int] = ("", 0)
    by_name: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by_level: dict[Annotated[str, one_of("low", "high")], int] = field(default_factory=dict)
    settings: Settings = USUAL
    fault: ReadError | None = None
    open: Any = None
    inner: "Whole | None" = None

    def __post_init__(self) -> None:
        if self.count == 7:
            raise ParamError("count: 7 is not wanted.")


FULL = Whole(
    "b",
    count=3,
    share=0.1,
    sure=True,
    digest="ab" * 32,
    at=Point(2, "two"),
    points=(Point(1), Point(2)),
    pair=("x", 4),
    by_name={"é": ("1", "2")},
    by_level={"low": 3},
    settings=Settings(trials=7, rates=(10.0, BelowOne(0.5))),
    open={"any": [1]},
    inner=Whole("a"),
)


@pytest.mark.parametrize("record", [Whole("a"), FULL])
@pytest.mark.parametrize("brief", [False, True])
def test_record_when_written_and_read_then_it_is_the_same(record, brief):
    written = json.loads(json.dumps(to_json(record, brief=brief)))
    assert from_json(Whole, written, "it") == record


def test_record_when_written_in_full_then_usual_values_are_in_it():
    written = to_json(Whole("a"))
    assert [*written] == [field.name for field in dataclasses.fields(Whole)]
    assert written["settings"] == {"trials": 5, "words": "", "rates": [50.0]}


def test_record_when_written_in_brief_then_usual_values_are_left_out():
    assert to_json(Whole("a", settings=Settings(trials=2)), brief=True) == {
        "name": "a",
        "by_name": {},
        "by_level": {},
        "settings": {"trials": 2},
    }


def test_error_when_written_and_read_then_its_parts_are_the_same():
    error = ReadError("f", 3, "a grade", "none", "Add it.")
    again = from_json(Whole, to_json(Whole("a", fault=error)), "it").fault
    assert (repr(again), again.line) == (repr(error), 3)


def test_record_when_json_writes_a_number_without_its_decimals_then_it_is_read_as_a_float():
    share = from_json(Whole, {"name": "a", "share": 2}, "it").share
    assert (share, type(share)) == (2.0, float)


def test_record_when_a_value_is_given_beside_the_object_then_it_counts_and_may_be_missing_there():
    at = Record("it", "", {"label": "two"})
    assert at.made(Point, x=2) == Point(2, "two")


REFUSED = [
    ({}, "name: expected a text, found nothing. Add it."),
    ({"name": 1}, "name: expected a text, found 1."),
    ({"name": "c"}, "name: expected one of a, b, found 'c'."),
    ({"name": "a", "x": 1}, "x: expected one of name, count, .*, found a key it does not have."),
    ({"count": 0}, "count: expected a whole number from 1 to 9, found 0."),
    ({"count": True}, "count: expected a whole number, found True."),
    ({"count": 2.0}, "count: expected a whole number, found 2.0."),
    ({"count": None}, "count: expected a whole number, found nothing."),
    ({"count": 7}, "it: expected valid values, found count: 7 is not wanted."),
    ({"share": "1"}, "share: expected a number, found '1'."),
    ({"share": True}, "share: expected a number, found True."),
    ({"sure": 1}, "sure: expected True or False, found 1."),
    ({"count": 10}, "count: expected a whole number from 1 to 9, found 10."),
    ({"digest": "x" * 64}, "digest: expected a SHA-256, 64 hexadecimal digits, found 'xxx"),
    ({"digest": "ab"}, "digest: expected a SHA-256, 64 hexadecimal digits, found 'ab'."),
    ({"at": []}, r"at: expected keys with values, found \[\]."),
    ({"at": {"y": 1}}, "at.y: expected one of x, label, found a key it does not have."),
    ({"at": {"label": ""}}, "at.x: expected a whole number, found nothing."),
    ({"points": {}}, "points: expected a list, found {}."),
    ({"points": [{"x": 1}, {"x": "1"}]}, "points.2.x: expected a whole number, found '1'."),
    ({"pair": ["x"]}, r"pair: expected a list of 2, found \['x'\]."),
    ({"pair": ["x", "y"]}, "pair.2: expected a whole number, found 'y'."),
    ({"by_name": {"k": ["1", 2]}}, "by_name.k.2: expected a text, found 2."),
    ({"by_name": {"k": ["x" * (CHARACTERS + 1)]}}, "by_name.k.1: expected at most 100,000"),
    ({"by_level": {"top": 1}}, "by_level.'top': expected one of low, high, found 'top'."),
    ({"settings": {"trails": 1}}, "settings.trails: expected one of trials, words, rates, found"),
    ({"settings": {"trials": "5"}}, "settings.trials: expected a whole number, found '5'."),
    ({"settings": {"words": 5}}, "settings.words: expected a text, found 5."),
    ({"settings": {"words": ["5"]}}, r"settings.words: expected a text, found \['5'\]."),
    ({"settings": {"words": {}}}, "settings.words: expected a text, found {}."),
    ({"settings": {"trials": 1.5}}, "it, settings: expected valid values, found trials: expected"),
    ({"settings": {"rates": [0.5]}}, "it, settings: expected valid values, found rates: expected"),
    ({"fault": {"file": "f"}}, "fault.expected: expected a text, found nothing."),
    ({"inner": {"name": "d"}}, "inner.name: expected one of a, b, found 'd'."),
]


@pytest.mark.parametrize(("values", "says"), REFUSED)
def test_record_when_a_value_cannot_be_then_it_is_refused_by_its_key(values, says):
    usual = {"name": "a"} if values and "name" not in values else {}
    with pytest.raises(ReadError, match=says) as caught:
        from_json(Whole, usual | values, "it")
    assert str(caught.value).startswith("it")


KEPT = [
    ({}, Whole("a"), []),
    (to_json(FULL), FULL, []),
    ({"older": 1, "count": 2}, Whole("a", count=2), []),
    ({"count": "2", "share": 0.1}, Whole("a", share=0.1), ["it, count: expected a whole number"]),
    ({"count": 7, "share": 0.1}, Whole("a"), ["count: 7 is not wanted."]),
    (
        {"by_name": {"k": ["1"], "bad": 2, "worse": [3]}},
        Whole("a", by_name={"k": ("1",)}),
        ["it, by_name.bad: expected a list", "it, by_name.worse.1: expected a text"],
    ),
    ({"by_name": []}, Whole("a"), ["it, by_name: expected keys with values"]),
]


@pytest.mark.parametrize(("values", "record", "says"), KEPT)
def test_kept_record_when_values_cannot_be_then_these_alone_are_left_out(values, record, says):
    found = read_kept(Whole, {"name": "a"} | values, "it")
    assert found.record == record
    assert len(found.refused) == len(says)
    for error, begin in zip(found.refused, says, strict=True):
        assert str(error).startswith(begin)


def test_kept_record_when_a_setting_is_out_of_bounds_then_the_others_are_read():
    found = read_kept(Settings, {"trials": 1.5, "words": "w", "rates": [0.5]}, "it")
    assert found.record == Settings(words="w")
    assert [str(error).split(":")[0] for error in found.refused] == ["trials", "rates"]


def test_kept_record_when_a_value_without_default_cannot_be_then_it_is_refused():
    with pytest.raises(ReadError, match="it, name: expected one of a, b, found 'c'"):
        read_kept(Whole, {"name": "c"}, "it")
