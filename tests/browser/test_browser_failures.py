"""Where a page fails, in a real browser: its own words and ways back, never Streamlit's
box; the log has it once.
"""

import os
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.conftest import ROOT
from tests.driving import FRESH, finish, settle
from tests.serving import serving

FAILING = """
import streamlit as st
from streamlit.starlette import App

from irmeval.ui.pages import catalogue, failures, frame, run_pairs
from irmeval.ui.server import server
from irmeval.ui.widgets import output

provenance, pick = output.provenance, run_pairs.pick


def failing(*given, **more):
    if st.session_state.get("topics.drawn") == "strip":
        raise TypeError("no *strip* today")
    provenance(*given, **more)


def failing_too(*given):
    if st.session_state.get("matrix.only"):
        raise ValueError("no part today")
    return pick(*given)


def failing_press(measure):
    raise LookupError("no press today")


output.provenance, run_pairs.pick, catalogue._add = failing, failing_too, failing_press
app = App(frame.SCRIPT, middleware=server.MIDDLEWARE, lifespan=server.warm_up,
          on_script_error=failures.show_failure)
"""
FEW = "measures=AP&measures=Q&topics_only=901-905&random_runs=5"


def test_page_when_it_fails_then_says_so_with_a_way_back_and_the_log_has_it_once(
    page: Page, tmp_path: Path
):
    script, log = tmp_path / "failing.py", tmp_path / "log"
    script.write_text(FAILING)
    said, anew = (
        page.get_by_text("could not be drawn with"),
        page.get_by_role("button", name="Show this page with its defaults"),
    )

    def come_back(failed: int, left: str) -> None:
        expect(said).to_be_visible()
        assert log.read_text().count("Traceback") == failed
        settle(page)
        anew.click()
        expect(said).to_have_count(0)
        expect(page.locator(f"{FRESH} .js-plotly-plot").first).to_be_attached()
        settle(page)
        expect(page).not_to_have_url(re.compile(left))
        # which is not this page's alone
        expect(page).to_have_url(re.compile("topics_only=901-905"))

    with serving(
        log, script=str(script), environment=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as url:
        page.goto(f"{url}/topics?topics.drawn=strip&{FEW}")
        come_back(1, "topics.drawn")
        page.goto(f"{url}/matrix?matrix.only=e&{FEW}")
        come_back(2, "matrix.only")
        finish(page)
        only = page.locator(f".st-key-matrix-only{FRESH} input")
        expect(only).to_have_value("")
        only.fill("e")
        only.press("Enter")  # which draws a part of the page alone
        come_back(3, "matrix.only")
        page.goto(f"{url}/catalogue?catalogue.search=infAP&{FEW}")
        add = page.get_by_role("button", name="Add infAP to the measures")
        add.wait_for()
        settle(page)
        add.click()
        expect(said).to_be_visible()
        settle(page)
        page.get_by_role("link", name="Go to the first page").click()
        expect(page.locator("h1")).to_have_text("What happens to")
        expect(said).to_have_count(0)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert log.read_text().count("Traceback") == 4
        log.write_text("")  # what it holds beyond these is looked at in the end
