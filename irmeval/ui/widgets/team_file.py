"""The uploader of the file that assigns runs to teams."""

import streamlit as st

from irmeval.collection.team_names import read_teams
from irmeval.core.errors import ReadError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import counted
from irmeval.ui.widgets import receiving, session


def take() -> None:
    """Draw the uploader of a CSV of teams, which stays in use until it is removed; the page is drawn again if teams change."""
    dropped = st.file_uploader(
        "A CSV with the team of each run",
        type="csv",
        key=receiving.uploader("teams"),
        help="Two columns, with the headers run and team. Without it, the rule in the sidebar takes the team from the run's name.",
    )
    if dropped:
        try:
            teams = read_teams(dropped.name, dropped.getvalue())
            if not teams:
                raise ReadError(dropped.name, 2, "a run and its team", "nothing", "Name at least one.")
        except ReadError as error:
            st.error(escape_markdown(str(error)))
        else:
            _use(teams, dropped.name)
            st.rerun()
    if listed := session.team_list():
        st.caption(f"In use: {escape_markdown(session.dataset().team_file)}, with the teams of {counted(len(listed), 'run')}.")
        st.button("Remove this file", key="forget_teams", on_click=_use, args=({}, ""))


def _use(teams: dict[str, str], name: str) -> None:
    """Set the teams, and empty the uploader."""
    dataset = session.dataset()
    dataset.teams, dataset.team_file = teams, name
    receiving.take("teams")
