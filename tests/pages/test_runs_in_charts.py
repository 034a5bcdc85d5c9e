"""Runs are shown and hidden on all pages at once: by search, by the eyes in the list,
by the address. No number depends on it.
"""

import json

import pytest

from irmeval.core.errors import ParamError
from irmeval.ui.state.run_marks import MarkedRuns
from irmeval.ui.widgets import runs_in_charts
from tests.cases import SAMPLE, read_once
from tests.dashboard import fine, opened, texts

RANKINGS, BOARD, MATRIX, CURVES = (
    f"pages/{page}.py"
    for page in ("measures/rankings", "runs/leaderboard", "runs/matrix", "incompleteness/curves")
)
SHORT = {"measures": ["AP", "P@5"]}
NAMES = ["*", "a", "b,c", 'say "x"', "d", "e"]


def press(app, *pressed):
    """Press eyes and pins in the list, as the browser tells it."""
    app.text_input(
        key=next(
            field.key for field in app.text_input if field.key.endswith(runs_in_charts.PRESSED)
        )
    ).set_value(json.dumps(pressed)).run()
    return fine(app)


def unfolded(page, values):
    """A page with the list of runs open."""
    app = opened(page, values)
    app.session_state["runs_listed"] = True
    return app.run()


def hidden(app):
    """The runs of the sample that charts leave out."""
    return app.session_state["runs"].hidden_among(read_once(*SAMPLE).runs)


@pytest.mark.parametrize("n", range(len(NAMES) + 1))
def test_marks_when_written_into_an_address_then_are_read_as_they_were(n):
    for some, others in ((NAMES[:n], NAMES[n:]), (NAMES[n:], NAMES[:n])):
        marks = MarkedRuns(
            "/a b/", frozenset(some), others[0] if others else "", tuple(others), bool(n % 2)
        )
        again = MarkedRuns()
        for text in marks.as_texts(NAMES):
            again = again.with_text(text, NAMES)
        assert again == marks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hode a",
        "hide z",
        "pin 'a",
        'pin "a',
        f"search {'a' * 201}",
        "search \ud800",
        "highlight A",
    ],
)
def test_marks_when_a_text_of_the_address_is_none_then_that_is_refused(text):
    with pytest.raises(ParamError):
        MarkedRuns().with_text(text, NAMES)


def test_search_when_it_is_a_text_or_an_expression_then_every_page_shows_these_and_says_so():
    app = opened(RANKINGS, {**SHORT, "runs": "search /^(aurora1|krill)$/"})
    said = texts(fine(app))
    assert "2 of 30 runs are drawn; hidden runs are left out." in said
    assert "of 30 runs change rank" in said
    app.switch_page(BOARD).run()
    assert {*fine(app).dataframe[0].value["run"]} == {"aurora1", "krill"}
    assert "of 29 other runs" in texts(app)
    app.switch_page(CURVES).run()
    # no chart of it is over runs
    assert not [button for button in fine(app).button if button.key == "runs_all"]
    app.sidebar.text_input(key="curves.runs_search").set_value("AURORA").run()
    app.switch_page(MATRIX).run()
    assert "4 of 30 runs are drawn" in texts(fine(app))


def test_matrix_when_one_run_is_drawn_then_says_so():
    app = opened(MATRIX, {**SHORT, "runs": "search krill"})
    assert "Only one run is shown" in " ".join(info.value for info in fine(app).info)


def test_pairs_when_runs_are_hidden_then_rows_with_one_of_them_are_left_out():
    app = opened(
        "pages/measures/stability.py",
        {**SHORT, "runs": "search aurora", "stability.view": "Run pairs"},
    )
    pairs = next(frame.value for frame in fine(app).dataframe if "minority rate" in frame.value)
    assert len(pairs) == 6  # of 4 runs


