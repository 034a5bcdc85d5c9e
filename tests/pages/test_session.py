"""A visitor's choices stay until they change them, and no choice makes the page
unusable where data are changed.
"""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.core.errors import ReadError
from irmeval.ui.state import keys, server_files, visitors
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.widgets import session
from tests.dashboard import dashboard, dataset_of, fine, opened, texts

COLLECTION = "pages/data/collection.py"
SELECTION = "pages/data/selection.py"
TEAMS = b"run,team\naurora1,north\naurora2,north\nlumen,south\n"


@pytest.fixture
def app() -> AppTest:
    return dashboard(measures=["AP"])


def teams(app: AppTest) -> set[str]:
    """The teams in the table of runs."""
    return set(app.dataframe[0].value["team"])


def take_teams(app: AppTest, data: bytes = TEAMS) -> AppTest:
    app.switch_page(SELECTION).run()
    return app.file_uploader[0].set_value(("teams.csv", data, "text/csv")).run()


def test_selection_when_it_fits_nothing_then_title_stays_and_collection_and_what_to_do_are_said():
    app = dashboard()
    app.query_params["topics_only"] = "1-5"
    app.switch_page("pages/runs/leaderboard.py").run()
    assert app.title[0].value == "Who is best, by which measure?"
    assert "**Sample collection** has 30 runs and 50 topics." in texts(app)
    assert "Change *Settings* in the sidebar, or use all." in texts(app)


def test_teams_when_other_pages_are_opened_in_between_then_are_still_in_use(app):
    take_teams(app)
    assert {"north", "south"} <= teams(fine(app))
    app.switch_page(COLLECTION).run()
    fine(app.switch_page(SELECTION).run())
    assert {"north", "south"} <= teams(app)
    assert "teams.csv" in texts(app)


def test_teams_when_put_away_then_the_rule_tells_them_again(app):
    before = teams(fine(app.switch_page(SELECTION).run()))
    take_teams(app)
    fine(app.button(key="forget_teams").click().run())
    assert teams(app) == before
    assert not [one for one in app.button if one.key == "forget_teams"]


def test_teams_when_the_next_file_is_bad_then_it_is_said_and_the_ones_before_stay(app):
    take_teams(app)
    for data, says in (
        (b"system,group\na,b\n", "expected the header run,team"),
        (b"run,team\n", "expected a run and its team"),
    ):
        app.file_uploader[0].set_value(("teams.csv", data, "text/csv")).run()
        assert says in app.error[0].value
        assert {"north", "south"} <= teams(app)


@pytest.mark.parametrize(
    "rules",
    [
        {"topics_only": "1-3"},
        {"topics_only": "nowhere"},
        {"least": 100.0, "complete": "every", "topics_only": "nowhere"},
        {"best_by": "P(rel=9)@10", "top_runs": 3},
        {"best_by": "P(rel=9)", "top_runs": 3},
        {"best_by": "zzz"},
    ],
)
def test_collection_when_the_selection_does_not_fit_then_takes_files_says_why_and_offers_all(rules):
    app = dashboard()
    for name, value in rules.items():
        app.query_params[name] = str(value)
    app.switch_page(COLLECTION).run()
    assert not app.exception
    assert len(app.main.file_uploader) == 1
    assert len(app.error) == 1
    fine(app.button(key="select_all").click().run())
    assert "30 runs" in texts(app)


def test_collection_when_files_are_dropped_that_the_selection_does_not_fit_then_the_uploader_stays(
    app,
):
    app.switch_page(COLLECTION).run()
    fine(app.sidebar.text_input(key="topics_only").set_value("901-905").run())
    app.file_uploader[0].set_value(
        [("q", b"1 0 a 1\n", "text/plain"), ("r", b"1 Q0 a 1 1 t\n", "text/plain")]
    ).run()
    assert not app.exception
    assert "expected a range with judged topics" in app.error[0].value
    assert len(app.main.file_uploader) == 1


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("lab", "How does a measure"),
        ("top-heaviness", "halves the worth of rank 1"),
        ("catalogue", "Tick rows to see"),
    ],
)
def test_page_when_it_needs_no_collection_then_no_selection_stops_it(page, says):
    app = opened(
        f"pages/learn/{page}.py",
        {"topics_only": "nowhere", "least": "high", f"{page}.view": "Method"},
    )
    assert says in texts(fine(app))


