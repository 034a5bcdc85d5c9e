"""Measures as text: what is written is what is printed, and what is wrong is refused
with help.
"""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from irmeval.core.errors import IrmevalError, ParamError, UnknownName
from irmeval.metrics import METRICS, distinct, measure
from tests.cases import EXAMPLE, EXAMPLE_LIST, MEASURES, collection, measures

EVERY = [m for name in METRICS for m in measures(name)]


@st.composite
def texts(draw):
    """Canonical texts: any metric, parameters off their defaults, a cut-off, a
    prime.
    """
    metric = draw(st.sampled_from(list(METRICS.values())))
    inner = []
    for name, field in metric.params.items():
        required = field.default is not None and not isinstance(field.default, (int, float))
        if name == "k" or not (required or draw(st.booleans())):
            continue
        low, high = field.param.low, field.param.high
        value = draw(
            st.integers(low, high)
            if field.kind is int
            else st.floats(low, high, allow_subnormal=False)
        )
        if value != field.default:
            inner.append(f"{name}={value}")
    text = metric.name + (f"({','.join(inner)})" if inner else "")
    if "k" in metric.params and (metric.params["k"].default is not None or draw(st.booleans())):
        text += f"@{draw(st.integers(1, 100_000))}"
    return text + "'" * (metric.primed and draw(st.booleans()))


@given(texts())
def test_measure_when_parsed_then_prints_what_parses_to_the_same(text):
    parsed = measure(text)
    assert measure(str(parsed)) == parsed
    assert measure(str(parsed)).params == parsed.params
    assert str(measure(str(parsed))) == str(parsed)


def test_measures_when_canonical_then_print_as_they_are_written():
    assert (
        [str(measure(text)) for text in EVERY] == [repr(measure(text)) for text in EVERY] == EVERY
    )


def test_measures_when_pickled_then_come_back_equal():
    for text in EVERY:
        back = pickle.loads(pickle.dumps(measure(text)))
        assert back == measure(text)
        assert hash(back) == hash(measure(text))
        assert back.params == measure(text).params, text


def test_name_when_taken_then_is_not_given_twice():
    with pytest.raises(ValueError, match="registered twice"):
        METRICS.add("AP", METRICS["AP"])


def test_examples_when_listed_then_name_only_metrics_there_are():
    assert set(MEASURES) <= set(METRICS)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("nDCG(base=2.0)@1000", "nDCG(base=2)@1000"),
        ("Q(beta=1)", "Q"),
        ("AP(rel=1)", "AP"),
        ("AP(judged_only=True)", "AP'"),
        ("AP(judged_only=False)", "AP"),
        ("nDCG(judged_only=True,base=2)@10", "nDCG(base=2)@10'"),
        (" AP ( rel = 2 ) @ 10 '", "AP(rel=2)@10'"),
        ("AP′", "AP'"),
        ("AP’", "AP'"),
        ("RBP(rel=2,p=.5)", "RBP(p=0.5,rel=2)"),
        ("AnDCG(base=2)@0010", "AnDCG(base=2)@10"),
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("recip_rank", "RR"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("P_5", "P@5"),
        ("recall_100", "R@100"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
        ("P-plus", "P+"),
        ("success_10", "Success@10"),
        ("iprec_at_recall_0.50", "IPrec(recall=0.5)"),
        ("IPrec@0.5", "IPrec(recall=0.5)"),
        ("11pt_avg", "AP_11pt"),
        ("set_F", "SetF"),
        ("set_F_2", "SetF(x=2)"),
        ("Rndcg", "RnDCG"),
        ("MAP@10", "AP@10"),
        ("NDCG@10", "nDCG@10"),
        ("Q-measure", "Q"),
        ("mrr@10", "RR@10"),
        ("hit_rate@10", "Success@10"),
        ("success@5", "Success@5"),
        ("precision@10", "P@10"),
        ("recall@100", "R@100"),
        ("r-precision", "Rprec"),
        ("f1", "SetF"),
        ("f1@6", "F@6"),
        ("F1@5", "F@5"),
        ("F1", "SetF"),
        ("judged@10", "Judged@10"),
        ("err@10", "ERR@10"),
        ("hits@5", "hits@5"),
        ("dcg@10", "DCG@10"),
        ("relative_P_10", "R_cap@10"),
        ("r_cap@10", "R_cap@10"),
        ("accuracy@5", "Success@5"),
        ("map@100-l2", "AP(rel=2)@100"),
        ("ndcg@10-l2", "nDCG(rel=2)@10"),
        ("r-precision-l3", "Rprec(rel=3)"),
        ("mrr-l1", "RR"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(cutoff=10,judged_only=True)", "nDCG@10'"),
        ("ERR(top=4)@20", "ERR(top=4)@20"),
    ],
)
def test_measure_when_written_otherwise_then_prints_canonically(written, canonical):
    assert str(measure(written)) == canonical


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("ap", "AP"),
        ("Map", "AP"),
        ("mAP@10", "AP@10"),
        ("ndcg@10", "nDCG@10"),
        ("Ndcg(base=2)@10'", "nDCG(base=2)@10'"),
        ("NDCG_CUT_10", "nDCG@10"),
        ("p@5", "P@5"),
        ("p_5", "P@5"),
        ("r@100", "R@100"),
        ("RECALL@100", "R@100"),
        ("Mrr", "RR"),
        ("rprec", "Rprec"),
        ("BPREF", "Bpref"),
        ("INFAP", "infAP"),
        ("rbp(p=0.8)", "RBP(p=0.8)"),
        ("q", "Q"),
        ("Set_f_2", "SetF(x=2)"),
        ("MAP-l2", "AP(rel=2)"),
    ],
)
def test_name_when_in_letters_of_another_case_then_means_the_same(written, canonical):
    assert str(measure(written)) == canonical


