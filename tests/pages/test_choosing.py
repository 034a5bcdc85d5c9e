"""Choosing runs by name and by search in bounded time. Pinned runs stand out on every
chart over runs, and on no other.
"""

import pytest

from irmeval import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.rankings import Params as Rankings
from irmeval.plots import pins
from irmeval.plots.colors import GREY, ON_DARK, PALETTE, faint, on_dark
from irmeval.plots.line_charts import PALE
from irmeval.scoring.selection import Selection, names_text, parse_names, select
from irmeval.ui.state import visitors
from irmeval.ui.state.run_marks import matches
from irmeval.ui.widgets import form
from tests.cases import SAMPLE, read_once
from tests.conftest import ROOT
from tests.dashboard import dashboard, fine, opened, texts
from tests.pages.test_runs_in_charts import press
from tests.pages.test_visitors import COOKIE

PAGE = "pages/data/selection.py"
RUNS = ("aurora1", "lumen")
NAMES = ["BM25", "bm25.prf", "dense-1", "dense-2", "a,b", 'say "x"']
FIRST, SECOND = pins.COLORS[:2]


pytestmark = pytest.mark.usefixtures("nobody_here")


def test_names_when_written_and_read_then_are_the_same_whatever_is_in_them():
    assert parse_names(names_text(NAMES), NAMES) == NAMES
    assert parse_names(" dense-2 , BM25,", NAMES) == ["dense-2", "BM25"]
    assert parse_names("", NAMES) == []
    with pytest.raises(ParamError, match="there is no run 'bm26'; nearest: BM25"):
        parse_names("bm26", NAMES)
    with pytest.raises(ParamError, match="names separated by commas"):
        parse_names('"bm25', NAMES)


def test_selection_when_runs_are_named_then_they_are_kept_and_other_rules_hold_too():
    collection = read_once(*SAMPLE)
    found = select(collection, Selection(runs_only=",".join(RUNS)))
    assert found.collection.runs == RUNS
    assert set(found.table["why"]) == {"", "not in the list"}
    assert (
        len(select(collection, Selection(runs_only=",".join(RUNS), top_runs=1)).collection.runs)
        == 1
    )


def test_search_when_it_is_a_text_or_an_expression_then_finds_those():
    assert [*matches(NAMES, "bm25", "text")] == [True, True, False, False, False, False]
    assert [*matches(NAMES, "^(bm25|dense-[12]$)", "regex")] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert [*matches(NAMES, "(?i)^bm25$", "regex")] == [True, *[False] * 5]
    assert all(matches(NAMES, "", "regex"))


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", r"(a)\1", "(?=a)", "((a{1000}){1000}){1000}", "x" * 201]
)
def test_search_when_it_is_no_expression_or_could_take_long_then_refused_in_words(pattern):
    with pytest.raises(ParamError, match="Search: expected"):
        matches(NAMES, pattern, "regex")


def test_search_when_an_expression_would_have_others_try_for_ever_then_is_answered():
    assert not matches(["a" * 5000 + "!"], "^(a+)+$", "regex").any()


def drawn(
    name: str, measures: list[str], params: object = None, pinned: tuple[str, ...] = RUNS
) -> dict[str, dict]:
    """The charts of an experiment on the sample, with runs pinned."""
    collection = read_once(*SAMPLE)
    result = EXPERIMENTS[name](collection, measures, params)
    return {
        chart.name: pins.with_pins(chart.draw, pinned, collection.runs)().to_dict()
        for chart in result.charts()
    }


def lines(figure: dict) -> dict[str, str]:
    return {trace["name"]: trace["line"]["color"] for trace in figure["data"] if trace.get("line")}


def test_pinned_when_a_chart_is_of_runs_then_have_the_same_colours_everywhere_and_others_grey():
    charts = drawn("unjudged", ["AP"])
    (curves,) = charts.values()
    assert (lines(curves)["aurora1"], lines(curves)["lumen"]) == (FIRST, SECOND)
    others = {color for run, color in lines(curves).items() if run not in (*RUNS, "mean")}
    assert others == {faint(GREY, PALE)}
    assert {label["text"] for label in curves["layout"]["annotations"]} == {*RUNS, "mean"}
    charts = drawn("rankings", ["AP", "P@5"], Rankings(points="runs"))
    slope = {
        run: trace["line"]["color"]
        for trace in charts["slope"]["data"]
        if trace.get("line")
        for run in trace["text"]
    }
    assert (slope["aurora1"], slope["lumen"], slope["aurora2"]) == (FIRST, SECOND, GREY)
    dots = {
        text: color
        for trace in charts["scatter"]["data"]
        for text, color in zip(trace["text"], trace["marker"]["color"], strict=True)
    }
    assert (dots["aurora1"], dots["lumen"], dots["aurora2"]) == (FIRST, SECOND, GREY)
    assert [label["text"] for label in charts["scatter"]["layout"]["annotations"]].count(
        "aurora1"
    ) == 1
    boxes = drawn("topics", ["AP"])["by-run"]
    assert {trace["line"]["color"] for trace in boxes["data"] if trace["type"] == "box"} == {
        FIRST,
        SECOND,
        GREY,
    }
    assert sum("<b>" in text for text in boxes["layout"]["xaxis"]["ticktext"]) == 2


