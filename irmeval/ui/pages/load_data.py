"""Widgets of the page that shows the contents of a collection or a score matrix."""

from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from irmeval.collection import Collection
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, list_few, natural_key
from irmeval.experiments.data.collection import Contents, contents
from irmeval.experiments.results import NextStep
from irmeval.reading.score_matrix import Matrix
from irmeval.report import overview
from irmeval.ui.pages import choose_judge
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.tab_state import made_once
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, link, output, reporting, session, workspaces


def show_loaded(view: View) -> None:
    """Draw a line on the loaded data, or on the shared collection, and links to next
    steps.
    """
    collection = None
    if view.dataset.used:
        collection = view.dataset.collection(view.policy)
    if view.matrix:
        found = _on_matrix(view.matrix, view.dataset.score_judges)
    elif collection:
        found = _on_own(collection, view.all_loaded().collection.judges)
    elif view.loaded and not view.dataset.used:
        held = _held(view.loaded.collection)
        headline = made_once("headline", (held,), held.headline)
        answer.show_sentence(f"{view.loaded.name}: {headline}")
        found = _next_steps(held)
    else:
        return
    if view.has_runs:
        n = sum(each.has_content for each in view.visitor.datasets)
        if n > 1:
            found = [NextStep(f"Compare the {n} collections", "across"), *found]
    link.draw(view, found, "next-loaded", len(found))


def _on_matrix(matrix: Matrix, judges: Names[str]) -> list[NextStep]:
    """Draw a line on a score matrix; return next steps."""
    runs, topics = count_noun(len(matrix.runs), "run"), count_noun(len(matrix.topics), "topic")
    said = f"Scores of {runs} on {topics} loaded."
    if matrix.format:
        said += _read_as([matrix.format, *matrix.notes])
    st.success(escape_markdown(said))
    found = [
        NextStep("Which runs differ?", "matrix"),
        NextStep("How much do topics matter?", "topics"),
        NextStep("Would other topics agree?", "stability"),
    ]
    if len(judges) > 1:
        found.insert(0, NextStep(f"May {list_few([*judges], 3)} rank systems?", "audit"))
    return found


def _on_own(collection: Collection, judges: Sequence[str]) -> list[NextStep]:
    """Draw a line on the visitor's own collection; return next steps."""
    found = _next_steps(_held(collection))
    if not collection.runs:
        return found
    runs = count_noun(len(collection.runs), "run")
    topics = count_noun(len(collection.topics), "topic")
    said = f"{runs} and {topics} loaded."
    if collection.recognised:
        said += _read_as(collection.recognised)
    st.success(escape_markdown(said))
    if len(judges) > 1:
        who = f"the {len(judges)} judges"
        if len(judges) == 2:
            who = " and ".join(judges)
        found.insert(1, NextStep(f"Do {who} agree?", "judges"))
    return found


def _read_as(formats: Sequence[str]) -> str:
    """A further sentence on the formats that files were recognised as."""
    return f" Read as {', '.join(formats)}."


def show_contents(view: View) -> None:
    """Draw what the open collection, or score matrix, holds, and where judges are
    added.
    """
    dataset = view.dataset
    if view.matrix:
        matrix_scores(dataset, view.matrix)
        return
    session.require_loaded(view.dataset)
    loaded = view.selected()
    c = loaded.collection
    if dataset.used:  # the first sentence says this of what is not the visitor's own
        st.header(escape_markdown(loaded.name))
        counts = {"Topics": len(c.topics)}
        if c.runs:
            kept = view.runs_table().query("kept")
            counts |= {"Runs": len(c.runs), "Teams": kept["team"].nunique()}
        counts |= {"Judged": int((c.grade >= 0).sum()), "Relevant": int((c.grade > 0).sum())}
        show_counts(counts)
    for remark in made_once("remarks", (c.fingerprint,), lambda: overview.remarks(c)):
        st.warning(escape_markdown(remark))
    workspaces.offer_removal(dataset, tables(c))
    choose_judge.draw_other_judges(view)
    output.provenance(loaded)


def _held(collection: Collection) -> Contents:
    """What a collection contains."""
    return made_once("held", (collection.fingerprint,), lambda: contents(collection))


def _next_steps(held: Contents) -> list[NextStep]:
    """Pages that follow from what a collection contains."""
    return [*made_once("next-collection", (held,), held.next_steps)]


def show_counts(counts: Mapping[str, int]) -> None:
    """Draw a few numbers, large."""
    with st.grid(len(counts), key="facts", min_column_width=100):
        for label, count in counts.items():
            st.metric(label, f"{count:,}")


def tables(collection: Collection) -> list[str]:
    """Draw the contents of a collection: qrels and runs side by side, strata of a
    sample, and downloads; return the ticked runs.
    """
    held, ticked = _held(collection), list[str]()
    with st.container():
        for chart in output.charts_of("collection", held):
            output.hero(chart, f"collection-{chart.name}")
    left, right = st.columns(2)
    with left:
        st.markdown("Judgments per topic")
        judged = made_once("judged", (held,), held.frame)
        output.table(judged.rename(columns={"mean per topic": "mean"}))
    if collection.runs:
        with right:
            st.markdown("Runs as read")
            runs = made_once("runs-read", (held,), held.runs)
            shares = {"judged": "Share of the run's documents that are judged."}
            # a column of zeros says nothing, and takes the room of others
            for name in ("topics missing", "topics unknown"):
                if not runs[name].any():
                    runs = runs.drop(columns=name)
            state = output.table(
                runs, shares=shares, on_select="rerun", selection_mode="multi-row", key="runs_read"
            )
            ticked = [runs["run"].iloc[row] for row in state.selection.rows if row < len(runs)]
    if collection.design:
        st.markdown("Strata of the sample")
        output.table(held.strata())
    if held.headers:
        st.markdown("Provenance of runs by their files (ir_metadata)")
        output.table(held.provenance())
    reporting.button("collection", held)
    figures = {chart.title: chart.draw for chart in output.charts_of("collection", held)}
    tables = {table.title: table.make for table in output.tables_of("collection", held)}
    output.downloads("collection", tables, figures)
    return ticked


def matrix_scores(dataset: Dataset, matrix: Matrix) -> None:
    """Show what a score matrix holds: its size, and its runs, best first; above, those
    by other measures and judges.
    """
    if len(dataset.matrices) > 1:
        with st.container(horizontal=True):
            # two judges may score by one measure
            names = Counter(each.name for each in dataset.matrices)
            for each in sorted(dataset.matrices, key=lambda each: natural_key(each.name)):
                how: dict[str, Any] = {"on_click": dataset.take_matrices, "args": ([each],)}
                if each is dataset.matrix:
                    how = {"type": "primary"}
                name = each.name
                if names[name] > 1:
                    name = f"{each.judge}: {name}"
                st.button(escape_markdown(name), key=f"matrix-{each.judge}-{each.name}", **how)
    st.header(escape_markdown(matrix.name))
    show_counts({"Topics": len(matrix.topics), "Runs": len(matrix.runs)})
    st.write(
        "Scores by one measure, without judgments. See pages under *Runs*, *Measures* and"
        " *Planning*."
    )
    output.table(overview.summarize_matrix(matrix))
    st.button("Close the matrix and return to the collection", on_click=session.put_matrix_away)