@pytest.mark.parametrize(
    ("text", "said"),
    [("/(/", "Search: expected a regular expression"), ("nobody", "none is hidden")],
)
def test_search_when_it_finds_nothing_or_is_no_expression_then_says_so_and_hides_nothing(
    text, said
):
    app = opened(RANKINGS, {**SHORT, "runs": f"search {text}"})
    assert said in texts(app) + " ".join(error.value for error in app.error)
    assert "hidden runs are left out" not in texts(app)


def test_hidden_when_in_the_address_then_one_press_shows_all_again_and_the_address_says_so():
    app = opened(RANKINGS, {**SHORT, "runs": ["hide krill,lumen", "search a"]})
    assert {"krill", "lumen"} < hidden(app)
    app.button(key="runs_all").click().run()
    assert not hidden(fine(app))
    assert "runs" not in app.query_params


def test_hidden_when_the_address_names_no_run_then_that_is_said_and_all_are_drawn():
    app = opened(RANKINGS, {**SHORT, "runs": ["hide krull", "pin lumen"]})
    assert "runs=hide: there is no run 'krull'" in " ".join(
        warning.value for warning in app.warning
    )
    assert not hidden(app)
    assert app.session_state["runs"].pinned == ("lumen",)


def test_list_when_eyes_and_pins_are_pressed_then_they_hold_and_pinned_runs_come_first():
    app = unfolded(RANKINGS, SHORT)
    press(
        app,
        ["krill", "eye", False],
        ["lumen", "pin", True],
        ["nobody", "eye", False],
        ["krill", "nose", True],
        ["krill", "eye", 1],
        ["aurora1", "name", True],
    )
    assert app.session_state["runs"] == MarkedRuns(
        hidden=frozenset({"krill"}), highlighted="aurora1", pinned=("lumen",)
    )
    assert app.query_params["runs"] == ["hide krill", "highlight aurora1", "pin lumen"]
    rows = next(html.proto.body for html in app.get("html") if "<ul" in html.proto.body)
    assert rows.index("Draw lumen") < rows.index("Draw aurora1")
    press(
        app,
        ["krill", "eye", True],
        ["lumen", "pin", False],
        ["krill", "name", True],
        ["aurora1", "name", False],
    )
    assert app.session_state["runs"] == MarkedRuns(highlighted="krill")
    press(app, ["krill", "name", False])
    assert app.session_state["runs"] == MarkedRuns()
    assert "runs" not in app.query_params


@pytest.mark.parametrize("sent", ["", "[", "3", '[["krill"]]', "[[[], 1, 2]]", '{"a": 1}', "null"])
def test_list_when_what_is_sent_is_none_of_it_then_nothing_changes(sent):
    app = unfolded(RANKINGS, SHORT)
    app.text_input(key=f"rankings.{runs_in_charts.PRESSED}").set_value(sent).run()
    assert not hidden(fine(app))


def test_list_when_it_is_closed_then_none_of_its_rows_is_sent():
    app = opened(RANKINGS, SHORT)
    assert not [html for html in fine(app).get("html") if 'class="runs"' in html.proto.body]


def test_list_when_all_that_a_search_finds_are_hidden_then_all_are_drawn_and_pinned_stay_in_it():
    app = unfolded(RANKINGS, {**SHORT, "runs": ["search aurora", "pin krill"]})
    runs = {*read_once(*SAMPLE).runs}
    assert runs - hidden(app) == {"krill", *(run for run in runs if "aurora" in run)}
    app.button(key="runs_hidden").click().run()
    assert "so all runs are shown" in texts(fine(app))
    assert not hidden(app)


def test_highlighted_when_the_run_is_hidden_then_it_is_drawn():
    app = opened(RANKINGS, {**SHORT, "runs": ["hide krill,lumen", "highlight krill"]})
    assert hidden(fine(app)) == {"lumen"}


def test_table_when_runs_are_hidden_then_their_rows_are_left_out_there_and_in_no_file():
    app = opened(RANKINGS, {**SHORT, "runs": "hide krill", "rankings.view": "Table"})
    table = next(frame.value for frame in fine(app).dataframe if "run" in frame.value)
    assert len(table) == 29
    assert "Rows of hidden runs are omitted here" in texts(app)
