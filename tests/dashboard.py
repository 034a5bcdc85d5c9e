"""The dashboard in memory, by Streamlit's AppTest."""

from streamlit.testing.v1 import AppTest

from irmeval.ui import jobs
from tests.conftest import ROOT

MINUTES = 300
"""Seconds that the slowest machine may take for anything."""
jobs.PATIENCE = MINUTES  # a page waits for its result: no test need ask whether it is there yet


def dashboard(**state: object) -> AppTest:
    """Not yet run; with something in the visitor's session where it is given."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=MINUTES)
    for name, value in state.items():
        app.session_state[name] = value
    return app


def fine(app: AppTest) -> AppTest:
    """The same, once it is sure that nothing went wrong."""
    assert not app.exception
    assert not app.error, [e.value for e in app.error]
    return app


def texts(app: AppTest) -> str:
    """What a page says."""
    return " ".join(element.value for element in [*app.title, *app.markdown, *app.caption, *app.info])
