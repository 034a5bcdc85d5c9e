"""What papers' findings are held against, by hand: statistics at rates and below them, and topics that are drawn anew."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from irmeval import measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import Table
from irmeval.papers import Finding, Overrides, answers, choose_runs, findings, resampled
from irmeval.papers.layout import Column, Layout, printed
from irmeval.reading.matrix import Matrix
from irmeval.scoring.selection import Selection
from tests.cases import SAMPLE, collection, read_once

FINDING = Finding("Fig. 1", "", "Fig. 1", "tau", ("Q",), ("AP",))
TAU = {"AP": [1, 0.2, 0.6, 0.9], "Q": [1, 0.9, 0.5, 0.8], "RR": [1, 0.1, 0.3, 0.7]}
"""At 100, 10, 5 and 1%."""


def told(**said):
    """What is said of the orders kept at four rates, one sample of each."""
    params = SimpleNamespace(rates=(100.0, 10.0, 5.0, 1.0))
    result = SimpleNamespace(tau=np.array([*TAU.values()])[..., None], params=params, measures=tuple(map(measure, TAU)))
    [here] = answers([FINDING._replace(**said)], result)
    return here.here, here.verdict, here.interval


@pytest.mark.parametrize(
    ("said", "here", "verdict"),
    [
        ({}, "0.8 against 0.675", "holds"),
        ({"statistic": "tau at 10%"}, "0.9 against 0.2", "holds"),
        ({"statistic": "tau below 10%"}, "0.5 against 0.6", "does not"),
        ({"statistic": "tau below 5%"}, "0.8 against 0.9", "does not"),
        ({"these": ("Q", "AP"), "those": ("RR",)}, "0.675 against 0.525", "holds"),
        ({"these": ("Q",), "those": ("RR", "AP")}, "0.8 against 0.675", "holds"),
        ({"those": 0.8}, "0.8 against 0.8", "does not"),
        ({"statistic": "tau at 5%", "these": 0.4, "those": ("RR",)}, "0.4 against 0.3", "holds"),
    ],
)
def test_finding_when_it_is_about_rates_then_those_at_or_below_them_count(said, here, verdict):
    assert told(**said) == (here, verdict, "exact")


def test_finding_when_topics_are_drawn_anew_then_its_interval_is_over_draws_with_replacement(stats):
    result = EXPERIMENTS["agreement"](read_once(*SAMPLE), ["AP", "RR", "Q"], EXPERIMENTS["agreement"].params())
    [here] = answers([FINDING._replace(statistic="tau with AP", these=("RR",), those=0.5)], result)
    ap, rr = result.scores.values[0], result.scores.values[1]
    margins = []
    for at in np.random.default_rng(resampled.SEED).integers(ap.shape[1], size=(resampled.TIMES, ap.shape[1])):
        means = [[sum(run[t] for t in at) / len(at) for run in values] for values in (ap, rr)]
        margins.append(stats.kendalltau(*means).statistic - 0.5)
    assert len({round(margin, 9) for margin in margins}) > 1
    assert (here.low, here.high) == pytest.approx(tuple(np.percentile(margins, [5, 95])))
    assert here.samples == f"{sum(margin > 0 for margin in margins)} of {resampled.TIMES} resamples"


def test_topic_sets_when_made_again_then_draw_topics_with_replacement_only_where_the_result_did():
    scores = Matrix("made up", ("a", "b"), ("1", "2", "3"), np.array([[0.9, 0.1, 0.2], [0.1, 0.5, 0.6]]))  # by all three a is better
    experiment = EXPERIMENTS["stability"]
    lost = {}
    for how in ("without", "with"):
        result = experiment(scores, params=experiment.params(size=3, replacement=how, sets=100, fuzziness=(0.01,)))
        result = replace(result, scores=result.scores._replace(names=("AP",), measures=(measure("AP"),)))  # as those of a paper have
        again = resampled.ON_TOPICS[type(result)](result, np.arange(3), ("AP",))
        lost[how] = again.counts.losses.item()
    assert lost["without"] == 0
    assert lost["with"] > 0


def of(statistic, **result):
    """A statistic of a result of which only this is known."""
    given = {
        name: np.array(value, float) if isinstance(value, list) and not isinstance(value[0], str) else value
        for name, value in result.items()
    }
    return findings.statistic(statistic, SimpleNamespace(**given)).tolist()


ROWS = tuple(map(measure, ("AP", "Q", "nDCG(base=2)@1000", "AP'", "Q'", "nDCG(base=2)@1000'")))
AT_RATES = SimpleNamespace(rates=(100.0, 10.0))
ORDERS = pd.DataFrame(
    {"sign - minority rate": [0.2], "sign - swap rate": [0.3], "minority rate - swap rate": [0.7], "significant from": [0.1]}
)


def wide(*cells):
    """One number per measure and rate, of one sample."""
    return [[[value] for value in row] for row in cells]


@pytest.mark.parametrize(
    ("statistic", "result", "values"),
    [
        (
            "change of the mean at 10%",
            {"mean": wide([0.5, 0.6], [0.4, 0.1]), "full": [[0.4, 0.6], [0.4, 0.4]], "params": AT_RATES},
            [[0.2], [0.75]],
        ),
        ("share of the mean at 10%", {"mean": wide([0.5, 0.6]), "full": [[0.4, 0.6]], "params": AT_RATES}, [[1.2]]),
        # 6 pairs stay alike, 1 is made up, 2 are missed, 3 stay apart
        ("errors", {"decisions": SimpleNamespace(confusion=np.array([[[[[6, 1], [2, 3]]]]]))}, [[1 / 4]]),
        ("place by minority rate", {"at_ties": [0.1, 0.3, np.nan, 0.2]}, [[1], [3], [np.nan], [2]]),
        ("minority rate at 10% ties", {"at_ties": [0.1, 0.3]}, [[0.1], [0.3]]),
        ("mean tau with the others", {"values": [[1, 0.5, 0.7], [0.5, 1, 0.2], [0.7, 0.2, 1]]}, [[0.6], [0.35], [0.45]]),
        ("tau with AP", {"values": [[1, 0.5], [0.4, 1]], "measures": ROWS[:2]}, [[1], [0.4]]),
        ("share of the score left at rank 11", {"shares": [[[1 - r / 100] for r in range(12)]]}, [[0.9]]),
        ("difference of Q and AP down to rank R", {"values": [[[0.5], [0.4], [0.3], [0.2]], [[0.5], [0.4], [0.5], [0.3]]]}, [[0]]),
        ("least difference of Q and AP below rank R", {"values": [[[0.5], [0.4], [0.3], [0.2]], [[0.5], [0.4], [0.5], [0.3]]]}, [[0.1]]),
        ("share of changes of places that it rises after", {"counts": [[3, 1, 0], [2, 1, 1]]}, [[0.75], [0.5]]),
        ("tau of stability and swap, less sign test and swap", {"as_in_the_paper": lambda: ORDERS}, [[0.4]]),
        ("tau of sign test and swap, less sign test and stability", {"as_in_the_paper": lambda: ORDERS}, [[0.1]]),
        ("least tau of sign test, stability and swap, less what chance gives", {"as_in_the_paper": lambda: ORDERS}, [[0.1]]),
        ("knee of tau", {"tau": wide([1, 0.8], [0.95, 0.85]), "params": AT_RATES}, [[55], [55]]),
        ("difference of tau by grades", {"mean": [[[1, 0.5], [0.9, 0.8]], [[1, 0.6], [1, 0.5]]]}, [[0.3]]),
        ("difference of tau by grades", {"mean": [[[1, 0.5], [1, 0.5]]]}, [[np.nan]]),
        ("share unjudged at rank 1", {"mean_share": [0.1, 0.2, 0.7], "stretches": ["1", "125", "1000"]}, [[0.1]]),
        ("share unjudged at rank 1000, less that at 125", {"mean_share": [0.1, 0.2, 0.7], "stretches": ["1", "125", "1000"]}, [[0.5]]),
        ("largest change of a run's rank", {"ranks": np.array([[1, 2, 3, 4], [4, 2, 3, 1]]), "by": 0}, [[0], [3]]),
        ("change of the score with R", {"values": [[[0.5, 0.2, 0.1], [0.3, 0.3, 0.2]]]}, [[0.3]]),
        ("change of the score from rank 1 to 2", {"values": [[[0.5, 0.2], [0.3, 0.3], [0, 0]]]}, [[0.2]]),
        ("score at ranks 1 and 2", {"values": [[[0.5, 0.2], [0.3, 0.6], [0.9, 0]]]}, [[0.6]]),
        ("least tau with the default gains", {"tau": [[1, 0.5, 0.7]]}, [[0.5]]),
    ],
)
def test_statistic_when_taken_by_hand_then_is_the_number_that_its_name_says(statistic, result, values):
    more = {"measures": ROWS[:2], "params": SimpleNamespace(R=(2,))} | result
    np.testing.assert_allclose(of(statistic, **more), values, atol=1e-12)


def test_statistic_when_of_required_differences_then_is_in_parts_of_what_it_says():
    required = SimpleNamespace(difference=np.array([0.1, 0.2]), sensitivity=np.array([[0.5, 0.2], [0.4, 0.5]]))
    result = {"required": required, "best": [0.5, 0.8], "deviation": [0.2, 0.1]}
    assert of("required difference, share of the best mean", **result) == [[0.2], [0.25]]
    assert of("required difference, in deviations", **result) == [[0.5], [2]]
    # a measure's own are .3 and .1 apart, and under the default gains the two are .1 apart
    np.testing.assert_allclose(of("spread of sensitivity over gains, share of that over metrics", **result), [[3], [1]])


def test_statistic_when_graded_relevance_has_an_advantage_then_it_is_that_of_the_lesser_raw_measure_less_what_parts_the_primes():
    tau = [[[0], [value]] for value in (0.3, 0.8, 0.7, 0.9, 0.95, 0.92)]
    result = {"measures": ROWS, "params": AT_RATES, "tau": tau, "power": tau}
    for name in (
        "advantage of graded relevance at 10%, raw less condensed",
        "advantage of graded relevance in power at 10%, raw less condensed",
    ):
        np.testing.assert_allclose(of(name, **result), [[0.7 - 0.3 - 0.05]])


def test_statistic_when_of_judgments_and_runs_then_is_what_is_counted():
    collection = SimpleNamespace(grade=np.repeat([0, 1, 2, 3], [9, 10, 6, 4]), topics=("1", "2"))
    name = "documents that a sample of 10% lacks, of the lowest grade less the highest"
    np.testing.assert_allclose(of(name, collection=collection), [[0.9 * (10 - 4) / 2]])
    counts = pd.DataFrame({"of": ["topics", "topics with R <= N", "runs"], "number": [50, 48, 7]})
    assert of("topics with R > N", counts=lambda: counts) == [[2]]
    scores = SimpleNamespace(means=np.array([[0.1, 0.9, 0.5, 0.5], [0.4, 0.1, 0.3, 0.2]]))
    assert of("rises along the runs by AP", scores=scores, order=np.array([1, 2, 3, 0])) == [[0], [2]]


def drawn_results(*tau):
    """Results of two measures at one rate, each drawn anew; of these AP has 0 and Q so much."""
    params = SimpleNamespace(rates=(10.0,))
    made = [SimpleNamespace(tau=np.array([[[0.0]], [[value]]]), params=params, measures=ROWS[:2]) for value in tau]
    return "bootstrap", [lambda result=result: result for result in made]


@pytest.mark.parametrize(
    ("tau", "verdict", "low", "samples"),
    [
        ([0.1] * 19 + [np.nan], "holds", 0.1, 19),  # one of 20 may be undefined
        ([0.1] * 17 + [np.nan] * 3, "cannot be told", np.nan, 17),
        ([0.1] * 17 + [0.0] * 3, "cannot be told", 0, 17),  # no more is not more
    ],
)
def test_finding_when_some_draws_have_no_value_or_no_margin_then_the_interval_says_so(monkeypatch, tau, verdict, low, samples):
    monkeypatch.setattr(findings, "resample", lambda *_: drawn_results(*tau))
    [here] = answers([FINDING], drawn_results(0.1)[1][0]())
    assert (here.verdict, here.samples) == (verdict, f"{samples} of 20 resamples")
    np.testing.assert_allclose(here.low, low)


def test_finding_when_there_are_several_measures_then_the_least_of_each_sample_counts():
    params, tau = SimpleNamespace(rates=(10.0,)), np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    result = SimpleNamespace(tau=tau, params=params, measures=ROWS[:2])
    [here] = answers([FINDING._replace(these=("Q", "AP"), those=0.2)], result)
    assert (here.here, here.verdict) == ("0 against 0.2", "does not")


def printed_by(frame, **layout):
    """The texts of a table as it is laid out, bold ones with a star."""
    given = {"label": "Table 1", "caption": "", "table": "t", "columns": (Column("tau", form=".2f"),)} | layout
    made = printed(Layout(**given), SimpleNamespace(tables=lambda: [Table("t", "T", lambda: frame)]), {})
    (_, lines), *_ = made.parts
    return made.head, [[cell.text + "*" * cell.bold for cell in line] for line in lines]


def test_table_when_laid_out_then_bold_order_and_the_least_rate_are_as_asked():
    frame = pd.DataFrame({"measure": ["AP", "RR", "Q"], "rate": [10, 10, 10], "tau": [0.9, 0.95, 0.5]})
    both = pd.concat([frame, frame.assign(rate=100, tau=1.0)])
    assert printed_by(both, where={"rate": None}, by="tau", above=0.9)[1] == [["RR", "0.95*"], ["AP", "0.90"], ["Q", "0.50"]]
    assert printed_by(frame, only=("Q", "AP", "P@5"), bold=("Q",))[1] == [["Q*", "0.50*"], ["AP", "0.90"]]


def test_table_when_each_pair_is_listed_once_then_it_stands_once_above_the_diagonal():
    pairs = [("AP", "RR", 0.1), ("AP", "Q", 0.2), ("RR", "Q", 0.3)]
    frame = pd.DataFrame(pairs, columns=["measure_a", "measure_b", "tau"])
    asked = {"rows": "measure_a", "across": "measure_b", "mirrored": True}
    assert printed_by(frame, **asked) == (("metric", "RR", "Q"), [["AP", "0.10", "0.20"], ["RR", "", "0.30"]])
    # in another order of rows, and some of the columns, both sides are known
    assert printed_by(frame, only=("Q", "AP"), over=("RR",), **asked)[1] == [["Q", "0.30"], ["AP", "0.10"]]


def settled(runs=3, otherwise=None, **rules):
    lists = {f"run{r}": {"1": ["a", "b"] if r else ["b", "a"]} for r in range(runs)}
    paper = SimpleNamespace(selection=Selection(**rules))
    return choose_runs(paper, None, collection({"1": {"a": 1}}, lists), otherwise or Overrides())


@pytest.mark.parametrize(
    ("rules", "kept", "instead"),
    [
        ({"random_runs": 3}, 3, ""),
        ({"random_runs": 30}, 3, "All 3 runs, where the paper drew 30."),
        ({"top_runs": 30}, 3, "All 3 runs, where the paper took the best 30."),
        ({"top_runs": 2}, 2, ""),
        ({"top_runs": 1}, 3, "3 runs as they are: the paper's selection leaves one run."),
    ],
)
def test_runs_of_a_paper_when_there_are_fewer_than_it_took_then_the_sentence_says_what_is_done(rules, kept, instead):
    found = settled(**rules)
    assert (len(found.collection.runs), found.instead) == (kept, instead)


def test_samples_when_it_is_to_be_as_published_then_there_is_one_unless_more_are_asked_for():
    assert [Overrides(as_published=so).decided for so in (False, True)] == [{}, {"trials": 1}]
    assert Overrides(params={"trials": 5}, as_published=True).decided == {"trials": 5}
