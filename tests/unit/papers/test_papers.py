"""The source papers: what they name, which runs and topics they take, and what they
found.
"""

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from irmeval import Collection, ParamError, measure, read_collection
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS
from irmeval.papers.base import (
    comparable_topics,
    describe_left_out,
    gains_of,
    inputs_of,
    items,
    lowest_grade,
    measures_of,
    remake,
)
from irmeval.papers.exhibits import Overrides, choose_runs
from irmeval.papers.findings import DIRECTION, Finding, answers
from irmeval.papers.sakai_kando_2008 import RBP
from irmeval.papers.statistics import AT_RATE, PLAIN
from irmeval.report.paper_folder import combine_verdicts, describe_finding, describe_verdicts, write
from irmeval.scoring.selection import Selection, select
from irmeval.stats.swap_rates import swap
from tests.cases import SAMPLE, drawn, read_once
from tests.watched import made

pytestmark = pytest.mark.usefixtures("files_read_once")


@pytest.fixture(scope="module")
def some():
    return select(read_once(*SAMPLE), Selection(topics_only="901-920", random_runs=6)).collection


def test_papers_when_one_was_imported_before_the_others_then_their_order_is_the_same():
    asked = "import irmeval.papers.sakai_kando_2008, irmeval.papers; print(*irmeval.papers.PAPERS)"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert told.stdout.split() == sorted(PAPERS)


def test_labels_when_taken_apart_then_tables_and_figures_of_a_paper_are_made_or_named_as_not_made():
    last = {
        "sakai-kando-2008": (7, 8),
        "bompada-2007": (5, 3),
        "sakai-2007-reliability": (14, 9),
        "sakai-2007-bpref": (3, 3),
        "ahlgren-gronqvist-2008": (8, 8),
    }
    for name, (tables, figures) in last.items():
        paper = PAPERS[name]
        made = {item for exhibit in paper.exhibits for item in items(exhibit.label)}
        asked = {f"Table {n}" for n in range(1, tables + 1)} | {
            f"Fig. {n}" for n in range(1, figures + 1)
        }
        assert not made & paper.not_made.keys()
        assert (
            made - {"relaxed", "Appendix", "Section 4", "Section 5", "ideal lists"}
            | paper.not_made.keys()
            == asked
        ), name
        for exhibit in paper.exhibits:
            for layout in exhibit.layouts:
                assert set(items(layout.label)) - {"required", "per topic"} <= set(
                    items(exhibit.label)
                )
            labels = [layout.label for layout in exhibit.layouts]
            assert len(set(labels)) == len(labels)
        laid_out = {
            item
            for exhibit in paper.exhibits
            for layout in exhibit.layouts
            for item in items(layout.label)
        }
        assert {item for item in made if item.startswith("Table")} <= laid_out


def test_labels_when_listed_then_each_stands_once_in_its_paper():
    for paper in PAPERS.values():
        labels = [exhibit.label for exhibit in paper.exhibits]
        assert len(set(labels)) == len(labels), paper.name


