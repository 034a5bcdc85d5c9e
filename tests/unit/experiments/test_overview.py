"""What a collection holds, in tables and sentences."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval import evaluate, measure, read_collection
from irmeval.collection.caveats import describe_sample, remarks_on_sample
from irmeval.core.errors import UnknownName
from irmeval.experiments.data.collection import contents
from irmeval.plots.colors import GREY, faint
from irmeval.reading.design import Design
from irmeval.report import overview
from tests.cases import collection as make
from tests.cases import in_strata


def test_overview_when_counted_then_totals_and_spreads_are_those_of_the_qrels(tiny):
    table = contents(read_collection(*tiny)).frame().set_index("documents")
    assert table.loc["judged"].tolist() == [14, 3.5, 2, 7]
    assert table.loc["grade 1"].tolist() == [3, 0.75, 0, 2]
    assert table.loc["grade -1"].tolist() == [1, 0.25, 0, 1]


def test_runs_when_counted_then_documents_topics_and_judged_share_are_right(tiny):
    table = contents(read_collection(*tiny)).runs().set_index("run")
    assert table["documents"].to_dict() == {"example": 15, "short": 5, "ideal": 14}
    assert table["topics missing"].to_dict() == {"example": 0, "short": 2, "ideal": 0}
    assert table["topics unknown"].to_dict() == {"example": 1, "short": 0, "ideal": 0}
    assert table.loc["short", "judged"] == pytest.approx(4 / 5)


def test_remarks_when_topics_have_nothing_relevant_then_say_what_the_other_choice_does_to_means(
    tiny,
):
    left_out, counted = (read_collection(*tiny, empty=empty) for empty in ("undefined", "zero"))
    ratio = evaluate(counted, ["AP"]).means[0, 0] / evaluate(left_out, ["AP"]).means[0, 0]
    assert ratio == pytest.approx(0.75)
    assert "every mean is 0.75 times" in overview.remarks(left_out)[0]
    assert "every mean is 1.333 times" in overview.remarks(counted)[0]


def test_remark_when_no_topic_has_a_relevant_document_then_says_that_there_is_no_mean():
    said = overview.remarks(make({"1": {"a": 0}, "2": {"a": 0}}, {"x": {"1": "a", "2": "a"}}))
    assert said[0].endswith("1, 2. They have no score, so no run has a mean.")


def test_remarks_when_the_collection_is_odd_then_each_oddity_has_a_sentence(tiny):
    found = overview.remarks(read_collection(*tiny))
    assert [line.split(" ")[0] for line in found] == ["1", "1", "short", "1"]
    assert "negative grade" in found[1]
    assert found[2] == "short lacks 1 of 3 topics, scored 0 there."
    assert found[3].endswith("left out: example.")


def test_contents_when_teams_are_told_then_the_sentence_counts_them(tiny):
    collection = read_collection(*tiny)
    assert (
        contents(collection).headline()
        == "4 topics, 3 runs of 3 teams and 14 judgments (42.9% relevant)."
    )
    counts = contents(collection).counts().set_index("of")["number"]
    assert counts.to_dict() == {
        "topics": 4,
        "runs": 3,
        "teams": 3,
        "judged documents": 14,
        "relevant documents": 6,
        "topics with R <= N": 3,
    }
    assert "3 runs of 2 teams" in contents(collection, team={"short": "x", "ideal": "x"}).headline()


def test_table_when_other_files_would_have_it_then_is_said_to_be_lacking_here(tiny):
    with pytest.raises(UnknownName) as error:
        contents(read_collection(*tiny)).to_frame("provenance")
    assert str(error.value) == (
        "this result has no table 'provenance'; known: judgments, runs, counts."
    )


@pytest.mark.parametrize(
    ("grades", "grey"),
    [
        ((1,), []),
        ((2, 1), []),
        ((0,), ["grade 0"]),
        ((1, 0), ["grade 0"]),
        ((3, 2, 1, 0), ["grade 0"]),
    ],
)
def test_chart_when_grades_are_of_either_kind_then_nonrelevant_ones_alone_are_grey(grades, grey):
    qrels = {"1": {f"d{grade}": grade for grade in grades}}
    (chart,) = contents(make(qrels, {"x": {"1": "d0"}})).charts()
    bars = chart.draw().data
    assert len({bar.marker.color for bar in bars}) == len(grades)
    assert [bar.name for bar in bars if bar.marker.color == faint(GREY, 0.6)] == grey


QRELS = {"1": {"x1": 1, "x2": 0, "y1": 1, "y2": -1, "y3": -1}, "2": {"x3": 1, "y4": -1}}


def sample():
    """Strata x and y; of y nothing was drawn in topic 2."""
    return in_strata(make(QRELS, {"run": {"1": ["x1"]}}), lambda document: document[0])


def test_strata_when_counted_then_each_has_its_pool_its_draw_and_its_estimate():
    table = contents(sample()).strata().set_index("stratum")
    assert table.loc["x"].tolist() == [2, 3, 3, 2, 1, 1, 2]
    assert table.loc["y"].tolist() == pytest.approx([2, 4, 1, 1, 0, 1 / 3, 3])
    assert "strata" in [table.name for table in contents(sample()).tables()]


def test_strata_when_probabilities_are_stated_then_the_pool_is_estimated():
    built = make({"1": {"a": 1, "b": 0, "c": 1}}, {"run": {"1": ["a"]}})
    design = replace(Design.plain(built.topic, 1), stated=np.array([0.5, 0.25, 1.0]))
    row = contents(replace(built, design=design)).strata().iloc[0]
    assert row.tolist() == ["0", 1, 7, 3, 2, 0.25, 1, 3]
    assert (
        describe_sample(replace(built, design=design))
        == "Judgments are a sample: 3 documents drawn, with inclusion probabilities from 0.25 to 1."
    )


def test_contents_when_there_is_no_sample_then_say_nothing_of_one(tiny):
    collection = read_collection(*tiny)
    assert "strata" not in [table.name for table in contents(collection).tables()]
    assert remarks_on_sample(collection) == []


def test_sample_when_told_then_its_size_and_strata_without_a_draw_are_said():
    told = remarks_on_sample(sample())
    assert told == [
        "Judgments are a sample: 4 of 7 pooled documents drawn.",
        "1 stratum without a drawn document, assumed to contain nothing relevant: y of topic 2.",
    ]
    assert overview.remarks(sample())[:1] == told[1:]  # its size is on every page already
    assert not any("negative" in remark for remark in overview.remarks(sample()))
    assert (
        contents(sample())
        .headline()
        .startswith("2 topics, 1 run of 1 team and 4 judgments drawn from 7 (75.0% relevant)")
    )


def test_bias_when_measures_are_raw_then_says_its_direction_and_what_estimates():
    told = overview.describe_bias(
        sample(), [measure(m) for m in ("AP", "P@10", "P@10'", "Bpref", "Judged@10", "xinfAP")]
    )
    assert told.startswith(
        "On it AP, P@10', Bpref may be far off, too low or too high; P@10 can only be too low. To"
        " estimate: xinfAP, "
    )
    assert overview.describe_bias(sample(), [measure("xinfAP"), measure("Judged@10")]) == ""


def test_bias_when_documents_were_drawn_unequally_then_only_what_accounts_for_that_is_advised():
    stated = replace(
        sample(), design=replace(sample().design, stated=np.full(sample().grade.size, 0.5))
    )
    assert "inf" not in overview.describe_bias(stated, [measure("AP")])
    assert "To estimate: statAP, " in overview.describe_bias(stated, [measure("AP")])


def test_raw_measures_when_less_is_drawn_then_those_said_to_be_too_low_never_rise():
    """What a note says of P, RBP and the like: no sample makes them higher."""
    rng = np.random.default_rng(3)
    qrels = {"1": {f"d{i}": int(g) for i, g in enumerate(rng.integers(0, 3, 30))}}
    built = make(qrels, {"run": {"1": [f"d{i}" for i in rng.permutation(40)]}})
    texts = ("P@10", "RBP(p=0.8)", "RR", "ERR", "Success@10", "SetP")
    assert "far off" not in overview.describe_bias(sample(), [measure(m) for m in texts])
    full = evaluate(built, texts).means
    for _ in range(20):
        grades = np.where(rng.random(30) < 0.4, built.grade, -1)
        if (grades > 0).any():
            assert (evaluate(built, texts, grades=grades).means <= full + 1e-12).all()
