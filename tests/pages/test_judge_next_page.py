"""What to judge next, and what judgments change that come back: against plain loops, and against judging and scoring again.

The tests of the dashboard; the others are in `tests/unit/experiments/test_judge_next.py`.
"""

import pytest

from tests.dashboard import fine, opened, texts

pytestmark = pytest.mark.usefixtures("files_read_once")


def test_page_when_opened_then_tells_what_to_judge_next_and_waits_for_what_comes_back():
    app = fine(opened("pages/incompleteness/judge-next.py", {"budget_budget": "7", "measures": ["AP"]}))
    assert "Judging 7 of" in texts(app)
    assert "Replace each -1 with a grade" in texts(app)
    app.file_uploader(key="returned").set_value(("back.txt", b"909 0 D15790 1\n928 0 D46161 -1\n", "text/plain")).run()
    assert "1 new judgment (1 relevant). By AP" in texts(fine(app))
    app.file_uploader(key="returned").set_value(("back.txt", b"901 0 D00009 1\n", "text/plain")).run()
    assert "back.txt, line 1: expected documents not judged yet" in app.error[0].value
    app.text_input(key="judge-next.budget_pair").set_value("aurora1").run()
    app.selectbox(key="judge-next.budget_by").select("pair").run()
    assert "pair: expected two runs" in app.error[0].value