@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title, str.swapcase])
def test_metrics_when_named_in_letters_of_another_case_then_are_each_found(spell):
    for name, metric in METRICS.items():
        written = metric.example.replace(name, spell(name), 1)
        assert measure(written) == measure(metric.example)


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("nDCC@10", "nDCG"),
        ("Bprf", "Bpref"),
        ("rpref", "rpref_N"),
        ("Q-mesure", "R-measure"),
        ("num-ret", "NumRet"),
        ("ACCURACY@5", "known: Q"),  # one of ranx, another of ir_measures
        ("Inst", "a user model of cwl_eval's"),
        ("set_P_10", "SetP"),
        ("gm_map", r"AP, and take scores.mean\(\"geometric\"\)"),
        ("ndcg_burges@10", "nDCG with --gains 1:1,2:3,3:7"),
        ("alpha_nDCG@10", "needs judgments by subtopic"),
        ("ERR_IA@20", "needs judgments by subtopic"),
        ("StRecall@10", "needs judgments by subtopic"),
        ("INST", "a user model of cwl_eval's"),
        ("hole@10", "1 less Judged@k"),
    ],
)
def test_name_when_unknown_then_is_refused_with_the_nearest(written, nearest):
    with pytest.raises(UnknownName, match=nearest):
        measure(written)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("P", "as in P@10"),
        ("RBP", r"as in RBP\(p=0.95\)"),
        ("AnDCG@10", r"as in AnDCG\(base=2\)@1000"),
        ("P@0", "k: expected a value from 1"),
        ("P@-5", "k: expected a value from 1"),
        ("P@ten", "k: expected a whole number"),
        ("P@", "k: expected a whole number"),
        ("Q@10", "takes no cut-off"),
        ("IPrec@2", "recall: expected a value from 0"),
        ("AP(beta=1)", "no parameter 'beta'; it has: rel"),
        ("AP(k=10)", "no parameter 'k'"),
        ("RBP(p=1.5)", "p: expected a value from 0.01 to 0.99"),
        ("RBP(p=nan)", "p: expected a number"),
        ("RBP(p=)", "p: expected a number"),
        ("AP(rel=2,rel=3)", "once each"),
        ("AP(rel=2)-l2", "once each"),
        ("nDCG(cutoff=5)@10", "once each"),
        ("P_5@10", "once each"),
        ("map-l0", "rel: expected a value from 1"),
        (
            "nDCG(dcg='exp-log2')@10",
            'Write nDCG@10 and --gains 1:1,2:3,3:7,4:15, in Python gains="1:1,2:3,3:7,4:15"',
        ),
        (
            "nDCG(gains={0: 0,1:1, 2:3},rel=2)@10",
            r"Write nDCG\(rel=2\)@10 and --gains 0:0,1:1,2:3, in",
        ),
        ("nDCG(gains={0:0,1:1@10", "not a measure"),
        ("AP(rel=2})", "rel: expected a whole number"),
        ("AP(gains={1:1})", "no parameter 'gains'"),
        ("AP(rel)", "once each"),
        ("AP(rel=0)", "rel: expected a value from 1"),
        ("AP(rel=1.5)", "rel: expected a whole number"),
        ("AP(judged_only=yes)", "True or False"),
        ("Bpref'", "no condensed-list form"),
        ("NumRel'", "no condensed-list form"),
        ("Judged@10'", "no condensed-list form"),
        ("AP''", "not a measure"),
        ("AP'@10", "not a measure"),
        ("(rel=2)", "not a measure"),
        ("", "not a measure"),
    ],
)
def test_measure_when_wrong_then_says_what_was_expected(written, says):
    with pytest.raises(ParamError, match=says) as refused:
        measure(written)
    assert "\n" not in str(refused.value)


