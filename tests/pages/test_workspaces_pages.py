"""A visitor's collections on the pages: several by name, switched, renamed, removed and
restored; all are saved and read again.
"""

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

import irmeval
from irmeval import Workspace
from irmeval.collection import base as collection
from irmeval.core.params import fields
from irmeval.experiments.incompleteness.curves import Params
from irmeval.experiments.incompleteness.estimates import Params as OfEstimates
from irmeval.metrics import measure
from irmeval.reading.policy import Policy
from irmeval.ui.state import quotas, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import form, link, workspaces
from irmeval.workspace import stored
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines
from tests.dashboard import dashboard, dataset_of, fine, texts
from tests.pages.test_visitors import COLLECTION, COOKIE
from tests.visiting import FILES, MATRIX

OTHER = [
    ("other/qrels.txt", b"7 0 A 1\n7 0 B 0\n8 0 C 2\n"),
    ("other/mine", b"7 Q0 A 1 2 mine\n8 Q0 B 1 1 mine\n"),
]


pytestmark = pytest.mark.usefixtures("nobody_here")


def tab(cookie: str = COOKIE, **query: str) -> AppTest:
    """The page Collection in a new tab of a browser."""
    app = dashboard(cookie=cookie)
    app.query_params.update(query)
    return fine(app.switch_page(COLLECTION).run())


def drop(app: AppTest, files: list[tuple[str, bytes]]) -> AppTest:
    app.file_uploader[0].set_value(
        [(name.removeprefix("../"), data, "text/plain") for name, data in files]
    ).run()
    return fine(app)


def both() -> AppTest:
    """Two collections; the second is open."""
    first, second = Dataset(), Dataset(name="other")
    first.add(FILES)
    second.add(OTHER)
    visitor = visitors.Visitor(visitors.key_of(COOKIE), second, [first])
    visitors._here[visitor.key] = visitor
    return tab()


def opened(app: AppTest, name: str) -> AppTest:
    """The same, with another collection open."""
    visitor = visitor_of()
    key = next((desk.key for desk in visitor.datasets if desk.title == name), "")
    app.sidebar.selectbox(key="collection_open").set_value(key).run()
    return fine(app)


def visitor_of(cookie: str = COOKIE) -> visitors.Visitor:
    return visitors._here[visitors.key_of(cookie)]


def named(app: AppTest) -> str:
    return app.text_input(key=f"collection.name-{visitor_of().dataset.key}").value


def test_collections_when_two_are_dropped_then_each_is_there_by_name_with_what_was_decided_on_it():
    app = drop(drop(tab(), [("qrels.tiny.txt", FILES[0][1]), *FILES[1:]]), OTHER)
    assert app.sidebar.selectbox(key="collection_open").options == [
        "other",
        "tiny",
        "Sample collection",
    ]
    assert "1 run · 2 topics" in texts(app)
    app.sidebar.number_input(key="depth").set_value(5).run()
    opened(app, "tiny")
    assert "3 runs · 4 topics" in texts(app)
    assert app.sidebar.number_input(key="depth").value == 1000
    app.sidebar.text_input(key="topics_only").set_value("1,2").run()
    opened(app, "other")
    assert (
        app.sidebar.number_input(key="depth").value,
        app.sidebar.text_input(key="topics_only").value,
    ) == (5, "")
    opened(app, "")
    assert "30 runs" in texts(app)
    opened(app, "tiny")
    assert app.sidebar.text_input(key="topics_only").value == "1,2"
    assert "2 of 4 topics" in texts(app)
    again = fine(tab())  # another tab begins with the one that was opened last
    assert "2 of 4 topics" in texts(again)
    visitors._here = {}  # and so does a server that was started anew
    again = fine(tab())
    assert "2 of 4 topics" in texts(again)
    assert again.sidebar.selectbox(key="collection_open").options == [
        "other",
        "tiny",
        "Sample collection",
    ]
    assert "30 runs" in texts(tab("d" * 32))


def test_runs_when_dropped_alone_then_are_added_and_only_they_are_joined(monkeypatch):
    app = drop(tab(), FILES[:3])
    visitors._here = {}
    app = tab()  # nothing but the collection as it was made is left of how its runs are joined
    joined: list[str] = []
    join = stored.join_runs
    monkeypatch.setattr(
        stored,
        "join_runs",
        lambda index, runs, *how: joined.extend(r.name for r in runs) or join(index, runs, *how),
    )
    drop(app, FILES[3:])
    assert joined == [FILES[3][0]]
    assert "3 runs" in texts(app)
    assert session_collection().fingerprint == made(FILES).fingerprint


