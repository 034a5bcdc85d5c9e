"""A cheap judge on everything and an expensive one on a sample: plain loops, all
possible samples, and simulations with a known truth.
"""

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import log2

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

import irmeval
from irmeval.core.errors import ParamError, UnknownName
from irmeval.core.parallel import find_algebra
from irmeval.metrics.with_judge_calibrated import Calibrated
from irmeval.scoring.two_judges import WAYS
from irmeval.stats.powered import powered_mean
from tests.cases import collection, in_strata
from tests.strata import drawn, leave_each_out, stratified

SUMS = ["P@5", "P(rel=2)@10", "statDCG@8", "statDCG", "RBP(p=0.8)"]
RATIOS = ["AP", "AP(rel=2)", "AP@20", "nDCG@10", "nDCG", "nDCG(base=2)"]
OTHERS = {
    "noisy": "simulated:noisy,0.3,1",
    "strict": "simulated:strict,0.5,2",
    "lenient": "simulated:lenient,0.2,3",
}


@cache
def judged(seed=3, topics=2, judge="strict"):
    """A collection in three strata a topic, each document judged, with a cheap
    judge.
    """
    return stratified(np.random.default_rng(seed), topics, cheap=OTHERS[judge])


def cheap_grades(built):
    """The cheap judge's grades of the pool."""
    return built.panel.judges.scoring(1)


def looped(built, grades, text, run, topic):
    """A difference estimate in plain loops: sums over documents, over pairs and over
    levels, as they are written.
    """
    m, H = irmeval.measure(text), built.grade.max()
    given, cheap, stratum = m.params, cheap_grades(built), built.design.stratum
    N, n = np.bincount(stratum), np.bincount(stratum[grades >= 0], minlength=stratum.max() + 1)
    start, end = built.start[run * len(built.topics) + topic : run * len(built.topics) + topic + 2]
    k = given.get("k") or 1000
    ranked = [
        (i, r)
        for i, r in zip(built.judgment_index[start:end], built.rank[start:end], strict=True)
        if r <= k
    ]
    pool, rel = np.flatnonzero(built.topic == topic), given["rel"]

    def stands(i, j=None):
        """How many documents, or pairs, each drawn one is for; 0 where it is not
        drawn.
        """
        if grades[i] < 0 or (j is not None and grades[j] < 0):
            return 0.0
        s, t = stratum[i], stratum[i if j is None else j]
        if j is not None and s == t:
            return N[s] * (N[s] - 1) / (n[s] * (n[s] - 1))
        return N[s] / n[s] * (1 if j is None else N[t] / n[t])

    def relevant(i, of):
        return float(of[i] >= rel)

    def weight(r):
        base = given.get("base")
        of_dcg = 1 / log2(r + 1) if base is None else 1 / max(1.0, np.log(r) / np.log(base))
        return {"P": 1 / k, "RBP": (1 - given.get("p", 0)) * given.get("p", 0) ** (r - 1) / H}.get(
            m.metric.name, of_dcg
        )

    if m.metric.name == "AP":
        above = 0.0
        for at, (i, r) in enumerate(ranked):
            of_cheap, of_sample = (
                relevant(i, cheap),
                stands(i) * (relevant(i, grades) - relevant(i, cheap)),
            )
            for j, _ in ranked[:at]:
                of_cheap += relevant(i, cheap) * relevant(j, cheap)
                of_sample += stands(i, j) * (
                    relevant(i, grades) * relevant(j, grades)
                    - relevant(i, cheap) * relevant(j, cheap)
                )
            above += (of_cheap + of_sample) / r
        below = sum(
            relevant(i, cheap) + stands(i) * (relevant(i, grades) - relevant(i, cheap))
            for i in pool
        )
        return above / max(below, sum(relevant(i, grades) for i in pool))

    def gain(i, of):
        return relevant(i, of) if m.metric.name == "P" else relevant(i, of) * max(of[i], 0)

    total = sum(
        weight(r) * (gain(i, cheap) + stands(i) * (gain(i, grades) - gain(i, cheap)))
        for i, r in ranked
    )
    if m.metric.name != "nDCG":
        return total
    ideal, place = 0.0, 0.0
    for level in range(H, rel - 1, -1):
        number = sum(
            (cheap[i] == level) + stands(i) * ((grades[i] == level) * 1.0 - (cheap[i] == level))
            for i in pool
        )
        left = max(number, sum(grades[i] == level for i in pool))
        while left > 1e-12 and place < k:
            part = min(left, int(place + 1e-12) + 1 - place)
            ideal += level * part * weight(int(place + 1e-12) + 1)
            left, place = left - part, place + part
    return total / ideal


