"""What a collection holds, in tables and sentences."""

import pytest

from irmeval import evaluate, read_collection
from irmeval.experiments.data.contents import contents
from irmeval.report import overview


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


def test_remarks_when_topics_have_nothing_relevant_then_say_what_the_other_choice_does_to_means(tiny):
    left_out, counted = (read_collection(*tiny, empty=empty) for empty in ("undefined", "zero"))
    ratio = evaluate(counted, ["AP"]).means[0, 0] / evaluate(left_out, ["AP"]).means[0, 0]
    assert ratio == pytest.approx(0.75)
    assert "every mean is 0.75 times" in overview.remarks(left_out)[0]
    assert "every mean is 1.333 times" in overview.remarks(counted)[0]


def test_remarks_when_the_collection_is_odd_then_each_oddity_has_a_sentence(tiny):
    found = overview.remarks(read_collection(*tiny))
    assert [line.split(" ")[0] for line in found] == ["1", "1", "1", "1"]
    assert "negative grade" in found[1]
    assert found[2].endswith("score is 0: short.")
    assert found[3].endswith("left out: example.")


def test_contents_when_teams_are_told_then_the_sentence_counts_them(tiny):
    collection = read_collection(*tiny)
    assert contents(collection).headline() == "4 topics, 3 runs of 3 teams, 14 judgments, of which 42.9% are relevant."
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
