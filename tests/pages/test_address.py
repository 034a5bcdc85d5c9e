"""An address with unknown values: the page opens and says what it ignores."""

import pytest

from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import answer, form
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines
from tests.dashboard import dashboard, dataset_of, fine, know_no_widget, named

SMALL = {
    "trials": "2",
    "samples": "20",
    "sets": "20",
    "measures": ["AP", "Q"],
    "topics_only": "901-905",
}


def opened(page: str, **address: str):
    app = dashboard()
    app.query_params.update(named(page.rpartition("/")[2] or "curves", SMALL | address))
    return fine(app.switch_page(f"pages/{page}.py").run() if page else app.run())


def warned(app) -> str:
    return " ".join(warning.value for warning in app.warning)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ({"trials": "5000"}, "trials: expected a value from 1 to 1000, found '5000'"),
        ({"trials": "inf"}, "trials: expected a whole number, found 'inf'"),
        ({"trials": "1e999"}, "trials: expected a whole number, found '1e999'"),
        ({"trials": "two"}, "trials: expected a whole number, found 'two'"),
        ({"rounding": "upwards"}, "rounding: expected one of floor, ceil, half-up"),
        ({"order": "nobody"}, "order: expected one of"),
        ({"depth": "0"}, "depth: expected"),
        ({"view": "Nowhere"}, "More: there is no 'Nowhere'"),
        ({"view": "Run by run", "measure": "APP"}, r"Measure: there is no 'APP'; nearest: AP"),
    ],
)
def test_address_when_a_value_cannot_be_then_it_is_said_above_the_page_which_has_the_default(
    address, says
):
    app = opened("", **address)
    assert says in warned(app).replace("\\", "")
    assert app.get("plotly_chart")


def test_address_when_every_value_can_be_then_nothing_is_said():
    app = opened(
        "",
        rounding="ceil",
        view="Reduced qrels",
        reduced_rate="10.0",
        reduced_trial="2",
        depth="100",
        gold="AP",
    )
    assert warned(app) == ""
    assert app.number_input(key="curves.reduced_trial").value == 2


def test_address_when_the_value_is_set_by_hand_after_that_then_nothing_is_said_any_more():
    app = opened("", trials="5000")
    assert "5000" in warned(app)
    app.number_input(key="curves.trials").set_value(3).run()
    assert warned(app) == ""


def test_address_when_another_page_is_opened_then_what_was_said_of_the_one_before_is_gone():
    app = opened("", trials="5000")
    assert "5000" in warned(app)
    assert warned(fine(app.switch_page("pages/runs/topics.py").run())) == ""


def captions(app) -> str:
    return " ".join(caption.value for caption in app.caption).replace("\\", "")


@pytest.mark.parametrize(
    ("name", "texts", "holds", "says"),
    [
        ("measures", ["zzz", "AP"], ["AP"], "Unknown metric 'zzz'"),
        ("measures", ["zzz"], list(form.MEASURES), "Unknown metric 'zzz'"),
        ("measures", ["AP", "map"], ["AP"], "'map' is AP, which is picked already"),
        ("levels", ["abc", "50", "0.5", "200"], ["50"], "expected a number, found 'abc'"),
        ("levels", ["0"], ["100", "90", "70", "50", "30", "10"], "found '0'"),
    ],
)
def test_list_when_a_text_in_it_cannot_be_then_is_left_out_and_named_and_the_page_has_the_others(
    name, texts, holds, says
):
    linked = opened("", **{name: texts})
    typed = opened("")
    key = "measures" if name == "measures" else "curves.levels"
    fine(typed.multiselect(key=key).set_value(texts).run())
    for app in (linked, typed):
        for _ in range(2):
            assert says in captions(app)
            assert app.multiselect(key=key).value == holds
            assert app.query_params.get(key, holds) in (holds, holds[0])
            assert app.get("plotly_chart")
            assert not app.error
            fine(app.run())
        fine(
            app.multiselect(key=key)
            .set_value(holds[:1] if len(holds) > 1 else ["20"] if name == "levels" else ["Q"])
            .run()
        )
        assert says not in captions(app)