@pytest.mark.parametrize("text", SUMS + RATIOS)
@pytest.mark.parametrize("judge", OTHERS)
def test_difference_when_written_out_in_loops_then_is_the_same(text, judge):
    built = judged(judge=judge)
    grades = drawn(built, np.random.default_rng(5))
    found = irmeval.estimate_with(built, [text], "cheap", grades=grades).raw[0]
    expected = np.array(
        [[looped(built, grades, text, run, topic) for topic in range(2)] for run in range(3)]
    )
    np.testing.assert_allclose(
        found, expected if text in SUMS else expected.clip(0, 1), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("judge", OTHERS)
@pytest.mark.parametrize("way", ["calibrated", "difference"])
def test_corrections_when_the_whole_pool_is_judged_then_are_the_measure_itself_without_width(
    way, judge
):
    built = judged(judge=judge)
    found = irmeval.estimate_with(built, SUMS + RATIOS, "cheap", way=way, grades=built.grade)
    np.testing.assert_allclose(
        found.values, irmeval.evaluate(built, SUMS + RATIOS).values, rtol=0, atol=1e-12
    )
    low, high = found.bounds()
    np.testing.assert_allclose(high - low, 0, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "cheap",
    [(0, 0, 0, 0, 0, 0, 0), (2, 2, 2, 2, 2, 2, 2), (0, 2, 0, 1, 2, 0, 1), (2, 0, 1, 0, 0, 1, 2)],
)
def test_difference_of_a_sum_when_over_every_sample_there_is_then_its_mean_is_the_truth(cheap):
    documents, truth = "abcdefg", (2, 0, 1, 0, 0, 1, 2)
    given = [{"1": dict(zip(documents, grades, strict=True))} for grades in (truth, cheap)]
    built = collection(given[0], {"up": {"1": "abxcdyefg"}, "down": {"1": "gfe"}}).with_judgments(
        "cheap", given[1]
    )
    built = in_strata(built, lambda d: "1" if d in "abc" else "2")
    texts = ["P@3", "P(rel=2)@5", "statDCG", "RBP(p=0.5)"]
    found = []
    for first, second in product(combinations(range(3), 2), combinations(range(3, 7), 2)):
        grades = np.full(7, -1)
        kept = [*first, *second]
        grades[kept] = built.grade[kept]
        found.append(irmeval.estimate_with(built, texts, "cheap", grades=grades).values)
    np.testing.assert_allclose(
        np.mean(found, axis=0), irmeval.evaluate(built, texts).values, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("text", SUMS)
def test_difference_of_a_sum_when_its_variance_is_written_out_then_is_that_of_the_judges_difference(
    text,
):
    built = judged()
    grades = drawn(built, np.random.default_rng(7))
    found, stratum = (
        irmeval.estimate_with(built, [text], "cheap", grades=grades),
        built.design.stratum,
    )
    products = np.zeros((3, 3))
    for s in range(built.design.S):
        members = np.flatnonzero((stratum == s) & (grades >= 0))
        N, n, topic = np.sum(stratum == s), members.size, built.topic[stratum == s][0]
        # what each drawn document adds to each run if it alone were drawn of its stratum, and stood
        # for itself
        more = np.zeros((3, n))
        for column, document in enumerate(members):
            alone = np.full(grades.size, -1)
            alone[document] = grades[document]
            single = replace(built, design=replace(built.design, stated=np.ones(grades.size)))
            added = irmeval.estimate_with(single, [text], "cheap", grades=alone).raw[0]
            more[:, column] = (
                added - irmeval.evaluate(built, [text], grades=cheap_grades(built)).values[0]
            )[:, topic]
        products += N**2 * (1 - n / N) * np.cov(more, ddof=1) / n
    np.testing.assert_allclose(found.covariance[0], products, rtol=0, atol=1e-9)


@pytest.mark.parametrize("text", ["AP", "AP@20", "nDCG", "nDCG@10"])
def test_difference_of_a_ratio_when_each_drawn_document_is_left_out_then_its_spread_is_the_same(
    text,
):
    built = judged(judge="lenient")
    grades = drawn(built, np.random.default_rng(11), (18, 17, 16))
    found = irmeval.estimate_with(built, [text], "cheap", grades=grades)

    def estimate(left, topic):
        return irmeval.estimate_with(built, [text], "cheap", grades=left).raw[0][:, topic]

    products, _ = leave_each_out(built, grades, estimate)
    np.testing.assert_allclose(found.covariance[0], products, rtol=0, atol=1e-9)


def chances(built, grades, binary, rel):
    """How likely each document has each level, counted cell by cell [J, G]; which cell
    it is in; and what each cell counts.
    """
    levels = 2 if binary else int(built.grade.max()) + 1
    level = np.where(grades >= 0, grades >= rel if binary else grades, -1)
    cheap, stratum = cheap_grades(built), built.design.stratum
    N, n = np.bincount(stratum), np.bincount(stratum[grades >= 0], minlength=stratum.max() + 1)
    cells = [(cheap[i], built.design.names[stratum[i]]) for i in range(grades.size)]
    counted = {cell: np.full(levels, 0.5) for cell in cells}
    for i in np.flatnonzero(level >= 0):
        counted[cells[i]][level[i]] += N[stratum[i]] / n[stratum[i]]
    found = np.array([counted[cell] / counted[cell].sum() for cell in cells])
    found[level >= 0] = np.eye(levels)[level[level >= 0]]
    return found, cells, counted, level, N / n


def expected_scores(built, text, likely):
    """The expected scores of the runs, summed over topics, from how likely each
    document has each level [runs].
    """
    m, T = irmeval.measure(text), len(built.topics)
    name, k, rel = m.metric.name, m.params.get("k") or 1000, m.params["rel"]
    gain = np.arange(likely.shape[1]) * (
        np.arange(likely.shape[1]) >= (1 if name in ("P", "AP") else rel)
    )
    value, total = likely @ gain, np.zeros((len(built.runs), T))
    for run, topic in product(range(len(built.runs)), range(T)):
        start, end = built.start[run * T + topic : run * T + topic + 2]
        above = 0.0
        for i, r in zip(built.judgment_index[start:end], built.rank[start:end], strict=True):
            if r > k:
                continue
            weight = {
                "P": 1 / k,
                "AP": (1 + above) / r,
                "RBP": 0.2 * 0.8 ** (r - 1) / built.grade.max(),
            }.get(name, 1 / log2(r + 1))
            total[run, topic] += weight * value[i]
            above += value[i]
        own = likely[built.topic == topic]
        if name == "AP":
            total[run, topic] /= value[built.topic == topic].sum()
        if name == "nDCG":
            ideal, place = 0.0, 0.0
            for level in range(likely.shape[1] - 1, rel - 1, -1):
                left = own[:, level].sum()
                while left > 1e-12 and place < k:
                    part = min(left, int(place + 1e-12) + 1 - place)
                    ideal += level * part / log2(int(place + 1e-12) + 2)
                    left, place = left - part, place + part
            total[run, topic] /= ideal
    return total


@pytest.mark.parametrize(
    "text", ["P@5", "P(rel=2)@10", "statDCG", "RBP(p=0.8)", "AP", "AP(rel=2)", "nDCG@10", "nDCG"]
)
def test_calibrated_when_written_out_in_loops_then_is_the_same(text):
    built = judged()
    grades = drawn(built, np.random.default_rng(5))
    likely = chances(built, grades, text[0] in "PA", irmeval.measure(text).params["rel"])[0]
    found = irmeval.estimate_with(built, text, "cheap", way="calibrated", grades=grades).values[0]
    np.testing.assert_allclose(found, expected_scores(built, text, likely), rtol=0, atol=1e-9)


@pytest.mark.parametrize("text", ["P@5", "statDCG", "AP", "nDCG@10"])
def test_calibrated_when_each_chance_is_moved_a_little_then_the_covariance_is_that_of_the_slopes(
    text,
):
    built = judged(topics=1)
    grades = drawn(built, np.random.default_rng(5))
    likely, cells, counted, level, stands = chances(built, grades, text[0] in "PA", 1)
    whole, levels = expected_scores(built, text, likely).sum(axis=1), likely.shape[1]
    slopes, step = np.zeros((3, *likely.shape)), 1e-6
    for i, g in product(np.flatnonzero(level < 0), range(levels)):
        moved = likely.copy()
        moved[i, g] += step
        slopes[:, i, g] = (expected_scores(built, text, moved).sum(axis=1) - whole) / step
    covariance = np.zeros((3, 3))
    for i in np.flatnonzero(level < 0):  # which grade the expensive judge would give
        covariance += (
            slopes[:, i] @ (np.diag(likely[i]) - np.outer(likely[i], likely[i])) @ slopes[:, i].T
        )
    for i in np.flatnonzero(level >= 0):  # what a drawn document says of the others of its cell
        same = [j for j in np.flatnonzero(level < 0) if cells[j] == cells[i]]
        if same:
            total = counted[cells[i]].sum()
            change = (
                stands[built.design.stratum[i]]
                * (np.eye(levels)[level[i]] - counted[cells[i]] / total)
                / total
            )
            moved = slopes[:, same].sum(axis=1) @ change
            covariance += np.outer(moved, moved)
    found = irmeval.estimate_with(built, text, "cheap", way="calibrated", grades=grades)
    np.testing.assert_allclose(found.covariance[0], covariance, rtol=1e-4, atol=1e-9)


def test_calibrated_when_of_one_measure_then_its_many_small_products_are_not_over_threads_either(
    monkeypatch,
):
    seen, score = set(), Calibrated.score

    def scored(self):
        seen.update(
            library["num_threads"]
            for library in ThreadpoolController().select(user_api="blas").info()
        )
        return score(self)

    monkeypatch.setattr(Calibrated, "score", scored)
    # other tests may have loaded further libraries since it was asked first
    find_algebra.cache_clear()
    with threadpool_limits(limits=2, user_api="blas"):
        irmeval.estimate_with(judged(), "P@5", "cheap", way="calibrated")
    assert seen == {1}


@pytest.mark.parametrize("way", ["calibrated", "difference"])
def test_corrections_when_the_policy_has_gains_then_the_whole_pool_gives_the_measure_itself(way):
    given = {"1": {"a": 2, "b": 0, "c": 1, "d": 1}}, {"run": {"1": "bacxd"}}
    built = collection(*given, gains="1:1,2:3").with_judgments(
        "cheap", {"1": {"a": 1, "b": 2, "c": 0, "d": 1}}
    )
    texts = ["RBP(p=0.5)", "statDCG", "nDCG"]
    found = irmeval.estimate_with(built, texts, "cheap", way=way)
    np.testing.assert_allclose(
        found.values, irmeval.evaluate(built, texts).values, rtol=0, atol=1e-12
    )


def test_ways_without_a_correction_when_used_then_score_by_cheap_grades_and_have_no_interval():
    built = judged()
    grades, cheap = drawn(built, np.random.default_rng(2)), cheap_grades(judged())
    for way, by in (("as truth", cheap), ("filled", np.where(grades >= 0, grades, cheap))):
        found = irmeval.estimate_with(built, ["AP", "Bpref"], "cheap", way=way, grades=grades)
        np.testing.assert_array_equal(
            found.values, irmeval.evaluate(built, ["AP", "Bpref"], grades=by).values
        )
        assert np.isnan(found.bounds()).all()
        assert found.interval(over="judgments")["low"].isna().all()


def test_difference_when_expensive_judgments_are_a_plain_file_then_the_pool_is_of_both_judges():
    built = judged().alone
    documents = built.documents.to_pylist()
    kept = np.arange(0, built.grade.size, 3)
    expensive, cheap = {"0": {}, "1": {}}, {"0": {}, "1": {}}
    for i, document in enumerate(documents):
        topic = built.topics[built.topic[i]]
        cheap[topic][document] = int(built.grade[i] > 1)
        if i in kept:
            expensive[topic][document] = int(built.grade[i])
    lists = {
        "a": {t: [documents[i] for i in np.flatnonzero(built.topic == int(t))[::-1]] for t in "01"}
    }
    whole = collection(
        {
            t: {
                d: int(built.grade[i])
                for i, d in enumerate(documents)
                if built.topics[built.topic[i]] == t
            }
            for t in "01"
        },
        lists,
    )
    sample = np.full(built.grade.size, -1)
    sample[kept] = built.grade[kept]
    expected = irmeval.estimate_with(
        whole.with_judgments("model", cheap), ["P@10", "AP"], "model", grades=sample
    )
    found = irmeval.estimate_with(
        collection(expensive, lists).with_judgments("model", cheap), ["P@10", "AP"], "model"
    )
    np.testing.assert_allclose(found.values, expected.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.bounds(), expected.bounds(), rtol=0, atol=1e-12)


def test_difference_when_a_judged_topic_has_nothing_relevant_then_has_no_score_there():
    given = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 0}}
    built = collection(given, {"run": {"1": "ab", "2": "ab"}}).with_judgments(
        "cheap", {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 0}}
    )
    found = irmeval.estimate_with(built, ["P@1", "AP"], "cheap").values[:, 0]
    np.testing.assert_array_equal(found, [[1, np.nan], [1, np.nan]])


