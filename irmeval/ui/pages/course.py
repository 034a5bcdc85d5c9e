"""The lessons of a course: those of the package, of the server's folder and of the
visitor's own files; or those that the address names.
"""

import streamlit as st

from irmeval import lessons
from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import list_few
from irmeval.lessons import Lesson
from irmeval.ui.state import visitors
from irmeval.ui.widgets import receiving
from irmeval.ui.widgets.answer import errors_shown

ASKED = "lessons"
"""In an address: names of lessons in their order, separated by commas."""
MAX_LESSONS = 50
"""Most lessons of a visitor's own."""


def names() -> tuple[str, ...]:
    """The names of the lessons in their order."""
    own, every = visitors.here().lessons, lessons.names()
    if own:
        every = tuple(sorted((*every, *own), key=_place))
    return tuple(name for name in dict.fromkeys(_asked()) if name in every) or every


def load(name: str) -> Lesson:
    """A lesson by its name. Raises as `irmeval.lessons.load`."""
    own = visitors.here().lessons
    if name not in own:
        return lessons.load(name)
    return lessons.parse(f"{name}.toml", own[name].encode())


def _asked() -> list[str]:
    return [*filter(None, st.query_params.get(ASKED, "").split(","))]


def _place(name: str) -> float:
    try:
        return load(name).place
    except IrmevalError:
        return float("inf")


def choose() -> None:
    """Draw the place where lessons are dropped and removed, and say which ones of the
    address are missing.
    """
    if missing := [name[:50] for name in _asked() if name not in names()]:
        st.warning(escape_markdown(f"There is no lesson {list_few(missing)}."))
    own = visitors.here().lessons
    with st.expander("Your own lessons", expanded=bool(own)):
        help = "A lesson is one text file. The guide is in the documentation, under Lessons."
        if dropped := st.file_uploader(
            "Lesson files (.toml)",
            accept_multiple_files=True,
            key=receiving.uploader("lessons"),
            help=help,
        ):
            with errors_shown():
                with st.spinner("Checking the answers on the sample"):
                    for file in dropped:
                        _add(file.name, file.getvalue())
                receiving.empty_uploader("lessons", dropped)
                st.rerun()
        for name in [*own]:
            st.button(
                f"Remove {name}",
                key=f"remove-{name}",
                type="tertiary",
                on_click=_remove,
                args=(name,),
            )
        st.caption(
            f"The URL selects and orders lessons: `/lessons?{ASKED}={','.join(names()[:3])}`"
        )


def _remove(name: str) -> None:
    del visitors.here().lessons[name]


def _add(file: str, data: bytes) -> None:
    """Keep a lesson of the visitor's, in place of theirs of that name. Raises
    `ReadError` for a file that is no lesson, or whose answer does not follow from its
    claims; `ParamError` if the sample has no numbers for them.
    """
    lesson, own = lessons.parse(file, data), visitors.here().lessons
    if lesson.name in lessons.names():
        raise ReadError(
            file,
            None,
            "a name of its own",
            f"that of another lesson, {lesson.name}",
            "Rename the file.",
        )
    if len(own) >= MAX_LESSONS and lesson.name not in own:
        raise ReadError(file, None, f"at most {MAX_LESSONS} lessons", "more", "Remove one.")
    # for its errors alone: a lesson is kept if its answer follows on the sample
    lessons.answer(lesson)
    own[lesson.name] = data.decode()
