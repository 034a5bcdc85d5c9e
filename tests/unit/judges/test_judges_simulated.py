"""Simulated judges: by kind, by a confusion matrix, and with errors only on what some
runs retrieved.
"""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from irmeval.cli import main
from irmeval.core.errors import ParamError
from irmeval.judges.simulation import Simulation, chances_text, parse_chances, simulated_biased

TABLE = "0.7:0.3:0:0/0:0.6:0.4:0/0.1:0:0.9:0/0:0:0.5:0.5"


def test_simulated_judge_when_given_a_table_then_errs_by_it_and_a_part_keeps_its_grades():
    qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    table = parse_chances(TABLE)
    whole = irmeval.simulated(qrels, chances=table, seed=3).grade
    met = np.array(
        [[np.sum((qrels.grade == g) & (whole == h)) for h in range(4)] for g in range(4)]
    )
    n = met.sum(axis=1, keepdims=True)
    assert (np.abs(met - n * table) <= 5 * np.sqrt(n * table * (1 - table))).all()
    part = np.flatnonzero(qrels.topic % 2 == 0)
    fewer = replace(
        qrels,
        topic=qrels.topic[part],
        documents=qrels.documents.take(part),
        grade=qrels.grade[part],
    )
    np.testing.assert_array_equal(
        irmeval.simulated(fewer, chances=table, seed=3).grade, whole[part]
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("matrix=.7:.3/0:1,x", "simulated:matrix=ROW/ROW/...,SEED"),
        ("matrix=.7:.3/0:1,.5,1", "simulated:matrix=ROW/ROW/...,SEED"),
        ("matrix=.7:.3/1", "rows of equally many probabilities"),
        ("matrix=", "rows of equally many probabilities"),
        ("matrix=1:-1/0:1", "rows of equally many probabilities"),
        ("matrix=1:1e-3/0:1", "rows of equally many probabilities"),
        ("matrix=" + "1:" * 3_000, "at most 4,000 characters"),
        (
            "matrix=1:0:0/0:1:0/0:0:1",
            r"expected 2 rows of 2 probabilities, for the grades 0, 2, found 3 x 3",
        ),
        ("matrix=.7:.3/.4:.5", "sum to 1 for the first judge's grade 2, found 0.9"),
        ("matrix=.7:.3/1.5:0", "from 0 to 1 for the first judge's grade 2, found 1.5"),
    ],
)
def test_table_of_mistakes_when_it_is_none_then_words_say_what_is_wrong(text, says, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n")
    with pytest.raises(ParamError, match=says):
        irmeval.read_judges(tmp_path / "qrels", {"other": f"simulated:{text}"})


@given(
    st.integers(1, 8).flatmap(
        lambda g: st.lists(
            st.lists(st.integers(0, 10**6), min_size=g, max_size=g), min_size=g, max_size=g
        )
    )
)
def test_table_of_mistakes_when_written_then_reads_back_as_it_was(cells):
    table = np.array(cells) / 10**6
    np.testing.assert_allclose(parse_chances(chances_text(table)), table, atol=1e-12)
    told = Simulation(seed=5, chances=table).text()
    assert Simulation.parsed(told).text() == told


def test_command_when_a_judge_is_simulated_then_prints_what_was_to_be_expected_beside_what_came(
    capsys,
):
    main(
        [
            "judges",
            "sample_data/qrels.txt.gz",
            "--other",
            f"own=simulated:matrix={TABLE},2",
            "--samples",
            "10",
            "--table",
            "expected",
        ]
    )
    rows = pd.read_csv(io.StringIO(capsys.readouterr().out)).set_index("statistic")
    counts = np.unique(irmeval.read_qrels("sample_data/qrels.txt.gz").grade, return_counts=True)[1]
    joint = counts[:, None] / counts.sum() * parse_chances(TABLE)
    chance = joint.sum(axis=1) @ joint.sum(axis=0)
    assert rows.expected["Same grade"] == pytest.approx(np.trace(joint))
    assert rows.expected["Cohen's kappa"] == pytest.approx(
        (np.trace(joint) - chance) / (1 - chance)
    )
    assert (rows.expected - rows.observed).abs().max() < 0.02


@pytest.mark.parametrize(
    ("runs", "counts"),
    [
        ((), [[1.0, 1.0], [0.0, 1.0]]),
        (("x",), [[1.5, 0.5], [0.0, 1.0]]),
        (("x", "y"), [[1.0, 1.0], [0.0, 1.0]]),
    ],
)
def test_errors_when_expected_then_half_of_what_the_judge_errs_on_rises_a_grade(runs, counts):
    lists = {"x": {"1": {"b": 1.0}}, "y": {"1": {"c": 1.0, "d": 0.5}}}
    judged = irmeval.Collection.from_dicts({"1": {"a": 1, "b": 0, "c": 0, "d": -1}}, lists)
    grades, expected = Simulation("lenient", 0.5, runs=runs).expected_counts(judged)
    assert (grades.tolist(), expected.tolist()) == ([0, 1], counts)


@pytest.mark.parametrize("runs", [("a,1", "b%2C"), ("100%",)])
@pytest.mark.parametrize("start", ["simulated:lenient,0.3,1", f"simulated:matrix={TABLE},5"])
def test_biased_judge_when_written_then_its_text_reads_back_as_the_same(start, runs):
    again = Simulation.parsed(Simulation.parsed(start)._replace(runs=runs).text())
    assert again.runs == runs
    assert again._replace(runs=()).text() == start


def test_biased_judge_when_there_are_no_runs_then_words_say_what_it_needs():
    with pytest.raises(
        ParamError,
        match="errs on documents retrieved by a1, a2, which are unknown from qrels alone",
    ):
        irmeval.read_judges("sample_data/qrels.txt.gz", {"biased": "simulated:lenient,0.3,1,a1,a2"})


def test_biased_judge_when_simulated_then_errs_only_on_what_the_runs_have_near_the_top():
    rng = np.random.default_rng(4)
    qrels = {t: {f"d{i}": int(rng.integers(-1, 3)) for i in range(40)} for t in ("1", "2", "3")}
    runs = {
        run: {
            t: {f"d{d}": -float(i) for i, d in enumerate(rng.permutation(60)[:30])} for t in qrels
        }
        for run in ("a1", "a2", "b1")
    }
    collection = irmeval.Collection.from_dicts(qrels, runs)
    biased = simulated_biased(collection, ["a1", "a2"], "lenient", 1.0, prior=[0, 0, 1], top=5)
    judged = {
        (biased.topics[t], d): g
        for t, d, g in zip(
            biased.topic, biased.documents.to_pylist(), biased.grade.tolist(), strict=True
        )
    }
    expected = {(t, d): g for t, of in qrels.items() for d, g in of.items()}
    for run in ("a1", "a2"):
        for t, ranking in runs[run].items():
            for d in sorted(ranking, key=ranking.get, reverse=True)[:5]:
                g = qrels[t].get(d, -1)
                expected[t, d] = 2 if g < 0 else min(g + 1, 2)
    assert judged == expected
    told = Simulation("lenient", 1.0, 1, None, ("a1", "a2")).text()
    assert told == "simulated:lenient,1,1,a1,a2"
    of_text = collection.with_judgments("biased", told)
    of_qrels = collection.with_judgments(
        "biased", simulated_biased(collection, ["a1", "a2"], "lenient", 1.0)
    )
    np.testing.assert_array_equal(of_text.panel.judges.grade, of_qrels.panel.judges.grade)
    assert of_text.panel.judges.made == ("", told)
    with pytest.raises(ParamError, match="found 'c1'"):
        collection.with_judgments("biased", "simulated:lenient,1,1,c1")
    unguessed = simulated_biased(collection, ["a1", "a2"], "lenient", 1.0, top=5)
    assert len(unguessed.documents) == 120
    with pytest.raises(ParamError, match="found 'c1'"):
        simulated_biased(collection, ["c1"])
    with pytest.raises(ParamError, match="3 probabilities that sum to 1"):
        simulated_biased(collection, ["a1"], prior=[0.5, 0, 0])
