"""The pages of the section Learn, in memory."""

import html

import pytest
from streamlit.testing.v1 import AppTest

import irmeval
from irmeval.core.folders import page_scripts
from irmeval.experiments.learn.lab import Params, lab
from irmeval.scoring import values
from irmeval.ui.pages import bench
from irmeval.ui.pages.bench import EXAMPLES
from irmeval.ui.pages.paper_measures import OF_PAPER
from tests import dashboard
from tests.dashboard import fine, texts


def opened(page: str, **query: str | list[str]) -> AppTest:
    """A page of the section, under an address with these parameters."""
    return fine(dashboard.opened(str(page_scripts()[page]), query))


def board(app: AppTest) -> str:
    return next(block.proto.body for block in app.get("html") if "class=lab" in block.proto.body)


def row(app: AppTest, rank: int):
    return next(group for group in app.get("button_group") if group.proto.label == str(rank))


def test_lab_when_opened_then_the_worked_example_is_on_the_bench():
    app = opened("lab")
    assert app.text_input(key="lab.list").value == "0-3-x-1-0-x-2-0"
    assert "<span>0.3571</span>" in board(app)
    assert "<span>0.4417</span>" in board(app)
    # the first swap raises all six measures, the second lowers them
    assert (board(app).count("class=up"), board(app).count("class=down")) == (6, 6)


def test_lab_when_a_grade_is_clicked_then_list_scores_and_change_follow():
    app = opened("lab")
    row(app, 1).set_value("2").run()
    assert app.text_input(key="lab.list").value == "2-3-x-1-0-x-2-0"
    expected = lab(None, ["AP"], Params("2-3-x-1-0-x-2-0"))
    assert f"<span>{expected.score(expected.measures[0])[0]:.4f}</span> <small class=up>" in board(
        fine(app)
    )


def test_lab_when_a_grade_is_clicked_then_its_list_is_scored_once_and_nothing_else(monkeypatch):
    app, scored, real = opened("lab"), [], values.run_slices
    monkeypatch.setattr(
        values,
        "run_slices",
        lambda collection, *share: scored.append(collection.runs[0]) or real(collection, *share),
    )
    for grade in "21":
        row(fine(app), 1).set_value(grade).run()
    assert scored == ["list"] * 2


@pytest.mark.parametrize(
    ("rank", "option", "listed", "rest"),
    [
        (2, "↑", "3-0-x-1-0-x-2-0", "1"),
        (1, "↑", "0-3-x-1-0-x-2-0", "1"),
        (7, "↓", "0-3-x-1-0-x-0-2", "1"),
        (2, "✕", "0-x-1-0-x-2-0", "1-3"),
        (3, "✕", "0-3-1-0-x-2-0", "1"),
    ],
)
def test_lab_when_a_document_is_moved_or_taken_out_then_the_list_says_so(
    rank, option, listed, rest
):
    app = opened("lab")
    row(app, rank).set_value(option).run()
    assert (app.text_input(key="lab.list").value, app.text_input(key="lab.rest").value) == (
        listed,
        rest,
    )
    fine(app)


def test_lab_when_the_text_is_no_list_then_the_reason_is_said():
    app = opened("lab")
    app.text_input(key="lab.list").set_value("0-7").run()
    assert not app.exception
    assert "found '7'" in app.error[0].value
    app.text_input(key="lab.list").set_value("").run()
    assert app.text_input(key="lab.list").value == "-"
    fine(app)


def test_lab_when_two_documents_are_swapped_then_the_list_is_the_other_one():
    app = opened("lab")
    app.button(key="swap-ab").click().run()
    assert app.text_input(key="lab.list").value == "3-0-x-1-0-x-2-0"
    app.button(key="swap-cd").click().run()
    assert app.text_input(key="lab.list").value == "3-0-x-1-0-x-0-2"
    fine(app)


def test_lab_when_an_example_is_picked_then_its_list_is_on_the_bench():
    app = opened("lab")
    for name, example in [*EXAMPLES.items()][::3]:
        next(
            group for group in app.get("button_group") if group.proto.label == "Start from"
        ).set_value(name).run()
        assert app.text_input(key="lab.list").value == example.params.list
        assert all(measure in board(fine(app)) for measure in example.measures)


def test_lab_when_changed_then_undo_takes_back_one_change_and_reset_all_of_them():
    app = opened("lab")
    assert app.button(key="undo").disabled
    row(app, 1).set_value("2").run()
    row(app, 2).set_value("✕").run()
    assert (app.text_input(key="lab.list").value, app.text_input(key="lab.rest").value) == (
        "2-x-1-0-x-2-0",
        "1-3",
    )
    app.button(key="undo").click().run()
    assert (app.text_input(key="lab.list").value, app.text_input(key="lab.rest").value) == (
        "2-3-x-1-0-x-2-0",
        "1",
    )
    app.button(key="reset").click().run()
    assert app.text_input(key="lab.list").value == Params().list
    app.button(key="undo").click().run()
    assert app.text_input(key="lab.list").value == "2-3-x-1-0-x-2-0"
    assert "<span>0.3571</span>" not in board(fine(app))


def test_lab_when_its_list_changes_then_the_caption_of_the_example_goes_and_reset_brings_it_back():
    app, look = opened("lab"), bench.EXAMPLES["graded"].look
    assert look in texts(app)
    row(app, 1).set_value("2").run()
    assert (look in texts(app), bench.CHANGED in texts(app)) == (False, True)
    app.button(key="reset").click().run()
    assert (look in texts(app), bench.CHANGED in texts(fine(app))) == (True, False)


