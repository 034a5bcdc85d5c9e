"""Judges who do not exist: by kind, by a table of mistakes, and on what some runs
retrieved.

The tests of the dashboard; the others are in
`tests/unit/judges/test_judges_simulated.py`.
"""

from tests.dashboard import fine, opened, texts
from tests.unit.judges.test_judges_simulated import TABLE


def test_page_when_the_table_of_mistakes_is_in_the_address_then_it_holds_and_a_short_row_is_said():
    app = fine(opened("pages/planning/judges.py", {"other": "Simulated", "matrix": TABLE}))
    assert "qrels and own table (simulated) give the same grade" in texts(app)
    app.text_input(key="matrix").set_value(TABLE.replace("0.9", "0.8")).run()
    assert "that sum to 1 for the first judge's grade 2, found 0.9" in app.error[0].value
    app.selectbox(key="errs").select("strict").run()
    assert "qrels and strict (simulated) give" in texts(fine(app))
    assert app.text_input(key="matrix").value == ""


def test_page_when_the_sidebar_has_a_rule_for_teams_then_the_judge_may_err_on_these():
    app = fine(opened("pages/planning/judges.py", {"other": "Simulated", "team_rule": "2"}))
    assert {"au", "ju"} < {*app.selectbox(key="biased").options}
    assert "aurora" not in app.selectbox(key="biased").options
