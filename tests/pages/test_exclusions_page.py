"""Excluded documents on the dashboard: a switch and a list under *Policy*, counted
below every result.
"""

import pytest

from irmeval import read_collection
from irmeval.reading.policy import Policy
from irmeval.ui.state.dataset import Dataset
from tests.dashboard import dashboard, dataset_of, fine, opened, texts
from tests.unit.reading.test_exclusions import OTHER, PASSAGES, QRELS, RUN

SAID = "2 own documents, 2 excluded documents and 2 excluded judgments left out."


def desk_of(**files: str) -> Dataset:
    return dataset_of([(name, text.encode()) for name, text in files.items()])


def test_policy_when_documents_are_excluded_then_counts_them_and_keeps_them_in_no_address():
    app = fine(
        dashboard(desk_of(q=QRELS, t=RUN, u=OTHER), measures=["AP"])
        .switch_page("pages/runs/leaderboard.py")
        .run()
    )
    app.sidebar.toggle(key="exclude_own").set_value(True).run()
    assert "2 own documents left out." in texts(fine(app))
    app.sidebar.file_uploader[0].set_value(("x.txt", b"q2 c\nq1 b\n", "text/plain")).run()
    assert SAID in texts(fine(app))
    assert app.session_state["redraw"].policy == Policy(exclude_own=True, exclude="q1\tb\nq2\tc")
    assert "exclude" not in app.query_params
    app.sidebar.button(key="exclude_none").click().run()
    assert fine(app).session_state["redraw"].policy == Policy(exclude_own=True)


def test_list_when_it_cannot_be_read_then_says_so_and_excludes_nothing():
    app = (
        dashboard(desk_of(q=QRELS, t=RUN, u=OTHER), measures=["AP"])
        .switch_page("pages/runs/leaderboard.py")
        .run()
    )
    app.sidebar.file_uploader[0].set_value(("x.txt", b"q2 c\nq1\n", "text/plain")).run()
    assert "expected a topic and a document" in app.error[0].value
    assert app.session_state["redraw"].policy == Policy()


@pytest.mark.parametrize(
    "policy",
    [
        Policy(exclude_own=True),
        Policy(exclude="q1\tb\nq2\tc"),
        Policy(repeated="best"),
        Policy(repeated="first"),
    ],
)
def test_desk_when_the_policy_changes_then_collections_are_those_of_files(tmp_path, policy):
    texts = {"q": QRELS + "1 0 a 1\n", "t": RUN, "u": OTHER} | (
        {"p": PASSAGES} if policy.repeated != "refuse" else {}
    )
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    desk = desk_of(**texts)
    for each in (Policy(repeated=policy.repeated), policy):
        found = desk.collection(each)
        made = read_collection(
            tmp_path / "q", [tmp_path / name for name in texts if name != "q"], **vars(each)
        )
        assert found.fingerprint == made.fingerprint


@pytest.mark.parametrize(("text", "excludes"), [("true", True), ("false", False), ("maybe", False)])
def test_link_when_it_excludes_own_documents_then_so_does_the_page(text, excludes):
    app = opened(
        "pages/data/collection.py",
        {"exclude_own": text, "exclude": "/etc/passwd"},
        desk=desk_of(q=QRELS, t=RUN, u=OTHER),
    )
    assert app.session_state["redraw"].policy == Policy(exclude_own=excludes)
    assert any("expected True or False" in warning.value for warning in app.warning) == (
        text == "maybe"
    )
