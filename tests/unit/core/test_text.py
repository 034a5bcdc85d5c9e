"""Numbers in words, and names that are few."""

from irmeval.core.numbers import per_cent
from irmeval.core.text import (
    capitalize,
    conjugate,
    count_noun,
    list_few,
    names_or_number,
    natural_key,
    quantify,
    share_that,
)


def test_some_when_counted_then_are_none_one_both_or_all():
    assert [quantify(n, 1, "run") for n in (0, 1)] == ["no run", "the run"]
    assert [quantify(n, 2, "run") for n in (0, 1, 2)] == ["neither run", "1 of 2 runs", "both runs"]
    assert [quantify(n, 3, "run") for n in (0, 1, 3)] == [
        "none of 3 runs",
        "1 of 3 runs",
        "all 3 runs",
    ]


def test_sentence_when_it_begins_with_a_name_with_capitals_then_the_name_stays_as_it_is():
    told = {"max-t over AP": "Max-t over AP", "": "", "by AP, one": "By AP, one", "AP": "AP"}
    told |= dict.fromkeys(("nDCG and AP agree", "xinfAP", "uogTr1 is best"))
    assert [*map(capitalize, told)] == [said or text for text, said in told.items()]


def test_share_when_counted_then_the_verb_agrees_with_its_number():
    assert [share_that(n, 1, "run", "differ") for n in (0, 1)] == [
        "no run differs",
        "the run differs",
    ]
    assert [share_that(n, 2, "pair of runs", "differ") for n in (0, 1, 2)] == [
        "neither pair of runs differs",
        "1 of 2 pairs of runs differs",
        "both pairs of runs differ",
    ]
    assert [share_that(n, 3, "criterion", "distinguish them") for n in (0, 1, 2, 3)] == [
        "none of 3 criteria distinguishes them",
        "1 of 3 criteria distinguishes them",
        "2 of 3 criteria distinguish them",
        "all 3 criteria distinguish them",
    ]
    assert [count_noun(n, "pair of runs") for n in (0, 1, 2500)] == [
        "0 pairs of runs",
        "1 pair of runs",
        "2,500 pairs of runs",
    ]
    assert [conjugate(1, verb) for verb in ("are", "have none", "reach it")] == [
        "is",
        "has none",
        "reaches it",
    ]


def test_names_when_they_are_few_then_stand_and_else_their_number():
    assert names_or_number(["AP"], 1, "measure") == "AP"
    assert names_or_number(["AP", "Q"], 2, "measure") == "both measures"
    assert names_or_number(["AP", "Q"], 8, "measure") == "AP, Q"
    assert names_or_number([*"ABCDEFG"], 8, "measure") == "7 of 8 measures"
    assert names_or_number([*"ABC"], 3, "measure") == "all 3 measures"


def test_shares_when_some_are_left_then_are_not_rounded_to_none_or_all():
    shares = [0, 0.001, 0.006, 0.5, 0.994, 0.999, 1]
    assert [per_cent(x) for x in shares] == [
        "0%",
        "less than 1%",
        "1%",
        "50%",
        "99%",
        "more than 99%",
        "100%",
    ]


def test_names_when_in_natural_order_then_digits_count_as_numbers():
    names = ["2", "07", "7", "10", "106_2", "106_10", "a", "a1", "a1b", "a02", "a10", "é9"]
    assert sorted({*names}, key=natural_key) == names


def test_names_when_there_are_none_or_they_are_empty_then_that_is_said():
    assert [list_few(names) for names in ([], [""])] == ["none", "none"]