def test_pinned_when_a_chart_is_of_measures_then_it_does_not_change():
    collection = read_once(*SAMPLE)
    result = EXPERIMENTS["curves"](collection, ["AP"], EXPERIMENTS["curves"].params(trials=1))
    for chart in result.charts():
        with pins.use_pins(("AP", *RUNS), (*collection.runs, "AP")) as told:
            assert chart.draw().to_dict() == pins.with_pins(chart.draw, (), ())().to_dict()
        assert not told.describe()


def test_pinned_when_the_page_is_dark_then_a_dim_colour_is_lighter_in_names_too():
    blue, name = PALETTE["blue"], pins.axis_text("<b>", "<b>", {"<b>": PALETTE["blue"]})
    assert on_dark({"text": ["a", name]})["text"] == ["a", name.replace(blue, ON_DARK[blue])]
    assert "&lt;b&gt;" in name


def test_pinned_when_nothing_is_then_charts_are_as_before():
    assert drawn("topics", ["AP"], pinned=()) == drawn("topics", ["AP"], pinned=("nobody",))


def test_pinned_when_picked_in_the_sidebar_then_the_caption_says_so_and_a_visitor_has_them_again():
    app = dashboard(cookie=COOKIE).run()
    app.session_state["runs_listed"] = True
    press(app.run(), *([run, "pin", True] for run in RUNS))
    app.switch_page("pages/runs/topics.py").run()
    assert pins.PINNED.strip() in texts(fine(app))
    visitors._here = {}
    assert dashboard(cookie=COOKIE).run().session_state["runs"].pinned == RUNS


def test_table_when_searched_then_shows_these_and_what_is_wrong_with_an_expression():
    app = opened(PAGE, {"find": "^aurora", "find_by": "regex"})
    assert {run[:6] for run in fine(app).dataframe[0].value["run"]} == {"aurora"}
    assert {"kept", "pinned", "team", "AP"} <= {*app.dataframe[0].value.columns}
    app.text_input(key="selection.find").set_value("(").run()
    assert "Search: expected a regular expression" in app.error[0].value
    app = opened(PAGE, {"find": "("})  # a text, if nothing else is said
    assert "No run has '(' in its name." in texts(fine(app))


def test_table_when_a_choice_is_made_then_it_can_be_taken_back():
    app = opened(PAGE, {"runs_only": "lumen"})
    assert "1 of 30 runs" in texts(fine(app))
    assert app.button(key="choose_only").disabled
    assert {*app.dataframe[0].value["why"]} == {"", "not in the list"}
    app.button(key="choose_all").click().run()
    assert "why" not in fine(app).dataframe[0].value
    assert "all 30 runs" in texts(fine(app))


def test_search_when_it_finds_nothing_then_says_so_and_offers_what_would_find_some():
    app = opened(PAGE, {"find": "^aurora", "find_team": "krill"})
    assert "No run has '^aurora' in its name in team krill." in texts(app)
    app.button(key="nothing_find_team").click().run()
    assert "No run has '^aurora' in its name." in texts(app)
    assert app.button(key="nothing_find_by").label == "Search by regex: 4 runs"
    app.button(key="nothing_find_by").click().run()
    assert "No run" not in texts(app)
    assert len(app.dataframe[0].value) == 4


def test_caption_when_a_run_is_pinned_then_says_nothing_of_colours_and_names_that_are_not_there():
    for pinned in ([], ["pin krill"]):
        said = texts(
            fine(
                opened(
                    "pages/measures/rankings.py",
                    {"measures": ["AP", "nDCG"], "runs": pinned, "view": "Method"},
                )
            )
        )
        assert (
            ("green climbs" in said)
            == ("change place most." in said)
            == (pins.PINNED.strip() not in said)
            == (not pinned)
        )


def test_leaderboard_when_a_run_is_pinned_then_its_row_has_a_mark():
    app = opened(
        "pages/runs/leaderboard.py",
        {"measures": ["AP"], "runs": "pin krill", "leaderboard.columns": "interval"},
    )
    board = fine(app).dataframe[0].value
    assert board["run"][board["pinned"] != ""].tolist() == ["krill"]


def test_measures_when_an_address_has_more_than_the_most_then_the_rest_are_named():
    many = [*(f"P@{k}" for k in range(1, form.MAX_MEASURES)), "AP", "RR"]
    app = fine(opened("pages/runs/leaderboard.py", {"measures": many}))
    assert app.multiselect(key="measures").value == many[: form.MAX_MEASURES]
    assert "At most 8 measures at once; left out: 'RR'." in texts(app)
    app.multiselect(key="measures").unselect("AP").run()
    assert "left out" not in texts(fine(app))


def test_pickers_when_several_values_may_be_picked_then_are_drawn_in_one_place():
    drawn = [
        path.name
        for path in (ROOT / "irmeval" / "ui").rglob("*.py")
        if "st.multiselect" in path.read_text()
    ]
    assert drawn == ["inputs.py"]


def test_topics_when_drawn_at_random_or_kept_then_the_rule_names_them_and_the_table_shows_it():
    app = fine(opened(PAGE))
    c = read_once(*SAMPLE)
    table = app.dataframe[1].value
    assert table["topic"].tolist() == [*c.topics]
    assert table["judgments"].sum() == (c.grade >= 0).sum()
    assert table["relevant"].sum() == (c.grade > 0).sum()
    assert table["kept"].all()
    fine(app.button(key="choose_topics_random").click().run())
    kept = app.dataframe[1].value.query("kept")["topic"]
    assert len(kept) == 20
    assert app.sidebar.text_input(key="topics_only").value == ",".join(kept)
    fine(app.button(key="choose_topics_all").click().run())
    assert app.dataframe[1].value["kept"].all()
