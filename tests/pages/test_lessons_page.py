"""The page of lessons, in memory."""

import json
import re
import shutil
from functools import cache
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from irmeval import lessons
from irmeval.core.errors import ReadError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.learn.lab import Params, lab
from irmeval.lessons import reading
from irmeval.ui.pages import course
from irmeval.ui.pages import lessons as page
from irmeval.ui.server import serve
from irmeval.ui.state.cache import store
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor, read_settings, rows_of_settings
from irmeval.ui.widgets import ranked_list
from tests import dashboard
from tests.cases import SAMPLE, read_once
from tests.dashboard import fine, links, texts

SCRIPT = "pages/learn/lessons.py"


def opened(lesson: str = "", step: str = "", **more: object) -> AppTest:
    """The page at the address of a lesson, or of a step of it."""
    query = {name: text for name, text in (("lesson", lesson), ("step", step)) if text}
    return dashboard.opened(SCRIPT, query, **more)


def at(app: AppTest) -> list[list[str]]:
    """Which lesson and step the address names."""
    found = [app.query_params.get(name, []) for name in ("lesson", "step")]
    return [[value] if isinstance(value, str) else value for value in found]


@cache
def told(name: str) -> lessons.Answer:
    """A lesson's answer on the sample, of what the page may have computed already."""
    lesson = lessons.load(name)
    experiment = EXPERIMENTS[lesson.experiment]
    source = lesson.on(read_once(*SAMPLE)) if experiment.data else None
    return lessons.answer_of(
        lesson, experiment(source, lesson.measures, lesson.params, store=store())
    )


def shown(app: AppTest) -> bool:
    """Whether there is a figure."""
    return bool(app.get("plotly_chart")) or any(
        "class=toy" in block.proto.body for block in app.get("html")
    )


def scenes(app: AppTest) -> int:
    """How many lists are shown that a question is about."""
    return sum("class=scene" in block.proto.body for block in app.get("html"))


def test_lessons_when_opened_then_all_are_offered_and_one_begins_with_its_question():
    app = fine(opened())
    assert [button.key for button in app.button if button.key.startswith("open-")] == [
        f"open-{name}" for name in lessons.names()
    ]
    # the first one's
    assert [button.key for button in app.button if button.key.startswith("guess-")] == [
        "guess-1",
        "guess-2",
        "guess-3",
    ]
    assert scenes(app) == 1
    app.button(key="open-q_blends").click().run()
    assert fine(app).title[0].value == lessons.load("q_blends").question
    assert scenes(app) == 1
    assert at(app) == [["q_blends"], ["question"]]


def test_lessons_when_the_first_is_answered_at_once_then_its_figure_comes_and_the_next_one_asks():
    names, app = lessons.names(), fine(opened())
    app.button(key="guess-1").click().run()
    assert at(fine(app)) == [[names[0]], ["figure"]]
    app.button(key="lessons_all").click().run()
    assert (
        next(button.key for button in app.button if button.key.startswith("open-"))
        == f"open-{names[1]}"
    )


def test_guess_when_wrong_then_the_right_answer_is_said():
    app = opened("ideal_rbp")
    app.button(key="guess-1").click().run()
    assert "Your answer: A. The right answer is B: Less than 1" in texts(fine(app))


def said(app: AppTest) -> str:
    return texts(app) + " ".join(button.label for button in app.button)


@pytest.fixture(scope="module")
def overview() -> str:
    """What the page says to who has answered nothing yet."""
    return said(fine(opened()))


@pytest.mark.parametrize("name", lessons.names())
def test_title_when_the_answer_is_not_given_yet_then_is_not_shown(name, overview):
    title = lessons.load(name).title
    assert title not in overview
    assert title not in said(fine(opened(name)))


def test_score_when_lessons_were_answered_then_stands_above_with_their_titles_until_begun_again():
    app = opened("ideal_rbp")
    app.button(key="guess-2").click().run()
    assert f"Lesson {lessons.names().index('ideal_rbp') + 1} · Answer, 2 of 4" in texts(fine(app))
    app.button(key="lessons_all").click().run()
    app.button(key="open-one_rank_down").click().run()
    app.button(key="guess-1").click().run()
    app.button(key="lessons_all").click().run()
    assert f"Score: 1 of 2 lessons right. {len(lessons.names()) - 2} lessons to go." in texts(
        fine(app)
    )
    marks = {
        name: app.button(key=f"open-{name}").icon
        for name in ("ideal_rbp", "one_rank_down", "tenth_left")
    }
    assert marks == {
        "ideal_rbp": ":material/check:",
        "one_rank_down": ":material/close:",
        "tenth_left": "",
    }
    assert lessons.load("ideal_rbp").title in app.button(key="open-ideal_rbp").label
    app.button(key="lessons_again").click().run()
    assert "Score" not in texts(fine(app))
    assert lessons.load("ideal_rbp").question in app.button(key="open-ideal_rbp").label


