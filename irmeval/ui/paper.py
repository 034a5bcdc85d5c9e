"""The widgets of the pages of papers."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from irmeval import Collection, ParamError
from irmeval.experiments import Table
from irmeval.papers import Exhibit, Paper, asked, compared, lowest_grade, said_of_topics
from irmeval.report.paper import findings, zipped
from irmeval.report.tables import escape_markdown
from irmeval.ui import experiment, form, session, show


def about(paper: Paper) -> None:
    """What the paper asks."""
    st.write(escape_markdown(paper.asks))
    st.caption(escape_markdown(f"{paper.reference} Compared are its own measures, not those of the sidebar."))


def pick(paper: Paper) -> Exhibit:
    """One of the paper's tables and figures; its runs can be selected as the paper did."""
    offered = {exhibit.label: exhibit for exhibit in paper.exhibits}
    label = form.choose(
        "Table or figure",
        list(offered),
        key="exhibit",
        format_func=lambda label: f"{label}: {offered[label].title}" if label in offered else label,
        help="As the paper counts them, made on the runs and topics that are selected.",
    )
    exhibit = offered[label]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Select runs as the paper did",
            on_click=lambda: st.session_state.update(asdict(exhibit.selection or paper.selection)),
            help="Sets the rules under Runs and topics in the sidebar, for all pages.",
        )
        st.caption(escape_markdown(f"{exhibit.selects or paper.selects} {paper.differs}"))
    return exhibit


def rules(paper: Paper, exhibit: Exhibit, collection: Collection) -> dict[str, Any]:
    """What the exhibit decides of topics, where it does not have all, and of gains, where they are not those of the sidebar."""
    worked = compared(paper, exhibit, collection)
    topics = {"has_grade": lowest_grade(paper, exhibit, collection)} if len(worked.topics) < len(collection.topics) else {}
    return topics | ({"gains": worked.policy.gains} if worked.policy != collection.policy else {})


def remade(paper: Paper, exhibit: Exhibit, collection: Collection) -> Any:
    """The result of an exhibit; None while it is made, and where the collection does not allow it, which is then said."""
    try:
        measures, params = asked(paper, exhibit, collection, session.selection().team_rule)
        worked = compared(paper, exhibit, collection)
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        return None
    if topics := said_of_topics(worked, collection):
        st.caption(escape_markdown(topics))
    return experiment.run(exhibit.experiment, measures, params, title="Paper", on=worked)


def held(paper: Paper, exhibit: Exhibit, result: Any) -> None:
    """What the paper found in this exhibit, and whether it holds here."""
    found = findings(paper, {exhibit.label: result})
    if len(found):
        st.markdown("What the paper found, and what holds here")
        show.table(found.drop(columns="paper"))


def views(paper: Paper, tables: Sequence[Table], collection: Collection) -> dict[str, Callable[[], None]]:
    """The tables of the exhibit beyond the one that is shown first, and all of the paper to take away."""

    def take() -> None:
        st.write("A page to read, every table as CSV and LaTeX, every figure as HTML, and a manifest. Making it takes some seconds.")
        st.download_button(
            "The whole paper on this collection, as a zip",
            lambda: zipped(paper, collection, session.team_list()),
            f"{paper.name}.zip",
            on_click="ignore",
        )

    return {**{table.title: partial(show.table_of, table) for table in tables[1:]}, "Whole paper": take}