def session_collection() -> collection.Collection:
    found = visitor_of().dataset.collection(Policy())
    assert found is not None
    return found


def made(files: list[tuple[str, bytes]]) -> collection.Collection:
    desk = dataset_of(files)
    found = desk.collection(Policy())
    assert found is not None
    return found


def test_collection_when_renamed_then_is_called_so_and_no_two_are_alike():
    app = both()
    app.text_input(key=f"collection.name-{visitor_of().dataset.key}").set_value(
        "  <b>mine</b> "
    ).run()
    assert named(app) == "<b>mine</b>"
    assert "Your upload: <b>mine" not in texts(app)
    app.text_input(key=f"collection.name-{visitor_of().dataset.key}").set_value("qrels").run()
    assert named(app) == "qrels (2)"
    app.text_input(key=f"collection.name-{visitor_of().dataset.key}").set_value(" ").run()
    assert named(app) == "qrels (2)"


def test_collection_when_removed_then_another_is_open_and_it_can_be_taken_back():
    app = both()
    app.button(key="remove").click().run()
    assert "other removed." in texts(fine(app))
    assert "3 runs" in texts(app)
    app.button(key="undo").click().run()
    assert "1 run · 2 topics" in texts(fine(app))
    for _ in range(2):
        app.button(key="remove").click().run()
    assert "30 runs" in texts(fine(app))
    assert "collection_open" not in [box.key for box in app.sidebar.selectbox]


def test_runs_when_removed_then_go_and_come_back(monkeypatch):
    app = drop(tab(), FILES)
    before = session_collection().fingerprint
    monkeypatch.setattr(
        workspaces.session,
        "all_loaded",
        lambda dataset: workspaces.session.Loaded(session_collection(), ""),
    )
    monkeypatch.setattr(workspaces.visitors, "here", visitor_of)
    workspaces.remove_runs(visitor_of().dataset, ["short"])
    assert session_collection().runs == ("example", "ideal")
    assert visitor_of().removed == "1 run"
    app.run()
    assert "2 runs" in texts(fine(app))
    app.button(key="undo").click().run()
    assert session_collection().fingerprint == before


@cache
def saved() -> tuple[bytes, visitors.Visitor]:
    """What the button of the page gives, with everything that can be decided decided;
    and whose it is.
    """
    app = both()
    app.sidebar.multiselect(key="measures").set_value(["AP", "P@5"]).run()
    opened(app, "qrels")
    app.sidebar.text_input(key="topics_only").set_value("1,2")
    app.sidebar.selectbox(key="order").set_value("rank")
    app.text_area[0].set_value("*notes*").run()
    app.switch_page("pages/incompleteness/curves.py").run()
    app.number_input(key="curves.trials").set_value(3).run()
    fine(app.switch_page(COLLECTION).run())
    assert app.get("download_button")
    return workspace_of().to_bytes(), visitor_of()


def workspace_of() -> Workspace:
    visitor = visitor_of()
    return workspaces.workspace(visitor, visitor.dataset, [*map(measure, visitor.measures)])


def test_button_when_pressed_then_the_file_holds_what_was_on_the_page_though_no_visitor_is_known(
    monkeypatch,
):
    given = []
    offer = workspaces.st.download_button
    monkeypatch.setattr(
        workspaces.st,
        "download_button",
        lambda words, make, *more, **how: (
            given.append((words, make)) or offer(words, make, *more, **how)
        ),
    )
    both()
    make = [make for words, make in given if words.startswith("Save all")][-1]
    assert Workspace.parse("my", make()).names == ("other", "qrels")


def test_workspace_when_dropped_in_an_empty_profile_then_everything_is_as_it_was():
    data, before = saved()
    app = drop(tab("d" * 32), [("my.irmeval", data)])
    after = visitor_of("d" * 32)
    assert [desk.title for desk in after.datasets if desk.used] == ["other", "qrels"]
    assert app.sidebar.text_input(key="topics_only").value == "1,2"
    assert app.sidebar.selectbox(key="order").value == "rank"
    assert app.sidebar.multiselect(key="measures").value == ["AP", "P@5"]
    assert app.text_area[0].value == "*notes*"
    assert "2 of 4 topics" in texts(app)
    for one, other in zip(before.datasets, after.datasets, strict=False):
        assert one.collection(Policy()).fingerprint == other.collection(Policy()).fingerprint
        assert one.fingerprint() == other.fingerprint()
    app.switch_page("pages/incompleteness/curves.py").run()
    assert app.number_input(key="curves.trials").value == 3
    assert irmeval.Workspace.parse("again", Workspace.parse("my", data).to_bytes()).names == (
        "other",
        "qrels",
    )