def test_prediction_powered_when_some_topics_are_wholly_judged_then_is_powered_mean_over_topics():
    built = judged(seed=8, topics=12)
    expensive = np.isin(built.topic, [1, 4, 5, 9, 10])
    grades = np.where(expensive, built.grade, -1)
    found = irmeval.estimate_with(
        built, ["AP", "P@5"], "cheap", way="prediction-powered", grades=grades
    )
    y, f = (
        irmeval.evaluate(built, ["AP", "P@5"], grades=of).values
        for of in (built.grade, cheap_grades(built))
    )
    own = np.isin(np.arange(12), [1, 4, 5, 9, 10])
    for m in range(2):
        expected = powered_mean(y[m][:, own], f[m][:, own], f[m][:, ~own])
        np.testing.assert_array_equal(found.means[m], expected.mean)
        np.testing.assert_array_equal(np.stack(found.bounds())[:, m], expected.interval())
        row = found.difference("a", "b").iloc[m]
        between = powered_mean(
            *(of[m, 0] - of[m, 1] for of in (y[..., own], f[..., own], f[..., ~own]))
        )
        assert [row["estimate"], row["low"], row["high"]] == pytest.approx(
            [between.mean, *between.interval()]
        )
    frame = found.interval(over="topics")
    assert frame["estimate"].to_list() == found.means.T.ravel().tolist()
    assert found.interval(over="judgments")["low"].isna().all()


