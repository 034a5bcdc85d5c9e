"""Runs that come while one looks: what is new is read once it stops changing, what is
at fault is said, the others stay.

The tests of the dashboard; the others are in `tests/unit/collection/test_watched.py`.
"""

import pytest

from irmeval import ParamError
from irmeval.collection import watched
from irmeval.ui.server import serve
from tests.conftest import run_lines
from tests.dashboard import dashboard, fine


def test_dashboard_when_watching_a_folder_then_a_new_run_is_on_the_leaderboard_and_faults_are_said(
    tiny, monkeypatch
):
    qrels, runs = tiny
    monkeypatch.setattr(
        "sys.argv", ["app.py", "--qrels", str(qrels), "--runs", str(runs), "--watch"]
    )
    monkeypatch.setattr(watched, "STABLE_SECONDS", 0.0)
    app = fine(dashboard().switch_page("pages/runs/leaderboard.py").run())
    assert len(app.dataframe[0].value) == 3
    (runs / "new").write_text(run_lines("new", {"1": "S1 A1", "2": "A1"}))
    (runs / "bad").write_text("1 Q0 S1\n")
    app.run()
    assert "new" in app.dataframe[0].value["run"].tolist()
    assert "bad, line 1: expected a run in a known format" in app.warning[0].value
    assert str(runs) not in app.warning[0].value
    assert any("Watching runs" in caption.value for caption in app.sidebar.caption)


def test_serve_when_there_is_nothing_to_watch_then_it_is_refused():
    with pytest.raises(ParamError, match="watch: expected QRELS and RUN"):
        serve.serve(serve.ServeOptions(watch=True))
