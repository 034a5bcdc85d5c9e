"""Top-heaviness, ideal lists, parameters and the catalogue, from Python and from the
command line.
"""

from itertools import combinations

import numpy as np
import pytest

import irmeval
from irmeval.experiments.learn import ideal_lists as ideal
from irmeval.experiments.learn import swap_property as swapping
from irmeval.experiments.learn import top_heaviness as top
from irmeval.experiments.measures import parameters as varying
from irmeval.report import exports


def test_top_heaviness_when_one_document_moves_then_curves_are_those_of_the_formulas():
    result = top.top_heaviness(
        None,
        ["AP", "Q", "RBP(p=0.8)", "nDCG(base=2)@1000", "RankEff", "nCG@1000"],
        top.Params(R=(10, 100), last=20),
    )
    ap, q, rbp, ndcg, rankeff, ncg = result.values
    rank = np.arange(1, 21)
    for i, R in enumerate((10, 100)):
        np.testing.assert_allclose(ap[:, i], 1 / (rank * R), rtol=1e-12)
        np.testing.assert_allclose(rankeff[:, i], (1 - (rank - 1) / 1000) / R, rtol=1e-12)
        assert ndcg[0, i] == ndcg[1, i] > ndcg[2, i]
        assert np.ptp(ncg[:, i]) == 0
    np.testing.assert_allclose(q[:10, 0], ap[:10, 0], rtol=1e-12)
    assert np.all(q[10:, 0] > ap[10:, 0])
    np.testing.assert_allclose(rbp, np.stack([0.2 * 0.8 ** (rank - 1)] * 2, axis=1), rtol=1e-12)
    assert "Ranks 1 and 2 count the same by nDCG(base=2)@1000 and nCG@1000" in result.headline()
    assert "AP and Q 2;" in result.verdict().below


def test_swap_property_when_every_list_is_tried_then_is_as_proved_and_the_counterexample_is_found():
    found = swapping.swap_property(None, ["AP", "Bpref_10", "RankEff"], swapping.Params(R=2, N=28))
    table = found.frame().set_index("measure")
    assert list(table["always"]) == [True, False, True]  # propositions 1 to 3
    assert set(table["rises"] + table["stays"] + table["falls"]) == {
        sum((low - 1) * 29 - (low - 1) for low in range(1, 31))
    }
    row = found.opposed().set_index(["measure a", "measure b"]).loc["Bpref_10", "RankEff"]
    first, second = (
        [int(rank) for rank in row[f"{place} list"].split(", ")] for place in ("first", "second")
    )

    def rank_eff(ranks):
        return sum(1 - (rank - 1 - i) / 28 for i, rank in enumerate(ranks)) / 2

    def bpref_10(ranks):
        return sum(1 - min(rank - 1 - i, 12) / 12 for i, rank in enumerate(ranks)) / 2

    assert (row["first by a"], row["second by a"]) == pytest.approx(
        (bpref_10(first), bpref_10(second))
    )
    assert (row["first by b"], row["second by b"]) == pytest.approx(
        (rank_eff(first), rank_eff(second))
    )
    assert bpref_10(first) > bpref_10(second)
    assert rank_eff(first) < rank_eff(second)
    blank = swapping.Params(nonrelevant_from=16, nonrelevant_to=29)
    found = swapping.swap_property(None, ["Bpref_10", "RankEff"], blank)
    [shown] = found.opposed().to_dict("records")
    # both have nonrelevant documents at 16 to 29, as in the text of the paper's Table 4
    lists = [pair for pair in combinations(range(1, 31), 2) if not {*pair} & {*range(16, 30)}]
    opposed = [
        (a, b)
        for a, b in combinations(lists, 2)
        if (bpref_10(a) - bpref_10(b)) * (rank_eff(a) - rank_eff(b)) < -1e-12
    ]
    assert (shown["opposed"], shown["shown of"]) == (8400, len(opposed)) == (8400, 293)
    ranks = [tuple(map(int, shown[f"{place} list"].split(", "))) for place in ("first", "second")]
    assert tuple(ranks) in opposed
    assert "Bpref_10 rises after only 66.5%" in found.headline()
    assert swapping.swap_property(None, ["AP"]).opposed().empty
    with pytest.raises(irmeval.ParamError, match="at most"):
        swapping.Params(R=20, N=20)


def test_top_heaviness_when_shown_as_shares_then_lines_start_at_one_or_are_left_out():
    result = top.top_heaviness(
        None, ["AP", "AP'", "Bpref_relative"], top.Params(R=(10,), scale=top.SCALES[1])
    )
    assert [str(m) for m in result.measures] == ["AP", "Bpref_relative"]
    assert result.shares[0, 0, 0] == 1
    assert np.isnan(result.shares[1]).all()
    assert len(result.charts()) == 1
    assert result.charts()[0].draw().layout.yaxis.title.text == top.SCALES[1]


