"""irmeval's measures in ir_measures and PyTerrier: measures by name, results as their
data frames.
"""

import ir_measures
import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval import ParamError, UnknownName
from irmeval.metrics import METRICS
from irmeval.scoring import interop
from tests.cases import drawn, measures

QRELS, RUNS = drawn(5, topics=6, runs=2)
RUN = RUNS["run0"]


@pytest.mark.parametrize("name", METRICS)
def test_measure_when_ir_measures_scores_it_then_the_numbers_are_irmevals(name):
    wanted = measures(name)[:6]
    ours = [interop.measure(text) for text in wanted]
    found = {(str(m.measure), m.query_id): m.value for m in ir_measures.iter_calc(ours, QRELS, RUN)}
    scores = irmeval.evaluate(
        irmeval.Collection.from_dicts(QRELS, {"r": RUN}, empty="zero"), wanted
    )
    for m, (mine, text) in enumerate(zip(ours, scores.measures, strict=True)):
        assert str(mine) in (text, f"irmeval.{text}")
        assert [found[str(mine), t] for t in scores.topics] == scores.values[m, 0].tolist()


def test_measure_when_both_have_the_name_then_they_are_told_apart_and_scored_together():
    pair = [ir_measures.AP, interop.measure("AP"), interop.measure("AP'")]
    assert len({*pair}) == 3
    found = ir_measures.calc_aggregate(pair, QRELS, RUN)
    assert found[pair[0]] == pytest.approx(found[pair[1]])
    assert {*map(str, found)} == {"AP", "irmeval.AP", "irmeval.AP'"}


def test_register_when_called_then_names_are_parsed_with_their_parameters():
    names = interop.register()
    assert names == interop.register()
    assert {"Q", "Bpref_N", "nCG"} <= {*names}
    assert not {*names} & {"AP", "nDCG", "R-measure"}
    m = ir_measures.parse_measure("nCG(rel=2,judged_only=True)@20")
    assert str(m) == "nCG(rel=2)@20'"
    assert m == interop.measure("nCG(rel=2)@20'")
    with pytest.raises(ParamError, match="rel: expected a value from 1 to 32767"):
        str(ir_measures.parse_measure("Q(rel=0)"))
    with pytest.raises(ParamError, match="Q has no parameter 'gamma'"):
        ir_measures.calc_aggregate([ir_measures.parse_measure("Q(gamma=1)")], QRELS, RUN)


def test_measure_when_topics_are_missing_or_strange_then_they_count_as_ir_measures_counts_them():
    part = {topic: RUN[topic] for topic in [*RUN][:2]} | {"none": {"d": 1.0}}
    means = ir_measures.calc_aggregate([ir_measures.AP, interop.measure("AP")], QRELS, part)
    assert len({round(value, 9) for value in means.values()}) == 1
    assert ir_measures.calc_aggregate([interop.measure("Q")], QRELS, {"none": {"d": 1.0}}) == {
        interop.measure("Q"): 0.0
    }


def test_measure_when_frames_are_given_then_they_are_read():
    rows = [(t, d, g) for t, judged in QRELS.items() for d, g in judged.items()]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame(
        [(t, d, s) for t, found in RUN.items() for d, s in found.items()],
        columns=["query_id", "doc_id", "score"],
    )
    wanted = [interop.measure("Q'")]
    assert ir_measures.calc_aggregate(wanted, qrels, run) == ir_measures.calc_aggregate(
        wanted, QRELS, RUN
    )


@pytest.fixture(scope="module")
def scores():
    return irmeval.evaluate(irmeval.Collection.from_dicts(QRELS, RUNS), ["AP", "Q'"])


def test_experiment_frame_when_made_then_it_is_as_pyterriers(scores):
    frame = interop.experiment_frame(scores)
    assert list(frame) == ["name", "AP", "Q'"]
    assert frame["name"].tolist() == [*scores.runs]
    assert np.array_equal(frame["AP"], scores.means[0])
    each = interop.experiment_frame(scores, perquery=True)
    assert list(each) == ["name", "qid", "measure", "value"]
    assert len(each) == scores.values.size


def test_metrics_frame_when_made_then_it_is_as_ir_measures(scores):
    frame = interop.metrics_frame(scores, "run1")
    assert list(frame) == ["query_id", "measure", "value"]
    theirs = pd.DataFrame(ir_measures.iter_calc([ir_measures.AP], QRELS, RUNS["run1"])).set_index(
        "query_id"
    )["value"]
    ours = frame[frame["measure"] == "AP"].set_index("query_id")["value"]
    assert ours.sort_index().tolist() == pytest.approx(theirs.sort_index().tolist())
    with pytest.raises(UnknownName, match="unknown run 'x'"):
        interop.metrics_frame(scores, "x")
