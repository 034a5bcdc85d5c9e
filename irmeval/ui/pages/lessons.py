"""The page of lessons: all of them, or one, step by step."""

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Names
from functools import partial
from itertools import groupby
from string import ascii_uppercase
from typing import Any, cast

import streamlit as st

from irmeval import lessons
from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.folders import PAGES, SAMPLE
from irmeval.core.registry import nearest_names
from irmeval.core.tables import escape_markdown
from irmeval.core.text import shorten
from irmeval.experiments import EXPERIMENTS, Chart
from irmeval.lessons import Answer, Lesson, handout, votes
from irmeval.plots import display
from irmeval.plots.display import mode_bar
from irmeval.plots.projected import projected, with_lines
from irmeval.reading.policy import DEFAULT
from irmeval.ui.pages import course, room
from irmeval.ui.state import server_files
from irmeval.ui.state.mailboxes import LESSONS, Lessons
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, inputs, output, ranked_list
from irmeval.ui.widgets.answer import errors_shown

WAITS = "Some trials are still missing"
"""Title while numbers may still change."""
STEPS = {"question": "Question", "figure": "Answer", "formula": "Formula", "source": "Source"}
ROW = 3
"""Number of lessons side by side."""
MORE = {
    "learn/lab.py": "Examples in the metric lab",
    "learn/exercises.py": "Exercises",
    "learn/top-heaviness.py": "Top-heaviness",
}
"""Labels of links to pages by script."""
HANDOUTS = (
    ("With solutions", handout.html, "html", "text/html"),
    ("Notebook", handout.notebook, "ipynb", "application/x-ipynb+json"),
)
"""Label, writer, ending and kind of each file with answers."""


def asked_lesson() -> str:
    """Lesson in the URL; empty if there is none."""
    names, query = course.names(), st.query_params
    inputs.refuse_unless_valid("lesson", partial(_check_name, names))
    inputs.refuse_unless_option("step", STEPS, "step")
    lesson = widgets["lesson"] = query.get("lesson", "")
    if lesson not in names:
        return ""
    return lesson


def _check_name(names: Names[str], name: str) -> None:
    """Raise `ParamError` for a name that no lesson has."""
    if not name or name in names:
        return
    near = "all are listed below"
    if close := nearest_names(name, names):
        near = f"nearest: {', '.join(close)}"
    raise ParamError(f"lesson: there is no {shorten(name)}; {near}.")


def show(view: View, name: str) -> None:
    """Step of a lesson in the URL."""
    step = st.query_params.get("step")
    if step not in STEPS:
        step = "question"
    try:
        lesson = course.load(name)
    except IrmevalError as error:
        st.title("This lesson cannot be shown")
        st.error(escape_markdown(str(error)))
        return
    with st.container(key="lesson"):
        _step(view, lesson, step)