def test_workspace_when_dropped_where_its_collections_are_then_they_are_not_there_twice():
    data, _ = saved()
    app = drop(tab(), [("my.irmeval", data)])
    assert app.sidebar.selectbox(key="collection_open").options == [
        "other",
        "qrels",
        "Sample collection",
    ]
    app.text_input(key=f"collection.name-{visitor_of().dataset.key}").set_value("else").run()
    drop(app, [("my.irmeval", data)])
    assert app.sidebar.selectbox(key="collection_open").options == [
        "else",
        "other",
        "qrels",
        "Sample collection",
    ]


def test_workspace_when_damaged_then_is_refused_in_words_and_all_stays():
    app = both()
    app.file_uploader[0].set_value([("my.irmeval", b"PK\x03\x04rubbish", "application/zip")]).run()
    assert not app.exception
    assert "my.irmeval" in app.error[0].value
    assert app.sidebar.selectbox(key="collection_open").options == [
        "other",
        "qrels",
        "Sample collection",
    ]


def test_workspace_when_it_holds_more_than_is_allowed_then_is_refused_with_the_limit(monkeypatch):
    data, _ = saved()
    monkeypatch.setenv(quotas.RUNS, "3")
    app = tab("d" * 32)
    app.file_uploader[0].set_value([("my.irmeval", data, "application/zip")]).run()
    assert "at most 3 runs" in app.error[0].value
    assert not visitor_of("d" * 32).dataset.used


def test_quota_when_a_visitor_has_several_collections_then_counts_all(monkeypatch):
    app = both()
    monkeypatch.setenv(quotas.RUNS, "4")
    more = [(name, run_lines(name, TINY_RUNS["ideal"]).encode()) for name in ("x", "y")]
    app.file_uploader[0].set_value(
        [
            ("q", TINY_QRELS.encode(), "text/plain"),
            *((name, data, "text/plain") for name, data in more),
        ]
    ).run()
    assert "expected at most 4 runs" in " ".join(error.value for error in app.error)
    assert sum(len(desk.runs) for desk in visitor_of().datasets) == 4


def test_link_when_it_names_any_of_the_collections_then_that_one_is_shown():
    app = both()
    first, second = (link.data_name(desk) for desk in visitor_of().datasets if desk.used)
    assert app.query_params["data"] in (second, [second]) or app.query_params["data"] in (
        first,
        [first],
    )
    for named, says in ((first, "1 run · 2 topics"), (second, "3 runs · 4 topics")):
        linked = dashboard(cookie=COOKIE)
        linked.query_params["data"] = named
        assert says in texts(fine(linked.run()))
    other = dashboard(cookie="d" * 32)
    other.query_params["data"] = first
    assert "made for other data" in texts(fine(other.run()))


@pytest.mark.parametrize("value", ["x", 10**9, None, [1], {"a": 1}, 3.0])
def test_parameter_when_no_widget_can_have_it_then_does_not_fit(value):
    declared = (fields(OfEstimates)["trials"], fields(Params)["levels"])
    assert not [field.name for field in declared if form._fits(value, field)]


def test_parameter_when_its_field_may_be_empty_then_no_value_fits():
    assert form._fits(None, fields(Params)["trials"])  # the usual number of what disappears
    assert not form._fits("x", fields(Params)["trials"])


def test_parameters_when_a_file_has_such_as_no_widget_can_have_then_the_page_has_its_own():
    found = Workspace.parse("w", saved()[0])
    params = {"curves": {"trials": 10**9, "levels": {"a": 1}, "of": [1], "watch": 3}}
    packed = Workspace(found.collections, found.open, found.measures[:1], params).to_bytes()
    app = drop(tab("d" * 32), [("w.irmeval", packed)])
    fine(app.switch_page("pages/incompleteness/curves.py").run())
    assert app.number_input(key="curves.trials").value == 10


def test_matrix_when_saved_then_is_there_again():
    drop(tab(), MATRIX)
    found = Workspace.parse("w", workspace_of().to_bytes())
    app = drop(tab("d" * 32), [("w.irmeval", found.to_bytes())])
    assert "score matrix" in texts(app)
    assert (
        visitor_of("d" * 32).dataset.matrix.fingerprint == visitor_of().dataset.matrix.fingerprint
    )


def test_measures_when_picked_then_the_visitor_begins_with_them():
    app = tab()
    app.sidebar.multiselect(key="measures").set_value(["RR", "P@5"]).run()
    visitors._here = {}
    assert tab().sidebar.multiselect(key="measures").value == ["RR", "P@5"]
    assert len(tab("d" * 32).sidebar.multiselect(key="measures").value) == len(form.MEASURES)
