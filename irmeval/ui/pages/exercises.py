"""The page of exercises: the list, a single exercise, and a form to check codes."""

from dataclasses import fields
from typing import Any, cast

import streamlit as st

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError
from irmeval.core.lazy import pd
from irmeval.core.params import format_value
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness import curves
from irmeval.experiments.learn.lab import lab
from irmeval.lessons import exercises
from irmeval.lessons.exercises import Attempt, Exercise
from irmeval.ui.pages import bench
from irmeval.ui.pages.lessons import own_collection, sample
from irmeval.ui.state import keys
from irmeval.ui.state.mailboxes import EXERCISES
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, inputs, output


def asked_exercise() -> str:
    """The exercise in the URL; empty if there is none."""
    inputs.refuse_unless_option("exercise", exercises.names(), "exercise")
    return (
        st.query_params.get("exercise", "")
        if st.query_params.get("exercise") in exercises.names()
        else ""
    )


def go(name: str) -> None:
    """Open an exercise, or the list if the name is empty."""
    if name:
        st.query_params["exercise"] = name
    else:
        st.query_params.pop("exercise", None)


REACHED: dict[str, Any] = {"icon": ":material/check:", "color": "green"}
NOT_YET: dict[str, Any] = {"icon": ":material/close:", "color": "orange"}
"""How the badge of a part of the goal looks."""


def show_all(view: View) -> None:
    """Draw a card for each exercise, and the form to check codes."""
    st.caption(
        "Make a list, or change the settings, until the goal is reached; then copy the code."
    )
    with st.grid(3, key="exercise_cards"):
        for number, name in enumerate(exercises.names(), 1):
            exercise = exercises.load(name)
            icon = None
            if name in EXERCISES.get().solved:
                icon = ":material/check:"
            label = f"**{number}** \u2002 {escape_markdown(exercise.goal)}"
            st.button(
                label,
                key=f"open-{name}",
                icon=icon,
                width="stretch",
                wrap=True,
                on_click=go,
                args=(name,),
            )
    st.header("Check codes", divider="gray")
    with st.form("codes", border=False):
        help = (
            "One code per line; the numbers are computed again. Other text in the line, such as a"
            " name, is shown beside the result."
        )
        lines = inputs.text(
            "Codes",
            name="codes",
            draw=st.text_area,
            help=help,
            placeholder="Ada  rr_content?list=1-0&rest=1-1-1-1-1#...",
        )
        if st.form_submit_button("Check"):
            EXERCISES.get().checked = exercises.check_all(lines, _collection(view))
    if checked := EXERCISES.get().checked:
        solved = sum(one.solved for one in checked)
        st.markdown(f"{solved} of {count_noun(len(checked), 'line')} solved.")
        output.table(pd.DataFrame([one._asdict() for one in checked]))


def show(view: View, name: str) -> None:
    """Draw an exercise: goal, inputs, and which parts of the goal are reached."""
    exercise, names = exercises.load(name), exercises.names()
    with st.container(
        key="lesson_bar",
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
    ):
        st.button(
            "All exercises",
            key="exercises_all",
            type="tertiary",
            icon=":material/apps:",
            on_click=go,
            args=("",),
        )
        after = names[(names.index(name) + 1) % len(names)]
        st.button("Next exercise", key="exercise_next", on_click=go, args=(after,))
    st.title(escape_markdown(exercise.goal))
    begun = EXERCISES.get()
    # once, since a redraw must leave what was tried
    if begun.opened != name:
        free = {keys.widget_key(part) for part in exercise.free}
        is_link = begun.opened is None and not free.isdisjoint(st.query_params)
        if not is_link:  # which has values
            _start(exercise)
        begun.opened = name
    if exercise.experiment == "lab":
        _work_in_lab(exercise)
    else:
        _work_on_data(view, exercise)


def _start(exercise: Exercise) -> None:
    """Set the page's widgets to the starting values of an exercise; those beside it are
    of all pages.
    """
    bench.forget_before()
    for name, value in vars(exercise.params).items():
        if name in keys.SHARED:
            continue
        if isinstance(value, tuple):
            value = [*map(format_value, value)]
        widgets[keys.widget_key(name)] = value


@answer.fragment
def _work_in_lab(exercise: Exercise) -> None:
    said, (left, right) = st.container(), st.columns([4, 5])
    texts = bench.read_list()
    with right:
        place = st.container()
        swaps = []
        if "a" in exercise.free:
            swaps = bench.read_swaps()
    whole = (
        vars(exercise.params)
        | dict(zip(bench.TEXTS, texts, strict=True))
        | dict(zip("abcd", swaps, strict=False))
    )
    params = bench.check(*whole.values())
    result = lab(measures=exercise.measures, params=params)
    with place:
        bench.board(result, exercise.measures, swaps="a" in exercise.free)
    with left.container(gap="xxsmall"):
        bench.edit(params, _start, exercise)
    with said:
        _judge(exercises.attempt_of(exercise, cast(Any, result)))


def _work_on_data(view: View, exercise: Exercise) -> None:
    said = st.container()
    kind = EXPERIMENTS[exercise.experiment].params
    decided = {
        field.name: getattr(exercise.params, field.name)
        for field in fields(kind)
        if field.name not in exercise.free
    }
    levels = {}
    if kind is curves.Params:
        levels = {"levels": exercise.params.axis.levels}
    params = form.params(kind, declared=levels, **decided)
    on = _collection(view)
    result = experiment.run(
        view, exercise.experiment, exercise.measures, params, title="Exercise", on=on
    )
    # a result so far has fewer trials, and a code stands for all
    if result is None or result.params != params:
        return
    with said:
        try:
            _judge(exercises.attempt_of(exercise, result, on.fingerprint))
        except IrmevalError as error:
            st.warning(escape_markdown(str(error)))
    charts = result.charts()
    output.chart(next((chart for chart in charts if chart.name == "tau"), charts[0]), "exercise")


def _judge(attempt: Attempt) -> None:
    """Draw the parts of the goal, each marked as reached or not, and the code if all
    are.
    """
    with st.container(horizontal=True):
        for claim in attempt.exercise.claims:
            look = NOT_YET
            if claim.holds(attempt.numbers):
                look = REACHED
            st.badge(escape_markdown(attempt.claim_text(claim)), **look)
        if attempt.stray:
            st.badge(f"Goal: {attempt.stray}", **NOT_YET)
    if attempt.holds:
        code = EXERCISES.get().solved[attempt.exercise.name] = exercises.code_of(attempt)
        st.markdown(f"**Solved.** {escape_markdown(attempt.exercise.why)}")
        st.code(code, language=None)


def _collection(view: View) -> Collection:
    """The visitor's own runs, or the sample."""
    return own_collection(view) or sample()
