"""The dashboard in memory, by Streamlit's AppTest."""

from functools import cache

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from irmeval.ui import jobs
from tests.conftest import ROOT
from tests.serving import SECONDS

# a page waits for its result, and its work for the page: no test need ask whether it is there yet
jobs.PATIENCE = jobs.HEARTBEAT = SECONDS
# AppTest asks every installed package anew, for every app, whether it brings Streamlit a component
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def dashboard(**state: object) -> AppTest:
    """Not yet run; with something in the visitor's session where it is given."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
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