def show_all(view: View) -> None:
    """Draw all lessons, a card each."""
    names, given, counted = course.names(), LESSONS.get().right, _votes()
    here = room.code()
    if given:
        with st.container(key="score", horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{votes.score(counted, given, len(names))}**", width="content")
            st.button(
                "Begin again",
                key="lessons_again",
                on_click=_begin_again,
                help="Clears all votes and hides the answers.",
            )
    if here:
        with st.container(key="room_door", horizontal=True, vertical_alignment="center"):
            room.invite(here)
    now = next((name for name in names if name not in given), "")
    if now:
        with st.container(border=True, key="lesson_now"):
            # in a room telephones vote, and a press here would show the answer
            _offer_one(now, names.index(now) + 1, counted, choices=not here)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not here:
            room.offer()
        for script, label in MORE.items():
            st.page_link(str(PAGES / script), label=label, width="content")
    for part, of in groupby(enumerate(names, 1), key=lambda numbered: _part(numbered[1])):
        if part:
            st.markdown(f"## {escape_markdown(part)}")
        with st.grid(ROW):
            for number, name in of:
                if name != now:
                    _offer_one(name, number, counted)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("The whole course on paper:", width="content")
        _handouts("lessons", _lessons, partial(_course, view))
    course.choose()


def _part(name: str) -> str:
    """The part of the course to which a lesson belongs; empty for a broken file."""
    try:
        return course.load(name).part
    except IrmevalError:
        return ""


def _offer_one(
    name: str, number: int, counted: Mapping[str, Sequence[int]], *, choices: bool = False
) -> None:
    """Draw a lesson's question, or its title after its answer; with choices, of which
    one can be taken at once.
    """
    with errors_shown():
        lesson = course.load(name)
        text = lesson.title if LESSONS.get().right.get(name) == lesson.right else lesson.question
        label = f"**{number}** \u2002 {escape_markdown(text)}"
        st.button(
            label,
            key=f"open-{name}",
            icon=_mark(name, counted.get(name, ())),
            width="stretch",
            wrap=True,
            on_click=go,
            args=(name,),
        )
        if not choices:
            return
        _scene(lesson)
        for i, column in enumerate(st.columns(len(lesson.choices)), 1):
            column.button(
                _labels(lesson)[i - 1],
                key=f"guess-{i}",
                width="stretch",
                wrap=True,
                on_click=choose,
                args=(lesson, i),
            )


def go(name: str, step: str = "question") -> None:
    """Go to a step of a lesson; without a name, to the list of lessons."""
    if name:
        st.query_params.update(lesson=name, step=step)
    else:
        if here := room.code():
            room.close(here)
        for key in ("lesson", "step"):
            st.query_params.pop(key, None)


def choose(lesson: Lesson, choice: int) -> None:
    """Record a single vote and show the answer."""
    LESSONS.get().votes[lesson.name] = [int(i == choice) for i in range(1, len(lesson.choices) + 1)]
    go(lesson.name, "figure")


def _votes() -> dict[str, list[int]]:
    """Lesson -> votes for each choice, of the last round."""
    return LESSONS.get().votes | {lesson: of[-1] for lesson, of in room.rounds().items()}


def _begin_again() -> None:
    LESSONS.set(Lessons())


def _mark(name: str, counts: Sequence[int]) -> str | None:
    """Whether a lesson was answered right; None if it was not answered, or its answer
    was not shown yet.
    """
    right = LESSONS.get().right.get(name)
    if right is None or not sum(counts):
        return None
    if votes.is_right(counts, right):
        return ":material/check:"
    return ":material/close:"


def _step(view: View, lesson: Lesson, step: str) -> None:
    """Draw one step: a bar to move on and back, and one idea. All but the question give
    the answer away, so that votes close before they are drawn.
    """
    own_data, here = _bar(view, lesson, step), room.code()
    if step != "question" and here:
        room.close(here, lesson.name)
    if step == "question":
        st.title(escape_markdown(lesson.question))
        _scene(lesson)
        if here:
            room.count(here, lesson)
        else:
            _ask(lesson)
        _prepare(view, lesson, own_data)
    elif found := _answer(view, lesson, own_data):
        answer, own_data = found
        if step == "figure":
            _figure(answer, own_data)
        elif step == "source":
            _source(answer, own_data)
        else:
            _formula(answer)


def _scene(lesson: Lesson) -> None:
    """Draw the lists that the question is about."""
    if shown := ranked_list.scene(lesson):
        st.html(shown)


def _labels(lesson: Lesson) -> list[str]:
    return [
        f"**{ascii_uppercase[i]}** \u2002 {escape_markdown(text)}"
        for i, text in enumerate(lesson.choices)
    ]


def _ask(lesson: Lesson) -> None:
    for i, label in enumerate(_labels(lesson)):
        st.button(
            label,
            key=f"guess-{i + 1}",
            width="stretch",
            wrap=True,
            on_click=choose,
            args=(lesson, i + 1),
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption("Choose, or press → to see the answer.", width="content")
        room.offer()


def _bar(view: View, lesson: Lesson, step: str) -> bool:
    """Draw the navigation buttons; returns whether the lesson uses the visitor's own
    data.
    """
    at, steps = [*STEPS].index(step), [*STEPS]
    number, own_data = course.names().index(lesson.name) + 1, False
    with st.container(
        key="lesson_bar",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        st.button(
            "All lessons",
            key="lessons_all",
            type="tertiary",
            icon=":material/apps:",
            on_click=go,
            args=("",),
        )
        st.markdown(f"Lesson {number} · {STEPS[step]}, {at + 1} of {len(STEPS)}", width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            if lesson.data and own_collection(view):
                own_data = inputs.toggle(
                    "On my data", True, name="own", help="Off: the synthetic sample collection."
                )
            back = (lesson.name, steps[max(at - 1, 0)])
            st.button(
                "Back", key="lesson_back", shortcut="Left", disabled=at == 0, on_click=go, args=back
            )
            st.button(
                "Next",
                key="lesson_next",
                shortcut="Right",
                type="primary",
                on_click=go,
                args=_after(lesson.name, step),
            )
    return own_data


def _after(name: str, step: str) -> tuple[str, str]:
    """Next step; after the last, the next lesson; after the last lesson, all of
    them.
    """
    steps, names = [*STEPS], course.names()
    if step != steps[-1]:
        return name, steps[steps.index(step) + 1]
    following = [*names[1:], ""]
    return following[names.index(name)], steps[0]


def own_collection(view: View) -> Collection | None:
    """The visitor's own runs, if lessons can use them in place of the sample."""
    if view.on_sample or not view.has_runs:
        return None
    return view.selected().collection


def sample() -> Collection:
    """The sample collection, read once."""
    return server_files.collection(SAMPLE / "qrels.txt.gz", (SAMPLE / "runs",), DEFAULT)


def _result(
    view: View, lesson: Lesson, own_data: bool, refuse: Callable[[IrmevalError], object]
) -> Any:
    """Result of the lesson's experiment, None while it is computed or if it refuses the
    data.
    """
    title, collection = "Answer on the sample", sample
    if own_data:
        title, collection = "Answer", lambda: view.selected().collection
    on = None
    if EXPERIMENTS[lesson.experiment].data:
        on = lesson.on(collection())
    return experiment.run(
        view, lesson.experiment, lesson.measures, lesson.params, title=title, on=on, refuse=refuse
    )


def _prepare(view: View, lesson: Lesson, own_data: bool) -> None:
    """Compute the answer while the class thinks; without one on the visitor's own data,
    that on the sample.
    """
    refused: list[IrmevalError] = []
    _result(view, lesson, own_data, refused.append)
    if own_data and refused:
        _result(view, lesson, False, refused.append)


def _answer(view: View, lesson: Lesson, own_data: bool) -> tuple[Answer, bool] | None:
    """The answer, on the sample if the visitor's own data have none, and whether it is
    on own data; None with a reason if there is none.
    """
    refused: list[IrmevalError] = []
    result = _result(view, lesson, own_data, refused.append)
    if result is None and not refused:
        return None
    so_far = result is not None and result.params != lesson.params
    try:
        if refused:
            raise refused[0]
        answer = lessons.answer_of(lesson, result)
        if not own_data and not so_far:
            # own data may answer otherwise, the sample may not
            lessons.check_right(answer)
        return answer, own_data
    except IrmevalError as error:
        if so_far:  # a first result may lack the chart and the numbers
            st.title(WAITS)
            return None
        if own_data:
            st.caption(
                escape_markdown(f"Shown on the sample, since your data give no answer: {error}")
            )
            return _answer(view, lesson, False)
        st.title("This cannot be answered")
        st.warning(escape_markdown(str(error)))
        return None


def _figure(answer: Answer, own_data: bool) -> None:
    lesson, result = answer.lesson, cast(Any, answer.result)
    so_far = result.params != lesson.params
    if so_far:  # its numbers still change
        st.title(WAITS)
    else:
        _recall(lesson, answer)
        st.title(escape_markdown(answer.punch))
    if own_data and not answer.holds and not so_far:
        sample_has = _choice(lesson, lesson.right)
        st.warning(escape_markdown(f"Your data: {answer.verdict} The sample: {sample_has}"))
    if lesson.experiment == "lab":
        st.html(ranked_list.figure(result, lesson.chart))
    else:
        with st.container(key="figure", gap=None):
            for place, chart in zip(st.columns(len(answer.charts)), answer.charts, strict=True):
                with place:
                    _chart(answer, chart)
    st.caption(escape_markdown(answer.look))


def _chart(answer: Answer, chart: Chart) -> None:
    """Draw a chart with the lines of the lesson alone, for a lecture room."""
    drawn = projected(with_lines(chart.draw(), answer.lesson.lines))
    figure = display.on_page(drawn, st.context.theme.type == "dark")
    st.html(f"<style>.st-key-figure {{--height: {figure['layout']['height']}px}}</style>")
    st.plotly_chart(
        display.figure_to_send(figure),
        key=f"chart-lesson-{chart.name}",
        config=mode_bar(answer.lesson.name) | {"displayModeBar": False},
        alt=answer.look,
        theme=None,
    )


def _formula(answer: Answer) -> None:
    """The formula, what its symbols mean, and the formula at work."""
    formula = answer.lesson.formula
    st.title("The formula at work")
    with st.container(
        key="formula", horizontal=True, horizontal_alignment="center", vertical_alignment="center"
    ):
        for part in re.split(r",?\s*(?:\\qquad\s*)+", formula):
            st.latex(part, width="content")
    st.markdown("; ".join(f"${symbol}$: {meaning}" for symbol, meaning in answer.lesson.explained))
    if answer.result.params == answer.lesson.params:  # not a preliminary result
        st.markdown(escape_markdown(answer.work))


def _recall(lesson: Lesson, answer: Answer) -> None:
    """Draw question, given answer, and the right answer on the data in use."""
    LESSONS.get().right[lesson.name] = answer.right
    if here := room.code():
        room.tell(here, lesson.name, answer.right)
    *before, counts = room.rounds().get(lesson.name) or [LESSONS.get().votes.get(lesson.name, [])]
    right = answer.verdict
    if answer.right:
        right = f"The right answer is {answer.verdict}."
    # one vote is a reader's, not a class's
    if sum(counts) == 1 and votes.is_right(counts, answer.right):
        right = "That is right."
    with st.container(key="asked", gap=None):
        st.markdown(escape_markdown(lesson.question))
        talked = [votes.describe(last, "Before talking") for last in before[-1:]]
        said = " ".join(filter(None, [*talked, votes.describe(counts), right]))
        st.markdown(f"**{escape_markdown(said)}**")


def _choice(lesson: Lesson, choice: int) -> str:
    return f"{ascii_uppercase[choice - 1]}: {lesson.choices[choice - 1]}"


def _source(answer: Answer, own_data: bool) -> None:
    lesson = answer.lesson
    st.title("Source")
    st.markdown(escape_markdown(lesson.source))
    title = EXPERIMENTS[lesson.experiment].title
    on = "the synthetic sample collection"
    if not lesson.data:
        on = "an artificial list"
    elif own_data:
        on = "your data"
    st.caption(
        escape_markdown(f"The numbers were computed just now by the experiment {title}, on {on}.")
    )
    _handouts(lesson.name, lambda: [lesson], lambda: [answer])


def _handouts(
    name: str, asked: Callable[[], list[Lesson]], answers: Callable[[], list[Answer]]
) -> None:
    """Draw buttons that download a handout of some lessons: questions alone, and with
    their answers.
    """
    with st.container(key="handouts", horizontal=True):
        output.download_button(
            "Questions", asked, handout.questions, f"{name}-questions.html", "text/html"
        )
        for label, write, ending, kind in HANDOUTS:
            output.download_button(label, answers, write, f"{name}.{ending}", kind)


def _lessons() -> list[Lesson]:
    """All lessons of the course."""
    return [*map(course.load, course.names())]


def _course(view: View) -> list[Answer]:
    """Answers to all lessons of the course, on the visitor's own data where they have
    one.
    """
    answers = []
    own = own_collection(view)
    for lesson in _lessons():
        try:
            answers.append(lessons.answer(lesson, own or sample()))
        except IrmevalError:
            answers.append(lessons.answer(lesson, sample()))
    return answers
