"""Gain maps: presets, text, per-topic adjustment, and what is refused."""

import numpy as np
import pytest
from hypothesis import given

import irmeval
from irmeval.core.errors import ParamError
from irmeval.reading.gain_maps import HIGHEST, PRESETS, gain_table, parse_gains
from irmeval.scoring.scores import evaluate_by_gains
from tests.cases import EXAMPLE, EXAMPLE_LIST, cases, collection, drawn, one, tied_collection

GRADED = [m.example for m in irmeval.METRICS.values() if m.graded]


@pytest.mark.parametrize(
    ("name", "gains"),
    [
        ("sab", [0, 1, 2, 3, 3]),
        ("flat", [0, 1, 1, 1, 1]),
        ("steep", [0, 1, 5, 10, 10]),
        ("trec", [0, 1, 3, 3, 3]),
        ("bompada2", [0, 1, 2, 2, 2]),
        ("bompada10", [0, 1, 10, 10, 10]),
        ("bompada100", [0, 1, 100, 100, 100]),
        ("adjusted", [0, 1, 2, 3, 4]),
    ],
)
def test_preset_when_applied_to_grades_0_to_4_then_gives_its_gains(name, gains):
    assert gain_table(4, 1, name).tolist() == gains


def test_presets_when_listed_then_are_those_tested_above():
    assert list(PRESETS) == [
        "sab",
        "flat",
        "steep",
        "trec",
        "bompada2",
        "bompada10",
        "bompada100",
        "adjusted",
    ]


def test_text_when_parsed_then_is_the_mapping():
    assert parse_gains("1:1, 2:3.5") == {1: 1.0, 2: 3.5}
    assert one("Q", EXAMPLE_LIST, gains="1:1,2:5,3:10") == one(
        "Q", EXAMPLE_LIST, gains={1: 1, 2: 5, 3: 10}
    )
    assert one("Q", EXAMPLE_LIST, gains="1:1,2:5,3:10") == one("Q", EXAMPLE_LIST, gains="steep")


def test_grade_when_the_map_lacks_it_then_gains_itself():
    assert gain_table(3, 1, {2: 2.5}).tolist() == [0, 1, 2.5, 3]
    assert gain_table(3, 1, "7:9").tolist() == [0, 1, 2, 3]
    assert gain_table(3, 1, f"3:{HIGHEST}").tolist() == [0, 1, 2, HIGHEST]


@pytest.mark.parametrize(
    ("gains", "says"),
    [
        ("1:-1", "from 0 to 1000000"),
        ("1:nan", "from 0 to 1000000"),
        ("1:inf", "from 0 to 1000000"),
        ("1:2e6", "from 0 to 1000000"),
        ("-1:1", "whole numbers from 0"),
        ("0:1", "not relevant"),
        ("1:1,1:2", "twice"),
        ("1:1,", "expected grade:gain"),
        ("1=1", "expected grade:gain"),
        ("stepe", "steep"),
        ("", "expected grade:gain"),
        ("1:3,2:2", "may not gain less"),
        ("1:5", "may not gain less"),
        ("1:0", "set rel=2"),
        ({1: -1}, "from 0 to 1000000"),
        ({1: 10**400}, "from 0 to 1000000"),
        ({1.5: 1}, "whole numbers"),
        ({float("nan"): 1}, "whole numbers"),
        ({float("inf"): 1}, "whole numbers"),
    ],
)
def test_gains_when_nonsense_then_are_refused_in_one_line(gains, says):
    with pytest.raises(ParamError, match=says.replace("+", r"\+")) as refused:
        one("Q", EXAMPLE_LIST, gains=gains)
    assert "\n" not in str(refused.value)


def test_gains_when_grade_1_is_below_the_relevance_level_then_do_not_count():
    assert gain_table(3, 2, {1: 0, 2: 1}).tolist() == [0, 0, 1, 3]
    assert gain_table(3, 2, {1: 5, 2: 1}).tolist() == [0, 0, 1, 3]
    as_nonrelevant = {d: 0 if g == 1 else g for d, g in EXAMPLE.items()}
    for m in ("Q(rel=2)", "nDCG(rel=2)", "rpref_N(rel=2)", "RBP(p=0.5,rel=2)", "ERR(rel=2)@20"):
        assert one(m, EXAMPLE_LIST) == pytest.approx(
            one(m.replace(",rel=2", "").replace("(rel=2)", ""), EXAMPLE_LIST, as_nonrelevant)
        )


