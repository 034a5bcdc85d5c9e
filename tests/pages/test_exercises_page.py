"""The page of exercises, in memory."""

from irmeval.lessons import exercises
from tests import dashboard
from tests.dashboard import fine, texts

SCRIPT = "pages/learn/exercises.py"


def opened(**query: str):
    return fine(dashboard.opened(SCRIPT, query))


def test_exercises_when_opened_then_all_are_offered_and_one_opens_where_it_begins():
    app = opened()
    assert [button.key for button in app.button if button.key.startswith("open-")] == [
        f"open-{name}" for name in exercises.names()
    ]
    app.button(key="open-bpref_zero").click().run()
    exercise = exercises.load("bpref_zero")
    assert fine(app).title[0].value == exercise.goal
    assert app.text_input(key="exercises.list").value == exercise.params.list
    assert not app.code
    app.button(key="exercise_next").click().run()
    assert fine(app).title[0].value == exercises.load("condensed_gap").goal
    assert app.text_input(key="exercises.list").value == exercises.load("condensed_gap").params.list


def test_exercise_when_worked_on_then_is_checked_at_once_and_its_code_is_solved_on_the_list():
    app = opened(exercise="bpref_zero")
    app.text_input(key="exercises.list").set_value("1-0").run()
    assert not fine(app).code
    app.text_input(key="exercises.list").set_value("0-1").run()
    app.text_input(key="exercises.rest").set_value("-").run()
    code = fine(app).code[0].value
    assert code.startswith("bpref_zero?list=0-1&rest=-#")
    app.button(key="exercises_all").click().run()
    assert fine(app).button(key="open-bpref_zero").icon == ":material/check:"
    app.text_area(key="exercises.codes").set_value(
        f"Ada <img src=x> {code}\nno code\nBob rr_content?list=0-1&rest=-#00000000"
    )
    next(button for button in app.button if button.label == "Check").click().run()
    assert "1 of 3 lines solved." in texts(fine(app))
    assert app.dataframe[0].value["who"].tolist() == ["Ada <img src=x>", "no code", "Bob"]
    app.button(key="open-bpref_zero").click().run()
    assert fine(app).text_input(key="exercises.list").value == "0-1"
    app.button(key="reset").click().run()
    assert (
        fine(app).text_input(key="exercises.list").value == exercises.load("bpref_zero").params.list
    )


def test_exercise_when_it_needs_runs_then_is_worked_on_by_the_settings_of_its_experiment():
    app = opened(exercise="pool_cut")
    assert not app.code
    app.multiselect(key="exercises.levels").set_value(["2"]).run()
    assert fine(app).code[0].value.startswith("pool_cut?levels=2#")


def test_exercise_when_a_link_has_values_then_they_stay():
    app = opened(exercise="bpref_zero", list="0-0-1", rest="-")
    assert app.code[0].value == exercises.code_of(
        exercises.try_solution(exercises.load("bpref_zero"), exercises.load("bpref_zero").solution)
    )


def test_address_when_it_names_no_exercise_then_all_are_offered():
    assert opened(exercise="<b>").warning


def test_measures_when_a_page_does_nothing_with_them_then_are_not_beside_it_and_are_kept():
    app = fine(dashboard.opened("pages/learn/lab.py", {"measures": "RR"}))
    assert app.multiselect(key="measures").value == ["RR"]
    for script in ("exercises", "glossary", "lessons"):
        app.switch_page(f"pages/learn/{script}.py").run()
        assert "measures" not in [picker.key for picker in fine(app).multiselect]
    app.run()
    app.switch_page("pages/learn/lab.py").run()
    assert fine(app).multiselect(key="measures").value == ["RR"]