def test_top_heaviness_when_there_are_too_few_nonrelevant_documents_then_says_how_many_it_takes():
    with pytest.raises(irmeval.ParamError, match="at least 19"):
        top.Params(N=18)


def test_ideal_lists_when_scored_then_table_1_of_sakai_and_kando_comes_out():
    result = ideal.ideal_lists(
        None,
        ["AP", "Q", "nDCG", "Bpref_relative"],
        ideal.Params(p=(0.5, 0.8, 0.95), R=(1, 10, 100, 1000)),
    )
    R = np.array([1, 10, 100, 1000])
    for p, scores in zip((0.5, 0.8, 0.95), result.values, strict=False):
        np.testing.assert_allclose(scores, 1 - p**R, rtol=0, atol=1e-12)
    assert result.wide()["RBP(p=0.95)"].round(4).tolist() == [0.05, 0.4013, 0.9941, 1.0]
    np.testing.assert_allclose(result.values[3:6], 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.values[6], (R - 1) / R, rtol=0, atol=1e-12)
    assert "Bpref_relative, with 1 relevant document; " in result.headline()


@pytest.mark.parametrize("name", varying.LABELS)
def test_parameters_when_varied_then_each_value_is_the_evaluation_of_that_measure(sample, name):
    chosen = [
        "AP@10",
        "Q",
        "nDCG(base=2)@100'",
        "RBP(p=0.95)",
        "Bpref",
        "IPrec(recall=0.5)",
        "SetF",
        "ERR@20",
    ]
    result = varying.parameters(sample, chosen, varying.Params(name))
    for value in (result.values[0], result.values[-1]):
        v = result.values.index(value)
        for i, one in enumerate(result.measures):
            if name == varying.GAINS:
                expected = irmeval.evaluate(sample, [one], gains=value)
            else:
                expected = irmeval.evaluate(
                    sample, [one.varied(name, one.metric.params[name].kind(value))]
                )
            np.testing.assert_array_equal(result.means[i, v], expected.means[0])
    *_, usual = (shape for shape in result.plot("tau").layout.shapes if shape.name != "leader")
    assert usual.x0 == result.values.index(result.value)
    for one in result.measures:
        places = result.places(str(one))
        assert sorted(places["run"]) == sorted(sample.runs)
        assert result.verdict(str(one)).claim.startswith(f"With {name} = {result.value}, {one} ")


def test_parameters_when_beta_is_zero_then_q_is_ap(sample):
    result = varying.parameters(sample, ["Q"], varying.Params("beta"))
    np.testing.assert_allclose(
        result.means[0, 0], irmeval.evaluate(sample, ["AP"]).means[0], rtol=0, atol=1e-12
    )


def test_parameters_when_no_measure_has_it_then_says_so(sample):
    with pytest.raises(irmeval.ParamError, match="none of the measures has p"):
        varying.parameters(sample, ["AP", "Q"], varying.Params("p"))


def test_grid_when_made_for_any_declared_parameter_then_its_values_are_allowed():
    for metric in irmeval.METRICS.values():
        for name, field in metric.params.items():
            values = varying.grid(field, 5 if name == "rel" else varying.HIGHEST)
            assert len(values) > 4
            assert values == sorted(set(values))
            assert [field.check(v) for v in values] == values
            assert name in varying.LABELS


def test_catalogue_when_nothing_is_asked_then_it_holds_every_metric():
    assert exports.find() == list(irmeval.METRICS.values())
    assert list(exports.frame(exports.find())["metric"]) == list(irmeval.METRICS)
    assert sum(len(exports.find(family=f)) for f in exports.families()) == len(irmeval.METRICS)


def test_catalogue_when_searched_then_words_aliases_and_properties_narrow_it():
    assert "AP" in [m.name for m in exports.find("map")]
    assert {m.name for m in exports.find("persistence p")} >= {"RBP", "RBP_residual"}
    assert exports.find("no such metric") == []
    for name, has in exports.PROPERTIES.items():
        found = exports.find(properties=[name])
        assert 0 < len(found) < len(irmeval.METRICS)
        assert all(map(has, found))
    both = exports.find("sakai", ["graded", "judged documents only"])
    assert [m.name for m in both] == ["rpref_N", "rpref_relative", "rpref_relative2"]


@pytest.mark.parametrize("metric", irmeval.METRICS.values(), ids=lambda m: m.name)
def test_catalogue_when_a_metric_is_described_then_nothing_is_missing(metric):
    assert metric.formula
    assert metric.source
    assert metric.unjudged
    assert metric.meaning.count(". ") == 1, "two sentences"
    assert irmeval.measure(metric.example).metric is metric
    assert all(
        field.param.label in exports.describe_parameter(field) for field in metric.params.values()
    )