def test_steps_when_gone_through_then_end_at_the_question_of_the_next_lesson_and_back_leads_back():
    app, seen = opened("ideal_rbp", "figure"), []
    for _ in range(3):
        app.button(key="lesson_next").click().run()
        seen.append((*at(fine(app)), app.title[0].value))
    assert [(lesson, step) for lesson, step, _ in seen] == [
        (["ideal_rbp"], ["formula"]),
        (["ideal_rbp"], ["source"]),
        (["unjudged_on_top"], ["question"]),
    ]
    assert app.button(key="lesson_back").disabled
    last = opened(lessons.names()[-1], "source")
    last.button(key="lesson_next").click().run()
    assert at(fine(last)) == [[], []]
    assert last.title[0].value.endswith("in a minute?")


def test_formula_when_shown_then_stands_beside_its_numbers():
    app = fine(opened("ideal_rbp", "formula"))
    assert (
        ", \\qquad ".join(part.value.strip("$\n ") for part in app.latex)
        == lessons.load("ideal_rbp").formula
    )
    assert told("ideal_rbp").work in texts(app)


@pytest.mark.parametrize(
    "query", [{"lesson": "<script>alert(1)</script>"}, {"lesson": "x" * 5000}, {"step": "figure"}]
)
def test_address_when_it_names_no_lesson_then_all_are_offered(query):
    app = fine(dashboard.opened(SCRIPT, query))
    assert app.button(key="open-ideal_rbp")
    assert [len(warning.value) < 500 for warning in app.warning] == [True] * ("lesson" in query)


def test_address_when_it_names_no_step_then_the_lesson_begins_with_its_question():
    app = fine(opened("ideal_rbp", "../end"))
    assert app.title[0].value == lessons.load("ideal_rbp").question
    assert "there is no '../end'" in app.warning[0].value


def on_small_data(lesson: str) -> AppTest:
    """The figure of a lesson, for a visitor with two topics and two runs, of which one
    is the other upside down.
    """
    desk = Dataset()
    documents = [f"d{i}" for i in range(8)]
    qrels = "".join(f"{t} 0 {d} {int(i < 4)}\n" for t in "12" for i, d in enumerate(documents))
    run = "".join(
        f"{t} Q0 {d} {i + 1} {9 - i} {{0}}\n" for t in "12" for i, d in enumerate(documents)
    )
    upside_down = "".join(
        f"{t} Q0 {d} {i + 1} {9 - i} worse\n" for t in "12" for i, d in enumerate(documents[::-1])
    )
    desk.add(
        [
            ("qrels.txt", qrels.encode()),
            ("better", run.format("better").encode()),
            ("worse", upside_down.encode()),
        ]
    )
    app = dashboard.dashboard(desk)
    app.query_params.update(lesson=lesson, step="figure")
    return app.switch_page(SCRIPT).run()


def test_lesson_when_it_does_not_hold_on_the_visitors_data_then_says_so_with_the_numbers():
    app = on_small_data("tenth_left")
    assert not app.exception
    assert (
        app.title[0].value
        == "With 10% of the judgments left, Kendall's tau is 1.00 for AP and 1.00 for AP'."
    )
    assert "Your data: C: Both alike" in app.warning[0].value
    assert "The sample: A: AP', which skips unjudged documents" in app.warning[0].value
    assert "The right answer is C: Both alike" in texts(app)
    app.button(key="lesson_back").click().run()
    app.button(key="guess-3").click().run()
    assert "Your answer: C. That is right." in texts(app)
    app.toggle(key="lessons.own").set_value(False).run()
    assert app.title[0].value == told("tenth_left").punch