def test_list_when_a_whole_value_is_typed_that_begins_others_then_it_is_before_them_in_the_list():
    app = opened("")
    for key in ("measures", "curves.levels"):
        options = app.multiselect(key=key).options
        assert ("P@1" if key == "measures" else "5") in options
        assert len({*options}) == len(options)
        for typed in ("P@1", "R@10", "nDCG@1", "AP", "5", "1"):
            found = [option for option in options if option.startswith(typed)]
            assert not found or found[0] == typed


def test_view_when_another_page_is_opened_then_is_not_open_there():
    app = opened("incompleteness/unjudged")
    assert app.button_group(key="unjudged.view").value == "Table"
    for page in ("topics", "reproduction"):
        fine(app.switch_page(f"pages/runs/{page}.py").run())
        assert app.button_group(key=f"{page}.view").value is None
        assert not [name for name in app.query_params if name.endswith("view")]


@pytest.fixture
def judged() -> Dataset:
    """With three other judges."""
    desk = dataset_of(
        [
            ("qrels", TINY_QRELS.encode()),
            *((name, run_lines(name, lists).encode()) for name, lists in TINY_RUNS.items()),
        ]
    )
    assert (
        desk.add_judges([(name, TINY_QRELS.encode()) for name in ("model", "third", "fourth")])
        == []
    )
    return desk


def test_address_when_what_was_picked_is_there_no_longer_then_the_page_has_the_default(judged):
    app = dashboard(judged)
    app.query_params["judges.judge"] = "third"
    fine(app.switch_page("pages/planning/judges.py").run())
    assert app.selectbox(key="judges.judge").value == "third"
    del judged.judges["third"]
    assert fine(app.run()).selectbox(key="judges.judge").value == "model"
    assert warned(app) == ""
    assert "judges.judge" not in app.query_params


def test_menu_when_a_page_is_picked_after_a_link_then_the_address_keeps_what_the_link_selects():
    app = opened("incompleteness/curves")
    for page in ("topics", "leaderboard"):
        app.query_params.clear()  # as a browser does
        fine(app.switch_page(f"pages/runs/{page}.py").run())
        assert app.query_params["topics_only"] == "901-905"
        assert "trials" not in " ".join(app.query_params)


def test_menu_when_a_page_is_picked_before_the_linked_one_is_whole_then_keeps_what_that_selects(
    monkeypatch,
):
    app, decide = dashboard(), form.decide
    for name, value in (SMALL | {"gold": "AP"}).items():
        app.query_params[name] = value
    # the press in the menu ends the drawing here
    monkeypatch.setattr(form, "decide", answer.stop_page)
    app.run()
    monkeypatch.setattr(form, "decide", decide)
    app.query_params.clear()  # as a browser does, which knows none of their widgets yet
    know_no_widget(app)
    fine(app.switch_page("pages/runs/topics.py").run())
    assert app.text_input(key="topics_only").value == "901-905"
    assert app.text_input(key="topics_only").proto.set_value
    assert app.multiselect(key="measures").proto.set_value
    app.run()
    assert not app.run().multiselect(key="measures").proto.set_value
    assert app.multiselect(key="measures").value == ["AP", "Q"]
    assert {*app.query_params} == {"topics_only", "measures"}
    app.text_input(key="topics_only").set_value("").run()
    fine(app.switch_page("pages/runs/leaderboard.py").run())
    assert app.text_input(key="topics_only").value == ""


def test_menu_when_the_link_had_a_value_that_cannot_be_then_it_is_not_said_again_on_the_next_page():
    app = opened("incompleteness/curves", depth="0")
    assert "depth" in warned(app)
    app.query_params.clear()  # as a browser does, which knows none of their widgets yet
    know_no_widget(app)
    assert warned(fine(app.switch_page("pages/runs/topics.py").run())) == ""