def test_lab_when_a_measure_of_the_example_is_left_out_then_is_not_scored_until_one_is_picked():
    def own():
        return next(
            group
            for group in app.get("button_group")
            if group.proto.label == "Measures of the example"
        )

    app = opened("lab", measures="AP")
    own().set_value(["Q", "nDCG"]).run()
    assert [f"<td>{name}</td>" in board(fine(app)) for name in ("Q", "nDCG", "AP", "Bpref")] == [
        True,
        True,
        True,
        False,
    ]
    assert "condensed (Q')" in html.unescape(board(app))
    next(group for group in app.get("button_group") if group.proto.label == "Start from").set_value(
        "swap"
    ).run()
    assert own().value == bench.EXAMPLES["swap"].measures
    assert "<td>RankEff</td>" in board(fine(app))


def test_lab_when_gone_through_rank_by_rank_then_the_score_so_far_is_said_and_it_stops_at_the_end(
    monkeypatch,
):
    app, steps = opened("lab"), lab(None, ["AP"]).steps(irmeval.measure("AP"))["adds"]
    assert app.slider(key=bench.UPTO).value == len(steps)
    app.slider(key=bench.UPTO).set_value(2).run()
    assert (
        f"rank 2 adds {steps[1]:.4f}; {steps[:2].sum():.4f} so far, of {steps.sum():.4f}"
        in texts(fine(app))
    )
    monkeypatch.setattr(bench, "PAUSE", 0.0)
    app.toggle(key=bench.PLAYING).set_value(True).run()
    assert app.slider(key=bench.UPTO).value == len(steps)
    assert not fine(app).toggle(key=bench.PLAYING).value


def test_top_heaviness_when_opened_then_a_chart_per_R_and_the_table_of_ideal_lists_are_shown():
    app = opened("top-heaviness")
    assert len(app.get("plotly_chart")) == 3
    assert "RBP(p=0.5) halves the worth of rank 1 at rank 2" in texts(app)
    table = app.dataframe[0].value
    assert table["RBP(p=0.95)"].round(4).tolist() == [0.05, 0.4013, 0.9941, 1.0]
    app.selectbox(key="top-heaviness.scale").set_value("share of rank 1").run()
    fine(app)


@pytest.mark.parametrize("page", ["top-heaviness", "swap-property"])
def test_page_without_data_when_opened_then_measures_of_its_paper_come_before_the_chosen_ones(page):
    app = opened(page, measures="AP")
    (own,) = (g for g in app.get("button_group") if g.proto.label == "Measures of the paper")
    assert own.value == [*OF_PAPER[page]]
    assert all(f'"{m}"' in _first_chart(app) for m in (*OF_PAPER[page], "AP"))
    own.set_value([OF_PAPER[page][0]]).run()
    assert f'"{OF_PAPER[page][1]}"' not in _first_chart(fine(app))


def _first_chart(app: AppTest) -> str:
    return str(app.get("plotly_chart")[0].proto.spec)


def test_parameters_when_another_is_picked_then_curves_and_runs_are_of_that():
    app = opened("parameters", measures=["AP", "Q", "nDCG", "RBP(p=0.95)"])
    assert len(app.get("plotly_chart")) == 3
    assert "beta = " in texts(app)
    app.selectbox(key="parameters.parameter").set_value("p").run()
    assert "RBP(p=0.95) moves" in texts(fine(app))
    app.select_slider(key="parameters.at-p").set_value("0.95").run()
    assert "orders the runs as before" in texts(fine(app))


def test_parameters_when_the_measures_lack_most_then_only_theirs_are_offered():
    app = opened("parameters")
    app.sidebar.multiselect(key="measures").set_value(["AP"]).run()
    picker = next(group for group in app.get("button_group") if group.proto.label == "Parameter")
    assert [o.content for o in picker.proto.options] == ["relevance level", "cut-off k"]
    fine(app)


def test_catalogue_when_opened_then_all_metrics_are_a_table_and_the_chosen_ones_are_explained():
    app = opened("catalogue")
    assert app.dataframe[0].value["metric"].tolist() == list(irmeval.METRICS)
    shown = texts(app)
    for name in ("AP", "nDCG", "RBP"):
        assert f"## {name}\n" in shown
        assert irmeval.METRICS[name].formula.split(r",\quad ")[0] in shown


def test_catalogue_when_searched_then_only_what_fits_is_shown_and_nothing_is_an_error():
    app = opened("catalogue")
    app.text_input(key="catalogue.search").set_value("sample pool").run()
    assert "## infAP\n" in texts(fine(app))
    assert "## AP\n" not in texts(app)
    app.text_input(key="catalogue.search").set_value("zebra").run()
    assert "No metric matches all of that" in texts(fine(app))
    assert "## Q\n" in texts(fine(opened("catalogue", search="Q-measure")))
    shown = texts(fine(opened("catalogue", search="estimated")))  # by a link
    assert "## infAP\n" in shown
    assert "## nDCG\n" not in shown


def test_catalogue_when_a_metric_is_added_then_it_is_among_the_measures():
    app = opened("catalogue")
    app.text_input(key="catalogue.search").set_value("infAP").run()
    app.button(key="add-infAP").click().run()
    assert "infAP" in app.sidebar.multiselect(key="measures").value
    assert "Among the measures: infAP" in texts(fine(app))