def test_lesson_when_the_visitors_data_have_no_answer_then_figure_is_of_the_sample_and_says_why():
    app = on_small_data("power_and_topics")
    assert fine(app).title[0].value == told("power_and_topics").punch
    assert (
        "Shown on the sample, since your data give no answer: power\\_and\\_topics"
        in app.main.caption[0].value
    )
    app.query_params["step"] = "source"
    assert "on the synthetic sample collection" in texts(fine(app.run()))


def test_lesson_when_its_experiment_refuses_the_visitors_data_then_is_told_on_the_sample():
    app = on_small_data("ten_unjudged")
    assert fine(app).title[0].value == told("ten_unjudged").punch
    assert not app.error
    assert "Shown on the sample, since your data give no answer: " in texts(app)


def test_question_when_asked_then_its_answer_is_computed_while_the_class_thinks(monkeypatch):
    asked = []
    monkeypatch.setattr(
        page.experiment, "run", lambda view, name, *of, **more: asked.append((name, more["title"]))
    )
    fine(opened("tenth_left"))
    assert asked == [("curves", "Answer on the sample")]


def test_teach_a_class_when_pressed_then_lessons_open_and_lead_to_the_lab_and_to_top_heaviness():
    assert [
        link.page
        for link in links(fine(dashboard.dashboard().run()))
        if link.label == "Teach a class"
    ] == ["lessons"]
    assert [link.page for link in links(fine(opened()))][-3:] == [
        "lab",
        "exercises",
        "top-heaviness",
    ]