def test_page_when_it_needs_no_collection_then_the_servers_files_do_not_stop_it(
    tmp_path, monkeypatch
):
    for name in ("qrels.txt", "run.txt"):
        (tmp_path / name).write_text("nothing\n")
    monkeypatch.setattr(
        "sys.argv",
        ["app.py", "--qrels", str(tmp_path / "qrels.txt"), "--runs", str(tmp_path / "run.txt")],
    )
    app = opened("pages/learn/top-heaviness.py", {"top-heaviness.view": "Method"})
    assert "halves the worth of rank 1" in texts(fine(app))


def test_paper_when_the_selection_does_not_fit_then_stands_and_offers_to_take_all(tiny):
    desk = dataset_of([(path.name, path.read_bytes()) for path in (tiny[0], *tiny[1].iterdir())])
    app = dashboard(desk, measures=["AP"])
    app.query_params["topics_only"] = "nowhere"
    app.run().switch_page("pages/papers/paper.py").run()
    assert not app.exception
    assert "Is RankEff" in texts(app)
    assert "expected judged topics" in app.error[0].value
    app.button(key="select_all").click().run()
    assert fine(app).dataframe


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--qrels", "q"], "expected both --qrels FILE and --runs FOLDER, found one of them"),
        (["--qrels", "q", "--runs", "a", "b"], "expected --runs before each folder, found b"),
    ],
)
def test_servers_files_when_the_command_line_lacks_one_then_says_so(monkeypatch, words, told):
    monkeypatch.setattr("sys.argv", ["app.py", *words])
    with pytest.raises(ReadError, match=told):
        server_files.named_files()


def test_servers_files_when_several_are_named_then_all_are_read_and_other_words_are_no_matter(
    monkeypatch,
):
    monkeypatch.setattr(
        "sys.argv",
        [
            "app.py",
            "--qrels",
            "q",
            "--runs",
            "a",
            "--runs",
            "b",
            "--qrels-format",
            "prels",
            "--run-format",
            "ranks",
        ],
    )
    assert server_files.named_files() == (
        Path("q"),
        (Path("a"), Path("b")),
        False,
        ("prels", "ranks"),
    )
    monkeypatch.setattr("sys.argv", ["pytest", "-q", "-n", "2", "tests"])
    assert server_files.named_files() == (None, (), False, ("auto", "auto"))


def test_sidebar_when_drawn_then_shows_data_measures_and_runs_and_the_rest_is_one_entry():
    app = fine(dashboard(measures=["AP"]).run())
    assert [expander.label for expander in app.sidebar.expander] == ["Show, highlight or pin"]
    popovers = [block for block in app.sidebar if block.type == "popover"]
    assert [block.proto.popover.label for block in popovers] == ["Settings"]
    assert "policy papers · all runs and topics" in [
        caption.value for caption in app.sidebar.caption
    ]


def test_parts_when_two_modules_use_the_same_name_then_each_has_its_own():
    def one() -> int:
        return 1

    def two() -> int:
        return 2

    two.__module__ = "another"
    assert [made_once("part", (), make) for make in (one, two, one)] == [1, 2, 1]


@pytest.mark.parametrize("page", ["data/check", "data/selection", "runs/leaderboard"])
def test_press_when_nothing_changes_then_the_visitor_and_the_data_are_asked_for_once(
    page, monkeypatch
):
    app = opened(f"pages/{page}.py").run()
    asked: list[str] = []

    def count(of: object, name: str) -> None:
        do = getattr(of, name)
        monkeypatch.setattr(
            of, name, lambda *given, **more: asked.append(name) or do(*given, **more)
        )

    count(visitors, "sent_cookie")
    count(session, "dataset")
    count(server_files, "shared_collection")
    count(session.cache, "selected")
    fine(app.run())
    assert {name: asked.count(name) for name in asked if name != "selected"} == {
        "sent_cookie": 1,
        "dataset": 1,
        "shared_collection": 1,
    }
    assert asked.count("selected") <= 2  # on all topics too, where runs are chosen


def test_reset_when_the_browser_sends_what_it_showed_before_then_nothing_is_done_for_it():
    dataset = dataset_of([("qrels.txt", b"1 0 a 1\n"), ("one", b"1 Q0 a 1 1.0 one\n")])
    app = fine(dashboard(dataset).switch_page(COLLECTION).run())
    app.selectbox(key=keys.COLLECTION).set_value("")
    fine(app.button(key="forget").click().run())  # whose callback comes before the list's
    assert "Sample collection" in texts(app)
