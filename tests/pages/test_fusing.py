"""Fusing one's own runs on the page of the selection; the fused run is a run like the
others.
"""

import pytest

from irmeval.collection.fusion import Fusion, fuse_runs
from tests.dashboard import dataset_of, fine, opened, texts

PAGE = "pages/data/selection.py"
RUNS = {
    "bm25": "1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n1 Q0 c 3 1 bm25\n",
    "dense": "1 Q0 c 1 9 dense\n1 Q0 a 2 5 dense\n",
    "other": "1 Q0 b 1 1 other\n",
}


@pytest.fixture
def desk(nobody_here):
    """A visitor's collection; nobody else is here."""
    return dataset_of(
        [
            ("q", b"1 0 a 1\n1 0 b 0\n1 0 c 1\n"),
            *((name, text.encode()) for name, text in RUNS.items()),
        ]
    )


def test_fuse_when_pressed_then_the_run_is_added_under_its_name_scored_and_kept(desk):
    app = fine(opened(PAGE, {"measures": ["AP"], "fuse_runs": ["bm25", "dense"]}, desk=desk))
    assert app.button(key="fuse").label == "Fuse 2 runs"
    fine(app.button(key="fuse").click().run())
    expected = fuse_runs(
        [desk.runs["bm25"], desk.runs["dense"]], Fusion(), name="rrf-of-bm25+dense"
    )
    made = desk.runs["rrf-of-bm25+dense"]
    assert (made.documents, made.score.tolist(), made.tags) == (
        expected.documents,
        expected.score.tolist(),
        expected.tags,
    )
    assert app.success[0].value.startswith("rrf-of-bm25+dense is now one of your runs")
    assert app.dataframe[0].value.set_index("run")["AP"]["rrf-of-bm25+dense"] == 1.0
    assert "rrf-of-bm25+dense" in desk.stored("mine").runs
    assert not fine(app.run()).success
    assert app.text_input(key="selection.fuse_name").placeholder == "rrf-of-bm25+dense-2"


@pytest.mark.parametrize(
    ("runs", "name", "why"),
    [
        (["bm25"], "", "Tick or list at least two runs."),
        (["bm25", "dense"], "other", "A run other exists already."),
        (["bm25", "dense"], "a b", "Names cannot contain blanks or slashes."),
    ],
)
def test_fuse_when_it_cannot_be_then_the_button_says_why(desk, runs, name, why):
    app = fine(opened(PAGE, {"measures": ["AP"], "fuse_runs": runs}, desk=desk))
    app.text_input(key="selection.fuse_name").set_value(name).run()
    assert app.button(key="fuse").disabled
    assert app.button(key="fuse").help == why


def test_fuse_when_scores_cannot_be_summed_then_says_so_and_adds_nothing(desk):
    desk.add([("endless", b"1 Q0 a 1 inf endless\n1 Q0 b 2 1 endless\n")])
    app = fine(
        opened(
            PAGE,
            {"measures": ["AP"], "fuse_runs": ["bm25", "endless"], "fuse_method": "combsum"},
            desk=desk,
        )
    )
    app.button(key="fuse").click().run()
    assert "endless: expected finite scores" in app.error[0].value
    assert len(desk.runs) == 4


def test_fuse_when_the_runs_are_not_ones_own_then_says_where_it_can_be_done():
    assert "To fuse runs, load your own on" in texts(fine(opened(PAGE, {})))
