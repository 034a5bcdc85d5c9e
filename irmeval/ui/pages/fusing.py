"""Fusing runs of a visitor's collection: the fused run is added beside them, and kept as an uploaded one is."""

from collections.abc import Mapping, Sequence

import streamlit as st

from irmeval.collection.fusion import Fusion, fuse_runs
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.reading.files import is_file_name
from irmeval.reading.trec import Run
from irmeval.reading.writing import text_of
from irmeval.ui.state.tab_state import Value
from irmeval.ui.widgets import answer, form, inputs, refusals, session, workspaces

LISTED = 3
"""Runs that the name of a fused one lists."""
ADDED = Value("fused", "")
"""The run that was added last, until the page has said so."""


def draw(ticked: Sequence[str]) -> None:
    """Draw the form, and the button that adds the fused run; `ticked` are the runs to fuse unless others are named."""
    dataset, policy = session.dataset(), session.policy()
    if not (dataset.used and dataset.judged(policy)):
        st.caption("Your own runs can be fused here, once they are loaded on *Collection*; `irmeval fuse` fuses any run files.")
        return
    refusals.show_all(dataset, policy)
    if name := ADDED.pop():
        st.success(escape_markdown(f"{name} is one of your runs now; as any of them, it is in all results, the address and a workspace."))
    runs = dict(zip(session.all_loaded().collection.runs, dataset.runs_in_use(policy).values(), strict=True))
    sound, look = inputs.some(runs), {"placeholder": "Those ticked above"}
    named = form.draw_choice(inputs.multiselect, "Runs to fuse", [*runs], key="fuse_runs", texts=runs, sound=sound, **look) or list(ticked)
    how = form.params(Fusion, "fuse_")
    usual = _name(how, named, runs)
    name = inputs.text("Name of the fused run", placeholder=usual, name="fuse_name", max_chars=100).strip() or usual
    wrong = "" if len(named) > 1 else "Tick or name at least two runs."
    if name in {*runs, *dataset.all_runs}:
        wrong = f"There is a run {name} already."
    elif name.split() != [name] or not is_file_name(name):
        wrong = "A name has no blanks and no slashes."
    if st.button(f"Fuse {count_noun(len(named), 'run')}", key="fuse", disabled=bool(wrong), help=escape_markdown(wrong) or None):
        with answer.errors_shown():
            workspaces.receive(dataset, [(name, text_of(fuse_runs([runs[run] for run in named], how, policy.order, name)))])
            if name in dataset.runs:
                ADDED.set(name)
            st.rerun()


def _name(how: Fusion, named: Sequence[str], runs: Mapping[str, Run]) -> str:
    """A name for a fused run that no run has yet, from the method and the runs."""
    of = "+".join(named) if len(named) <= LISTED else f"{len(named)}-runs"
    first = f"{how.method}-of-{of}"[:80]
    names = (first if n == 1 else f"{first}-{n}" for n in range(1, len(runs) + 2))
    return next(name for name in names if name not in runs)