def test_measures_when_named_twice_then_are_computed_once():
    scores = irmeval.evaluate(
        collection({"1": EXAMPLE}, {"run": {"1": EXAMPLE_LIST}}), ["AP", "map", "AP(rel=1)", "AP'"]
    )
    assert [str(m) for m in scores.measures] == ["AP", "AP'"]


def test_aliases_when_gathered_then_no_two_metrics_share_one():
    aliases = [
        alias for metric in METRICS.values() for alias in metric.aliases if alias != metric.name
    ]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(METRICS)


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("ndcg_cut.10,20", "nDCG@10 nDCG@20"),
        ("AP,P@10, Q(beta=10,rel=2)',ndcg_cut.10,20", "AP P@10 Q(beta=10,rel=2)' nDCG@10 nDCG@20"),
        ("P.5", "P@5"),
        ("iprec_at_recall.0.1,0.5", "IPrec(recall=0.1) IPrec(recall=0.5)"),
        ("RBP(p=0.5)", "RBP(p=0.5)"),
    ],
)
def test_measures_when_named_as_for_trec_eval_then_are_each_of_them(written, found):
    assert [str(m) for m in distinct(written)] == found.split()


def test_official_measures_when_named_then_are_those_trec_eval_prints_but_the_geometric_mean():
    found = [str(m) for m in distinct(["AP", "official"])]
    assert found[:7] == ["AP", "NumRet", "NumRel", "NumRelRet", "Rprec", "Bpref", "RR"]
    assert found[7:] == [
        *(f"IPrec(recall={i / 10:g})" for i in range(11)),
        *(f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
    ]


def test_all_measures_of_trec_eval_when_named_then_are_each_that_is_a_metric_here():
    found = [str(m) for m in distinct("all_trec")]
    assert len(found) == 17 + 11 + 9 * 5 + 3
    assert {
        "R_cap@1000",
        "nDCG@5",
        "AP@10",
        "Success@1",
        "SetF",
        "infAP",
        "NumNonrelRet",
        "nDCG",
        "AP_11pt",
    } < set(found)
    assert [str(m) for m in distinct("success, set_P")] == [
        "Success@1",
        "Success@5",
        "Success@10",
        "SetP",
    ]
    assert [str(m) for m in distinct("set")] == ["SetP", "SetRelP", "SetR", "SetAP", "SetF"]


@pytest.mark.parametrize("written", ["P.", "P.x", "P.5,", "P." + "5," * 200, "AP.5", "ndcg_cut.0"])
def test_measures_when_a_list_of_numbers_is_none_then_are_refused(written):
    with pytest.raises(IrmevalError):
        distinct(written)


def test_raw_when_asked_of_a_primed_measure_then_lacks_the_prime():
    assert str(measure("nDCG(base=2)@10'").raw) == "nDCG(base=2)@10"
    assert measure("AP").raw == measure("AP")


@pytest.mark.parametrize(
    ("text", "label"),
    [("nDCG(base=2)@10'", "nDCG b2@10'"), ("RBP(p=0.95)", "RBP .95"), ("Q(beta=10)", "Q β10")],
)
def test_label_when_asked_for_then_is_short(text, label):
    assert measure(text).label == label