@pytest.mark.parametrize(
    ("asked", "kind", "words"),
    [
        ({"cheap": "nobody"}, UnknownName, "unknown judge beside the first"),
        ({"cheap": "qrels"}, UnknownName, "unknown judge beside the first"),
        ({"way": "by magic"}, ParamError, "way: expected as truth, filled"),
        ({"measures": ["RR"]}, ParamError, "RR cannot be corrected by a sample: expected one of"),
        ({"measures": ["AP'"]}, ParamError, "AP' cannot be corrected by a sample"),
        (
            {"way": "prediction-powered"},
            ParamError,
            "expected topics that the expensive judge has judged completely, found none",
        ),
    ],
)
def test_estimate_with_when_asked_for_what_it_cannot_then_says_so(asked, kind, words):
    built = judged()
    grades = drawn(built, np.random.default_rng(2))
    with pytest.raises(kind, match=words):
        irmeval.estimate_with(
            built, **({"measures": ["AP"], "cheap": "cheap", "grades": grades} | asked)
        )


def test_prediction_powered_when_asked_for_another_mean_or_interval_then_says_what_there_is():
    built = judged(topics=3)
    found = irmeval.estimate_with(
        built,
        "AP",
        "cheap",
        way="prediction-powered",
        grades=np.where(built.topic < 2, built.grade, -1),
    )
    with pytest.raises(ParamError, match="over: expected judgments or topics, found 'runs'"):
        found.bounds(over="runs")
    with pytest.raises(ParamError, match="aggregate: expected mean"):
        found.over_topics("median")


