"""The page Report: results are added from any page, ordered, annotated, kept, and made
into a report.
"""

import io
import json
import zipfile
from copy import deepcopy
from dataclasses import asdict
from functools import cache
from html import escape
from urllib.parse import parse_qs

import pytest

import irmeval
from irmeval.core.tables import escape_markdown
from irmeval.experiments import EXPERIMENTS
from irmeval.report import manifest
from irmeval.report.items import ITEMS
from irmeval.ui.pages import frame
from irmeval.ui.state import store, visitors
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import reporting
from tests import hostile
from tests.dashboard import dashboard, dataset_of, fine, links, opened, texts

PAGE = "pages/report/report.py"
COOKIE = "a" * 32


def add(app, name):
    """Press the button under a result."""
    fine(app).button(key=f"report-{name}").click().run()
    return fine(app)


def keys(app):
    return [
        field.key.removeprefix("report.title-")
        for field in app.text_input
        if field.key.startswith("report.title-")
    ][1:]


def headings(app):
    return [
        field.placeholder if not field.value else field.value
        for field in app.text_input
        if field.key.startswith("report.title-")
    ][1:]


def two_added():
    """The page of a report of two results of the sample, added one after the other."""
    app = add(
        dashboard(measures=["AP", "Q"]).switch_page("pages/runs/leaderboard.py").run(),
        "leaderboard",
    )
    app.sidebar.number_input(key="top_runs").set_value(6).run()
    return fine(
        add(app.switch_page("pages/measures/agreement.py").run(), "agreement")
        .switch_page(PAGE)
        .run()
    )


@cache
def two_kept():
    """The same report, as it is kept."""
    return two_added().session_state["visitor"].report


@pytest.fixture
def filled():
    """The same page, opened by its visitor later."""
    return fine(opened(PAGE, visitor=Visitor(report=deepcopy(two_kept()))))


def test_page_when_nothing_was_added_then_it_says_where_to():
    app = fine(opened(PAGE))
    assert "Add to report" in app.info[0].value
    assert [link.page for link in links(app)] == ["leaderboard", ""]


def test_page_when_results_were_added_then_they_can_be_ordered_named_and_taken_out():
    first, second = keys(app := two_added())
    assert headings(app) == ["Leaderboard", EXPERIMENTS["agreement"].title]
    app.text_input(key=f"report.title-{second}").set_value("Which agree").run()
    app.text_area(key=f"report.note-{second}").set_value("As we thought.").run()
    app.button(key=f"report-Up-{second}").click().run()
    assert keys(fine(app)) == [second, first]
    assert headings(app) == ["Which agree", "Leaderboard"]
    assert app.text_area(key=f"report.note-{second}").value == "As we thought."
    app.button(key=f"report-Remove-{second}").click().run()
    assert keys(fine(app)) == [first]


def test_page_when_the_report_is_made_then_its_numbers_come_again(filled):
    app = filled
    next(button for button in app.button if button.label == "Make the report").click().run()
    fine(app)
    assert not app.warning
    made = app.session_state["jobs"].waits["Report"].job.result
    assert [entry.item.recipe.experiment for entry in made.entries] == ["leaderboard", "agreement"]
    assert [len(entry.recipe.data.runs) for entry in made.entries] == [30, 6]
    packed = zipfile.ZipFile(io.BytesIO(made.zipped()))
    assert "--top-runs 6" in json.loads(packed.read("manifest.json"))["items"][1]["command"]


def test_report_when_other_data_are_loaded_then_it_is_said_and_not_made_of_them(filled, tiny):
    app = filled
    qrels, runs = tiny
    app.session_state["visitor"].dataset.add(
        [(path.name, path.read_bytes()) for path in (qrels, *runs.iterdir())]
    )
    next(button for button in app.run().button if button.label == "Make the report").click().run()
    assert not app.exception
    made = app.session_state["jobs"].waits["Report"].job.result
    # what everybody sees is still at hand
    assert [entry.error for entry in made.entries] == ["", ""]
    app.session_state["visitor"].report["items"][0]["recipe"]["data"]["fingerprint"] = "0" * 32
    app.session_state["visitor"].report = dict(app.session_state["visitor"].report)
    next(button for button in app.run().button if button.label == "Make the report").click().run()
    assert "Its data are not loaded" in app.warning[0].value