def test_metrics_when_gains_are_flat_then_are_those_of_binary_judgments():
    binary = {d: min(g, 1) for d, g in EXAMPLE.items()}
    for m in GRADED:
        if not m.startswith("ERR"):  # it looks at grades
            assert one(m, EXAMPLE_LIST, gains="flat") == pytest.approx(one(m, EXAMPLE_LIST, binary))


@given(cases())
def test_ratios_when_all_gains_are_doubled_then_stay(case):
    built = case.collection()
    ratios = [
        m
        for m in GRADED
        if irmeval.measure(m).metric.family != "blended"
        and not m.startswith(("CG", "DCG", "statDCG"))
    ]
    doubled = {grade: 2.0 * grade for grade in range(1, built.top_grade + 1)}
    before, after = irmeval.evaluate(built, ratios), irmeval.evaluate(built, ratios, gains=doubled)
    np.testing.assert_allclose(after.values, before.values, rtol=0, atol=1e-12)


def test_adjusted_gains_when_worked_out_by_hand_then_are_the_same():
    # R = 4 with one S, one A, two B: 3 - (3-2)/4, 2 - (2-1)/4, 1 - 2(1-0)/4
    s, a, b = 2.75, 1.75, 0.5
    assert one("nCG@2", ["B1", "S1"], gains="adjusted") == pytest.approx((b + s) / (s + a))
    assert one("RBP(p=0.5)", ["S1"], gains="adjusted") == pytest.approx(0.5 * s / 3)
    # from grade 2 on, R = 2 with one S, one A: 3 - (3-2)/2, 2 - (2-0)/2
    assert one("nCG(rel=2)@1", ["A1"], gains="adjusted") == pytest.approx(1 / 2.5)


def test_adjusted_gains_when_judgments_are_dropped_then_follow_the_grades_in_force():
    built = collection({"1": EXAMPLE}, {"run": {"1": EXAMPLE_LIST}})
    dropped = np.array(
        [
            -1 if d == "A1" else g
            for d, g in zip(built.documents.to_pylist(), built.grade, strict=True)
        ],
        built.grade.dtype,
    )
    # R = 3 with one S, two B: 3 - (3-2)/3, 1 - 2(1-0)/3
    s, b = 8 / 3, 1 / 3
    expected = s / (s + b + b)
    assert irmeval.evaluate(built, ["nCG@3"], grades=dropped, gains="adjusted").values[
        0, 0, 0
    ] == pytest.approx(expected)


def test_adjusted_gains_when_all_relevant_are_of_the_lowest_level_then_nothing_is_to_gain():
    judgments = {"1": {"a": 1, "b": 1, "n": 0}, "2": {"a": 2, "b": 1, "n": 0}}
    built = collection(
        judgments, {"found": {"1": ["a"], "2": ["a"]}, "missed": {"1": ["n"], "2": ["n"]}}
    )
    for m in GRADED:
        values = irmeval.evaluate(built, [m], gains="adjusted").values[0]
        assert np.isfinite(values[:, 1]).all()
        per_ideal_gain = irmeval.measure(m).metric.divides_by == "ideal gain"
        assert np.isnan(values[:, 0]).all() if per_ideal_gain else np.isfinite(values[:, 0]).all()


def test_highest_gain_when_the_best_documents_are_dropped_then_stays():
    built = collection({"1": EXAMPLE}, {"run": {"1": EXAMPLE_LIST}})
    dropped = np.where(built.grade == 3, -1, built.grade)
    score = irmeval.evaluate(built, ["RBP(p=0.5)"], grades=dropped, gains="steep").values[0, 0, 0]
    assert score == pytest.approx(0.5 * (0.5**3 * 1 + 0.5**6 * 5) / 10)
    stop = irmeval.evaluate(built, ["ERR@20"], grades=dropped).values[0, 0, 0]
    assert stop == pytest.approx(1 / 8 / 4 + 7 / 8 * 3 / 8 / 7)


def test_maps_when_scored_together_then_each_has_the_scores_that_it_has_alone():
    c = tied_collection(*drawn(4, topics=9, runs=7))
    measures = [*GRADED, *(f"{name}'" for name in ("nDCG", "Q", "nDCG@5")), "Q(rel=2)", "AP"]
    together = evaluate_by_gains(c, measures, list(PRESETS), grades=c.grade - (c.grade == 1))
    for gains, scores in zip(PRESETS, together, strict=True):
        np.testing.assert_array_equal(
            scores.values,
            irmeval.evaluate(c, measures, grades=c.grade - (c.grade == 1), gains=gains).values,
        )