def test_file_when_faulty_then_the_page_says_why_and_tells_the_others(monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    shutil.copy(lessons.FOLDER / "ideal_rbp.toml", tmp_path)
    (tmp_path / "mine.toml").write_text('title = "<b>"')
    app = opened()
    assert not app.exception
    assert app.button(key="open-ideal_rbp")
    assert "mine.toml, question: expected a text, found nothing" in app.error[0].value
    app = opened("mine")
    assert not app.exception
    assert "mine.toml" in app.error[0].value


def test_lesson_when_what_it_says_is_right_does_not_follow_then_the_page_says_so_and_no_answer(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(reading, "FOLDER", tmp_path)
    text = (lessons.FOLDER / "ideal_rbp.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(text.replace("right = 2", "right = 1"))
    (tmp_path / "other.toml").write_text(text.replace('"curves"', '"nope"'))
    for name, why in (
        ("mine", "mine.toml, right: expected 2"),
        ("other", "other.toml, chart: expected one of curves, found 'nope'"),
    ):
        app = opened(name, "figure")
        assert not app.exception
        assert app.title[0].value == "This cannot be answered"
        assert why in app.warning[0].value
        assert "ight is" not in texts(app)


def test_lesson_when_a_result_so_far_lacks_its_chart_then_waits_and_does_not_say_there_is_no_answer(
    monkeypatch,
):
    so_far = SimpleNamespace(params=None, charts=list, tables=list)
    monkeypatch.setattr(page.experiment, "run", lambda *args, **more: so_far)
    for step in ("figure", "formula", "source"):
        app = fine(opened("ten_unjudged", step))
        assert [title.value for title in app.title] == [page.WAITS]
        assert not app.warning


def test_swaps_when_drawn_then_documents_that_changed_places_are_marked_and_lists_have_scores():
    result = lab(None, ["AP"], Params("0-1-u", "1", 1, 2, 2, 3))
    shown = ranked_list.figure(result, "swaps")
    assert shown.count("moved") == 2 * 2
    assert [
        f"<th>{title}</th>" in shown for title in ("as it is", "first swap", "second swap")
    ] == [True] * 3
    for run in ("list", "swap 1", "swap 2"):
        assert f"<td>{result.score(result.measures[0], run)[0]:.3f}" in shown


def own_lesson() -> str:
    """The text of a lesson of one's own, which comes first."""
    text = (lessons.FOLDER / "ideal_rbp.toml").read_text(encoding="utf-8")
    return re.sub(
        r"^question = .*$",
        'question = "Mine <b>?"',
        re.sub(r"^place = .*$", "place = -1", text, flags=re.M),
        flags=re.M,
    )


def test_lessons_when_a_visitor_dropped_one_then_it_is_told_like_the_others_until_removed():
    app = dashboard.dashboard()
    app.session_state["visitor"] = Visitor(lessons={"mine": own_lesson()})
    app.switch_page(SCRIPT).run()
    assert (
        next(button.key for button in fine(app).button if button.key.startswith("open-"))
        == "open-mine"
    )
    app.button(key="guess-2").click().run()
    assert at(fine(app)) == [["mine"], ["figure"]]
    assert "That is right" in texts(app)
    app.button(key="lessons_all").click().run()
    app.button(key="remove-mine").click().run()
    assert "open-mine" not in [button.key for button in fine(app).button]


def test_lesson_when_dropped_then_is_kept_with_its_visitor_or_refused_as_the_command_refuses_it(
    monkeypatch,
):
    visitor = Visitor("one")
    monkeypatch.setattr(course.visitors, "here", lambda: visitor)
    course._add("mine.toml", own_lesson().encode())
    for file, data, why in (
        ("ideal_rbp.toml", own_lesson(), "ideal_rbp.toml: expected a name of its own"),
        ("other.toml", "title = 1", "other.toml, title: expected a text"),
        (
            "other.toml",
            own_lesson().replace("right = 2", "right = 1"),
            "other.toml, right: expected 2, as its claims hold, found 1",
        ),
        (
            "other.toml",
            own_lesson().replace('"curves"', '"nope"'),
            "other.toml, chart: expected one of curves",
        ),
        ("../x.toml", own_lesson(), "expected a name of small letters"),
    ):
        with pytest.raises(ReadError, match=re.escape(why)):
            course._add(file, data.encode())
    monkeypatch.setattr(course, "MAX_LESSONS", 1)
    with pytest.raises(ReadError, match="at most 1 lessons"):
        course._add("more.toml", own_lesson().encode())
    again = Visitor("one")
    read_settings(
        again, {key[2]: json.loads(row[0]) for key, row in rows_of_settings(visitor).items()}
    )
    assert again.lessons == visitor.lessons == {"mine": own_lesson()}


def test_lessons_when_the_address_names_some_then_are_told_in_its_order_and_unknown_ones_named():
    app = fine(dashboard.opened(SCRIPT, {"lessons": "tenth_left,ideal_rbp,nope<b>"}))
    assert [button.key for button in app.button if button.key.startswith("open-")] == [
        "open-tenth_left",
        "open-ideal_rbp",
    ]
    assert "There is no lesson nope" in app.warning[0].value
    app.button(key="open-tenth_left").click().run()
    for _ in range(4):
        app.button(key="lesson_next").click().run()
    assert at(fine(app)) == [["ideal_rbp"], ["question"]]


def test_folder_when_served_then_its_lessons_are_among_the_others_and_faulty_ones_are_refused(
    monkeypatch, tmp_path
):
    monkeypatch.setenv(reading.SERVED, "")
    for name, text, why in (
        ("none", "", "a folder with lessons"),
        ("ideal_rbp.toml", own_lesson(), "a name of its own"),
        ("mine.toml", "title = 1", "mine.toml, title"),
    ):
        if text:
            (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(ReadError, match=why):
            reading.serve_folder(str(tmp_path))
        (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / "mine.toml").write_text(own_lesson(), encoding="utf-8")
    reading.serve_folder(str(tmp_path))
    assert lessons.names()[0] == "mine"
    assert (
        next(button.key for button in fine(opened()).button if button.key.startswith("open-"))
        == "open-mine"
    )


def test_folder_when_a_lesson_in_it_contradicts_itself_then_the_server_does_not_begin(
    monkeypatch, tmp_path
):
    monkeypatch.setenv(reading.SERVED, "")
    (tmp_path / "mine.toml").write_text(own_lesson().replace("right = 2", "right = 1"))
    with pytest.raises(ReadError, match="mine.toml, right: expected 2"):
        serve.serve(serve.ServeOptions(lessons=str(tmp_path)))


def test_handouts_when_offered_then_are_of_the_lesson_on_its_last_step_and_of_the_course_on_a_list(
    monkeypatch,
):
    labels = [["Questions", "With solutions", "Notebook"]] * 2
    assert [
        [b.proto.label for b in opened(*of).get("download_button")]
        for of in ((), ("ideal_rbp", "source"))
    ] == labels
    monkeypatch.setattr(page, "own_collection", lambda view: None)
    monkeypatch.setattr(course, "names", lambda: ("ideal_rbp", "tenth_left"))
    monkeypatch.setattr(page, "sample", lambda: read_once(*SAMPLE))
    assert [answer.punch for answer in page._course(SimpleNamespace())] == [
        told("ideal_rbp").punch,
        told("tenth_left").punch,
    ]