def test_ways_when_listed_then_each_has_its_words():
    built = judged(topics=3)
    for way in WAYS:
        assert irmeval.estimate_with(built, "AP", "cheap", way=way).values.shape == (1, 3, 3)


def test_cheap_grades_when_above_all_of_the_expensive_judge_then_count_as_its_highest():
    topic = {"t": {"a": 1, "b": 0, "c": 1}}
    alone = collection(topic, {"run": {"t": ["b", "a", "c"]}})
    high, top = (
        alone.with_judgments("cheap", {"t": {"a": grade, "b": 0, "c": 1}}) for grade in (3, 1)
    )
    of = [
        irmeval.estimate_with(each, ["nDCG", "statDCG@2"], "cheap", way="as truth").values
        for each in (high, top)
    ]
    np.testing.assert_array_equal(*of)


def test_filled_when_the_expensive_judge_found_nothing_relevant_then_the_cheap_one_is_not_asked():
    built = collection({"t": {"a": 0, "b": 1}}, {"run": {"t": ["a", "b"]}}).with_judgments(
        "cheap", {"t": {"a": 1, "b": 1}}
    )
    assert irmeval.estimate_with(built, "P@1", "cheap", way="filled").values.item() == 0
    assert (
        irmeval.estimate_with(built, "P@1", "cheap", way="filled", grades=[-1, 1]).values.item()
        == 1
    )