def test_report_when_the_server_starts_again_then_it_is_there_for_its_visitor_alone(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("IRMEVAL_HOME", str(tmp_path))
    app = dashboard(cookie=COOKIE, measures=["AP"])
    add(app.switch_page("pages/runs/leaderboard.py").run(), "leaderboard")
    visitors._here.clear()
    assert len(keys(fine(dashboard(cookie=COOKIE).switch_page(PAGE).run()))) == 1
    assert keys(fine(dashboard(cookie="b" * 32).switch_page(PAGE).run())) == []
    with store.transaction() as db:
        assert db.execute("SELECT sum(length(value)) FROM setting").fetchone()[0] < 5000


def test_result_when_it_is_in_the_report_then_its_page_says_so_and_the_menu_counts_it():
    app = dashboard(measures=["AP", "Q"]).switch_page("pages/runs/leaderboard.py").run()
    assert app.session_state["report"].counted == 0
    add(app, "leaderboard")
    assert app.session_state["report"].counted == 1
    assert "report-leaderboard" not in [button.key for button in app.button]
    assert "Already in the report, as result 1" in [
        link.proto.label for link in app.get("page_link")
    ]
    app.sidebar.number_input(key="top_runs").set_value(6).run()
    assert "report-leaderboard" in [button.key for button in fine(app).button]


def test_result_when_added_twice_then_it_is_in_the_report_once(monkeypatch):
    app = dashboard(measures=["AP", "Q"]).switch_page("pages/runs/leaderboard.py").run()
    twice = reporting.add
    monkeypatch.setattr(reporting, "add", lambda *given: [twice(*given), twice(*given)])
    add(app.run(), "leaderboard")
    assert len(app.session_state["visitor"].report["items"]) == 1


def test_page_when_results_were_added_then_each_has_its_finding_and_a_picture():
    app = two_added()
    kept = app.session_state["visitor"].report["items"]
    shown = texts(app)
    assert all(escape_markdown(item["finding"]) in shown for item in kept)
    pictures = [html.body for html in app.get("html") if 'class="thumbnail"' in html.body]
    assert len(pictures) == 2
    assert all('src="data:image/svg+xml;base64,' in picture for picture in pictures)


def test_link_when_it_opens_a_result_again_then_the_page_makes_the_same():
    app = add(
        opened(
            "pages/measures/agreement.py",
            {"measures": ["AP", "Q"], "top_runs": "6", "agreement.alpha": "0.02"},
        ),
        "agreement",
    )
    (kept,) = app.session_state["visitor"].report["items"]
    page, _, query = kept["view"].partition("?")
    again = add(opened(f"pages/measures/{page}.py", parse_qs(query)), "agreement")
    (item,) = again.session_state["visitor"].report["items"]
    assert item["recipe"] == kept["recipe"]
    assert item["recipe"]["params"]["alpha"] == 0.02
    links = [
        html.body
        for html in fine(app.switch_page(PAGE).run()).get("html")
        if 'class="again"' in html.body
    ]
    assert escape(kept["view"]) in links[0]


def test_page_when_the_server_was_started_again_then_pictures_come_with_the_report(filled):
    app = filled
    assert not app.session_state["visitor"].pictures
    next(button for button in app.button if button.label == "Make the report").click().run()
    assert {*fine(app).session_state["visitor"].pictures} == {*keys(app)}
    assert (
        len([html for html in app.get("html") if 'class="thumbnail" src="data:image' in html.body])
        == 2
    )


def test_report_when_it_is_full_then_nothing_is_added(filled):
    visitor = filled.session_state["visitor"]
    items = visitor.report["items"]
    visitor.report = {
        **visitor.report,
        "items": [{**items[0], "key": str(i)} for i in range(ITEMS)],
    }
    app = filled.switch_page("pages/runs/leaderboard.py").run()
    app.button(key="report-leaderboard").click().run()
    assert len(visitor.report["items"]) == ITEMS
    assert any(f"at most {ITEMS} items" in toast.value for toast in app.toast)


def test_result_when_it_is_added_while_files_are_read_then_is_of_the_data_on_screen(monkeypatch):
    app = dashboard(measures=["AP"]).switch_page("pages/runs/leaderboard.py").run()
    shown, read = app.session_state["report"].shown["leaderboard"], frame._read_data

    def press_and_read(asked):
        reporting.add(*shown)
        return read(asked)

    monkeypatch.setattr(frame, "_read_data", press_and_read)
    (item,) = app.run().session_state["visitor"].report["items"]
    assert item["on"] == app.session_state["redraw"].view.scores().name


def test_page_when_names_are_hostile_then_they_are_words():
    app = opened("pages/runs/leaderboard.py", {"measures": ["AP"]}, desk=hostile.dataset())
    add(app, "leaderboard").switch_page(PAGE).run()
    assert not app.exception
    assert all("<b>" not in caption.value.replace("\\<b\\>", "") for caption in app.caption)


def made_report(app):
    """The report of what was added, once it is made."""
    next(
        button for button in app.switch_page(PAGE).run().button if button.label == "Make the report"
    ).click().run()
    made = fine(app).session_state["jobs"].waits["Report"].job.result
    assert [entry.error for entry in made.entries] == [""] * len(made.entries)
    return made


def test_report_when_judges_were_compared_then_it_is_made_of_the_same_and_comes_again(tiny):
    qrels, runs = tiny
    desk = dataset_of([(path.name, path.read_bytes()) for path in (qrels, *runs.iterdir())])
    model = "".join(
        f"{t} 0 {d} {1 - min(int(g), 1)}\n"
        for t, _, d, g in map(str.split, qrels.read_text().splitlines())
    )
    assert desk.add_judges([("model.txt", model.encode())]) == []
    app = dashboard(desk)
    app.session_state["measures"] = ["AP"]
    app.query_params["topics_only"] = "1,2,4"
    add(app.switch_page("pages/planning/judges.py").run(), "judges")
    app.segmented_control(key="other").set_value("simulated").run()
    team = next(name for name in app.selectbox(key="biased").options if name != "everything")
    add(app.selectbox(key="biased").set_value(team).run(), "judges")
    add(app.switch_page("pages/planning/systems.py").run(), "systems")
    app.sidebar.selectbox(key="judged_by").set_value("model").run()
    add(app.switch_page("pages/runs/leaderboard.py").run(), "leaderboard")
    add(app.switch_page("pages/planning/systems.py").run(), "systems")
    made = made_report(app)
    panels = [entry.recipe.panel for entry in made.entries]
    assert [panel.names[0] for panel in panels] == ["qrels", "qrels", "qrels", "model", "model"]
    assert [panel.names[1:] for panel in panels[:3]] == [
        ("model",),
        (f"lenient on {team}",),
        ("model",),
    ]
    assert panels[1].judges[1].simulated.startswith("simulated:lenient,0.3,1,")
    assert "By the judgments of model; others: qrels" in texts(app)
    assert "--other model=FILE" in app.code[-1].value
    (runs.parent / "model.txt").write_text(model)
    (runs.parent / "report.zip").write_bytes(made.zipped())
    rows, _, _ = manifest.rerun(
        manifest.read(runs.parent / "report.zip"),
        manifest.AtHand(
            lambda policy: irmeval.read_collection(qrels, runs, **asdict(policy)),
            {"model": runs.parent / "model.txt"},
        ),
    )
    assert not [row for row in rows if not row.same]
    desk.judges.clear()
    next(button for button in app.run().button if button.label == "Make the report").click().run()
    assert all("the judgments of model" in warning.value for warning in app.warning)