def test_measures_when_the_collection_has_one_grade_then_rigid_ones_are_left_out(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n")
    collection = read_collection(tmp_path / "q", tmp_path / "r")
    paper = PAPERS["sakai-2007-reliability"]
    assert not any(m.params["rel"] == 2 for m in measures_of(paper, paper.exhibits[0], collection))
    with pytest.raises(ParamError):  # one run has nothing to be compared with
        remake(paper, paper.exhibits[1], collection)


@pytest.fixture(scope="module")
def lopsided():
    """Three of ten topics have no document above the lowest grade."""
    judgments, scores = drawn(5, topics=10, runs=5, top=2)
    for topic in list(judgments)[:3]:
        judgments[topic] = {document: min(grade, 1) for document, grade in judgments[topic].items()}
    return Collection.from_dicts(judgments, scores)


def test_exhibits_when_rigid_metrics_lack_topics_then_all_that_is_compared_with_them_lacks_them_too(
    lopsided,
):
    paper = PAPERS["sakai-2007-reliability"]
    topics = {
        exhibit.label: len(comparable_topics(paper, exhibit, lopsided).topics)
        for exhibit in paper.exhibits
    }
    relaxed = {label for label, count in topics.items() if count == 10}
    assert relaxed == {"Table 1", "Figs. 1-6", "Tables 2-4, relaxed", "Tables 5-11, relaxed"}
    assert set(topics.values()) == {7, 10}
    graded = next(exhibit for exhibit in paper.exhibits if exhibit.label == "Figs. 2, 4, 6")
    result = remake(paper, graded, lopsided)
    assert len(result.scores.topics) == 7
    assert describe_left_out(comparable_topics(paper, graded, lopsided), lopsided).startswith(
        "On 7 of 10 topics"
    )
    rules = Selection(has_grade=lowest_grade(paper, graded, lopsided))
    assert select(lopsided, rules).collection.topics == result.scores.topics
    zero = Collection.from_dicts(
        {"1": {"a": 1}, "2": {"a": 2}}, {"r": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, empty="zero"
    )
    assert lowest_grade(paper, graded, zero) == 0  # each topic has a score, if only 0


def test_files_when_topics_are_left_out_then_page_and_manifest_say_how_many(lopsided, tmp_path):
    paper = PAPERS["sakai-2007-reliability"]
    alone = tuple(exhibit for exhibit in paper.exhibits if exhibit.label == "Tables 2-4")
    write(replace(paper, exhibits=alone), lopsided, tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert {one["label"]: one["topics"] for one in manifest["exhibits"]}["Tables 2-4"] == 7
    assert "On 7 of 10 topics" in (tmp_path / "index.html").read_text()


def test_trials_when_asked_for_then_pairs_of_topic_sets_stay_as_in_the_paper():
    paper = PAPERS["ahlgren-gronqvist-2008"]
    params = {
        exhibit.label: inputs_of(paper, exhibit, read_once(*SAMPLE), decided={"trials": 3})[1]
        for exhibit in paper.exhibits
    }
    assert (params["Tables 5-7"].trials, params["Figs. 5-8"].trials) == (1000, 3)


def test_exhibit_when_the_data_cannot_follow_then_it_says_in_a_line_what_was_done(some, lopsided):
    bpref, both = PAPERS["sakai-2007-bpref"], PAPERS["sakai-kando-2008"]
    assert (
        choose_runs(bpref, None, some, Overrides()).instead
        == "All 6 runs, where the paper took the best 30."
    )
    teams = dict.fromkeys(some.runs, "one")
    alone = choose_runs(both, both.exhibits[3], some, Overrides(), teams)
    assert alone.collection.runs == some.runs
    assert alone.instead == "6 runs as they are: the paper's selection leaves one run."
    exhibit = bpref.exhibits[2]
    assert gains_of(bpref, exhibit, lopsided) == (
        "",
        "Gains are the grades, 1 to 2: the paper's are for 3 levels.",
    )
    assert gains_of(both, both.exhibits[-1], lopsided) == ("trec", "")
    assert comparable_topics(both, both.exhibits[-1], lopsided).policy.gains == "trec"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {},
            (
                "Margin over samples of the judgments, on these topics, interval of 90%: -0.1 to"
                " +0.3; it holds in 7 of 10 samples"
            ),
        ),
        (
            {"interval": "topics"},
            "Margin over topics, from halves of them that count more, interval of 90%",
        ),
        ({"low": np.nan}, "unknown, as too many are undefined"),
        ({"interval": "one sample", "samples": ""}, "One sample of the judgments"),
        ({"interval": "few topics", "samples": ""}, "Too few topics"),
        ({"interval": "counted", "samples": ""}, "Counted in this collection"),
        ({"interval": "definition", "samples": ""}, "It follows from definitions"),
        (
            {"interval": "", "here": "no value: the runs do not differ"},
            "Here: no value: the runs do not differ",
        ),
    ],
)
def test_finding_when_told_in_words_then_it_says_what_its_margin_is_over_or_why_there_is_none(
    change, said
):
    row = {
        "paper": "sakai-2007-bpref",
        "finding": "At 10% AP keeps the order of the runs worst",
        "exhibit": "Fig. 1",
        "published": "",
        "statistic": "tau",
        "here": "0.5 (Q), 0.4 (AP)",
        "verdict": "undecided",
    }
    row |= {
        "margin": 0.1,
        "low": -0.1,
        "high": 0.3,
        "interval": "trials",
        "samples": "7 of 10 samples",
        "why": "",
    }
    lines = describe_finding(row | change)
    assert said in " ".join(lines)
    ahead = [line for line in lines if line.startswith("Higher in the paper: AP', Q, ")]
    assert bool(ahead) == (change.get("interval") != "")


OPEN = "the 90% interval of its margin includes 0"


def told(*rows):
    """A table of findings: interval, verdict, p of each."""
    return pd.DataFrame(
        [
            {"interval": interval, "verdict": verdict, "p": p, "why": OPEN if p > 0.1 else ""}
            for interval, verdict, p in rows
        ]
    )


def test_verdicts_when_described_then_those_that_cannot_fail_are_apart_and_false_ones_counted():
    found = told(
        *[("definition", "holds", np.nan)] * 2,
        ("counted", "holds", np.nan),
        *[("topics", "holds", 0.001)] * 30,
        *[("trials", "does not", 0.09)] * 10,
        *[("topics", "undecided", 0.5)] * 20,
        ("one sample", "undecided", np.nan),
        ("", "undecided", np.nan),
    )
    assert (
        describe_verdicts(found, "each")
        == "2 of 65 findings follow from definitions, on made-up lists, and cannot fail. 1 is"
        " counted in the collection. 60 are estimates with an interval; 40 of these are decided."
        " Each verdict is separate, by a 90% interval: up to 5% of the 60 (3) are expected to be"
        " false."
    )
    assert combine_verdicts(found, "each") is found
    together = combine_verdicts(found, "together")  # .09 times 60 / 40 is more than .1
    assert together["verdict"].value_counts().to_dict() == {"holds": 33, "undecided": 32}
    assert (
        "30 of these are decided. These verdicts hold together (Benjamini & Hochberg 1995): at most"
        " 10% of them (3) are" in describe_verdicts(together, "together")
    )
    assert describe_verdicts(told(("one sample", "undecided", np.nan)), "each") == ""


FINDINGS = [(paper, claim) for paper in PAPERS.values() for claim in paper.findings]


@pytest.mark.parametrize(
    ("paper", "claim"), FINDINGS, ids=[f"{p.name} {claim}" for p, claim in FINDINGS]
)
def test_finding_when_held_against_its_exhibit_then_measures_rates_and_statistic_are_there(
    some, paper, claim
):
    finding = paper.findings[claim]
    exhibit = next(exhibit for exhibit in paper.exhibits if exhibit.label == finding.exhibit)
    assert {str(measure(name)) for name in finding.measures} <= {
        *measures_of(paper, exhibit, some),
        *map(measure, RBP),
    }
    assert finding.these != finding.those
    assert re.fullmatch(r"in words, Section \d(\.\d)*(; .*)?|(?!in words).+", finding.published)
    if isinstance(finding.these, tuple) and isinstance(finding.those, tuple):
        assert not set(finding.these) & set(finding.those)
    if finding.statistic not in PLAIN:
        name, _, rate = re.fullmatch(r"(.*?)(?: (at|below) (\d+)%)?", finding.statistic).groups()
        assert name in AT_RATE
        assert rate is None or float(rate) in inputs_of(paper, exhibit, some)[1].levels


FINDING = Finding("Fig. 1", "", "tau at 10%", ("Q",), ("AP",), "Fig. 1")


def over_samples(*tau, rates=(100.0, 10.0)):
    """A result whose runs, four, keep their order by AP and by Q at 10% as well as they
    are said to [measure, sample].
    """
    kept = {
        1: [3, 2, 1, 0],
        0.8: [3, 2, 0, 1],
        0.5: [3, 0, 1, 2],
        0.0: [0, 3, 2, 1],
        -1: [0, 1, 2, 3],
    }
    full = np.array([kept[1]] * len(tau), float)
    means = np.array([[[kept[1]] * len(row), [kept[t] for t in row]] for row in tau], float)
    return replace(made(means, full, levels=rates), measures=tuple(map(measure, ("AP", "Q"))))


def test_answers_when_the_margin_has_one_sign_over_samples_then_holds_or_not_else_cannot_be_told():
    def told(*tau, finding=FINDING, **more):
        [here] = answers([finding], over_samples(*tau, **more))
        return here

    here = told([0.0, -1, 0.0], [1, 1, 0.8])
    assert (here.verdict, here.interval, here.samples) == ("holds", "trials", "3 of 3 samples")
    assert 0 < here.low < here.margin < here.high
    other = told([1, 1, 0.8], [0.0, -1, 0.0])
    assert (other.verdict, other.margin) == ("does not", pytest.approx(-here.margin))
    mixed = told([0.0, 1, 0.0], [1, -1, 0.8])
    assert (mixed.verdict, mixed.samples) == ("undecided", "2 of 3 samples")
    assert mixed.low <= 0 < mixed.high
    same = told([1, 1], [1, 1])  # no more is not more
    assert (same.verdict, same.low, same.high) == ("does not", 0, 0)
    alone = told([0.0], [1])
    assert (alone.verdict, alone.interval, alone.samples) == (DIRECTION, "one sample", "")
    assert np.isnan(alone.low)
    assert answers([FINDING], None)[0].verdict == "undecided"


def test_answers_when_nothing_is_sampled_then_topics_are_and_what_some_decide_cannot_be_told():
    rng = np.random.default_rng(1)
    good = rng.random((6, 30))
    scores = np.stack([good, good, good])
    # the order of AP, made sure; the third has that of noise
    scores[1] += np.linspace(0, 1.2, 6)[:, None]
    result = EXPERIMENTS["swap"](
        read_once(*SAMPLE), ["AP", "Q", "RR"], EXPERIMENTS["swap"].params(trials=30)
    )
    held = result.scores._replace(
        values=scores, runs=result.scores.runs[:6], topics=result.scores.topics[:30]
    )
    result = replace(result, scores=held, size=15, rates=swap(scores, trials=30))
    finding = FINDING._replace(statistic="sensitivity")
    surely, hardly = answers([finding, finding._replace(these=("AP",), those=("RR",))], result)
    assert (surely.verdict, surely.interval, surely.samples) == ("holds", "topics", "4 of 4 halves")
    assert surely.low < surely.margin < surely.high
    assert hardly.margin == hardly.low == hardly.high == 0
    assert answers([finding], result)[0] == surely  # the same topics again
