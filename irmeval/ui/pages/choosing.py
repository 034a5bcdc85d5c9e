"""Choosing and pinning runs in a table: ticked runs are added to the rules of the
sidebar, which apply to every page.
"""

from collections.abc import Collection as Names
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
import pandas as pd
import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.fusion import Fusion, fuse_runs
from irmeval.core.errors import ParamError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun, natural_key, quantify, shorten
from irmeval.plots.pins import MAX_PINS
from irmeval.reading.files import is_file_name
from irmeval.reading.trec import Run
from irmeval.reading.writing import text_of
from irmeval.scoring.selection import Selection, names_text, parse_names
from irmeval.ui.state import cache, keys, marked_runs
from irmeval.ui.state.mailboxes import SAID
from irmeval.ui.state.run_marks import LONGEST, matches
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form, inputs, output, refusals, session, workspaces

NAMED = "runs_only"
EVERY = "every team"
BY = {"text": "text", "regex": "regex"}


def table(view: View) -> list[str]:
    """Draw all runs with their scores, narrowed by search and team, with actions on the
    ticked ones; return the table.
    """
    rules, everything, frame = view.rules, view.all_loaded().collection, _scored(view)
    with st.container(key="find_runs"):  # with a key, since parts above it are not always drawn
        find, like, team = st.columns([4, 3, 2], vertical_alignment="bottom")
    with find:
        text = inputs.text(
            "Search",
            name="find",
            bind="query-params",
            max_chars=LONGEST,
            placeholder="part of a name",
        )
    with like:
        how = form.pick_one(
            "By",
            BY,
            "find_by",
            "Expressions use RE2 syntax: ^, $, ., [a-z], (a|b), \\d, *, +, ?, {2}.",
        )
    with team:
        of = form.choose(
            "Team",
            [EVERY, *sorted(set(frame["team"]), key=natural_key)],
            key="find_team",
            help="As given by the rule in the sidebar.",
        )
    try:
        found = frame[
            matches(list(frame["run"]), text, how) & ((frame["team"] == of) | (of == EVERY))
        ]
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        return []
    if not len(found):
        _nothing(text, how, of, list(frame["run"]))
        return []
    digits = blake2b("\0".join(found["run"]).encode(), digest_size=4).hexdigest()
    widest = {
        "documents": st.column_config.ProgressColumn(
            "documents", format="%,d", max_value=int(frame["documents"].max()), width=125
        )
    }
    state = output.table(
        found,
        column_config=widest,
        on_select="rerun",
        selection_mode="multi-row",
        key=f"choosing-{digits}",
    )
    ticked = [found["run"].iloc[row] for row in state.selection.rows if row < len(found)]
    st.caption(
        f"{quantify(len(ticked), len(found), 'run').capitalize()} ticked. The box above the column"
        " ticks all rows shown."
    )
    named = parse_names(rules.runs_only, everything.runs) or list(everything.runs)
    with st.container(horizontal=True):
        _button(
            "Keep only these runs",
            "only",
            ticked,
            [run for run in everything.runs if run in ticked],
            everything,
        )
        _button(
            "Add to selection",
            "too",
            ticked if rules.runs_only else [],
            [r for r in everything.runs if r in {*ticked, *named}],
            everything,
        )
        _button("Exclude", "out", ticked, [run for run in named if run not in ticked], everything)
        _button(
            "Keep all",
            "all",
            everything.runs if rules.runs_only else [],
            list(everything.runs),
            everything,
        )
        pinned, pin = marked_runs.marks().pinned, marked_runs.change
        more, left = (
            (*dict.fromkeys([*pinned, *ticked]),),
            tuple(run for run in pinned if run not in ticked),
        )
        full, help = len(more) > MAX_PINS, f"At most {MAX_PINS} runs."
        st.button(
            "Pin",
            key="pin",
            disabled=not ticked or full,
            on_click=pin,
            kwargs={"pinned": more},
            help=help,
        )
        st.button(
            "Unpin", key="unpin", disabled=left == pinned, on_click=pin, kwargs={"pinned": left}
        )
    return ticked


def _nothing(text: str, how: str, team: str, runs: list[str]) -> None:
    """Report that no run was found, and offer other searches: every team, or the text
    as an expression and vice versa.
    """
    of_team = f" in team {team}" if team != EVERY else ""
    st.info(
        escape_markdown(
            f"No run has {shorten(text)} in its name{of_team}."
            if how == "text"
            else f"No run matches {shorten(text)}{of_team}."
        )
    )
    other = next(name for name in BY if name != how)
    changes = {"Search all teams": ("find_team", EVERY)} if team != EVERY else {}
    try:
        n = int(sum(matches(runs, text, other)))
    except ParamError:
        n = 0
    changes |= {f"Search by {other}: {count_noun(n, 'run')}": ("find_by", other)}
    with st.container(horizontal=True):
        for label, (widget, value) in changes.items():
            st.button(
                label,
                key=f"nothing_{widget}",
                on_click=widgets.update,
                kwargs={keys.widget_key(widget): value},
            )


def _scored(view: View) -> pd.DataFrame:
    """Table of the selection, with pins and means on the selected topics."""
    rules, everything, frame = (
        view.rules,
        view.all_loaded().collection,
        session.selected().table,
    )
    topics = Selection(topics_only=rules.topics_only, has_grade=rules.has_grade)
    on = cache.selected(everything, topics, {}).collection
    means = cache.scores(on, form.measures(view)).means
    pinned = marked_runs.marks().pinned
    frame = frame.assign(
        pinned=[run in pinned for run in frame["run"]],
        **dict(zip(form.measures(view), means, strict=True)),
    )
    order = [
        "run",
        "kept",
        "pinned",
        "team",
        "documents",
        *form.measures(view),
        *(name for name in ("topics missing", "why") if frame[name].astype(bool).any()),
    ]
    return frame[order].sort_values(
        ["kept", form.measures(view)[0]], ascending=False, kind="stable"
    )


def _button(
    words: str, key: str, ticked: Names[str], left: list[str], everything: Collection
) -> None:
    disabled = not ticked or not left
    named = names_text(left) if len(left) < len(everything.runs) else ""
    st.button(
        words,
        key=f"choose_{key}",
        disabled=disabled,
        on_click=widgets.update,
        kwargs={NAMED: named},
    )


TOPICS = "topics_only"
AT_RANDOM = 20
"""Number of topics that a button draws."""


def topics(view: View) -> None:
    """Draw all topics with their judgments, with actions on the ticked ones."""
    everything = view.all_loaded().collection
    frame = _judged(everything, view.selected().collection.topics)
    state = output.table(
        frame, on_select="rerun", selection_mode="multi-row", key="choosing-topics"
    )
    ticked = [frame["topic"].iloc[row] for row in state.selection.rows if row < len(frame)]
    st.caption(f"{quantify(len(ticked), len(frame), 'topic').capitalize()} ticked.")
    used = [*view.selected().collection.topics]
    left = [topic for topic in used if topic not in ticked]
    few = min(AT_RANDOM, len(frame))
    with st.container(horizontal=True):
        _use_topics("Keep only these topics", "only", ticked)
        _use_topics("Exclude topics", "out", left if ticked else [])
        st.button(
            f"{few} at random",
            key="choose_topics_random",
            on_click=_draw_topics,
            args=(everything.topics, few),
            help="Draws topics of all those loaded; another press draws others.",
        )
        st.button(
            "Keep all topics",
            key="choose_topics_all",
            disabled=not view.rules.topics_only,
            on_click=widgets.update,
            kwargs={TOPICS: ""},
        )


def _judged(everything: Collection, used: Names[str]) -> pd.DataFrame:
    """A row per topic: whether it is in use, its judgments and relevant documents."""
    many = len(everything.topics)
    judged, relevant = (
        np.bincount(everything.topic[kind], minlength=many)
        for kind in (everything.grade >= 0, everything.grade > 0)
    )
    return pd.DataFrame(
        {
            "topic": everything.topics,
            "kept": [topic in used for topic in everything.topics],
            "judgments": judged,
            "relevant": relevant,
        }
    )


def _use_topics(words: str, key: str, chosen: Sequence[str]) -> None:
    """Draw a button that uses these topics alone."""
    # commas and blanks separate topics in the rules
    cannot = not chosen or any("," in topic or " " in topic for topic in chosen)
    st.button(
        words,
        key=f"choose_topics_{key}",
        disabled=cannot,
        on_click=widgets.update,
        kwargs={TOPICS: ",".join(chosen)},
    )


def _draw_topics(topics: Sequence[str], few: int) -> None:
    drawn = np.random.default_rng().choice(len(topics), few, replace=False)
    widgets[TOPICS] = ",".join(topics[t] for t in sorted(drawn))


LISTED = 3
"""Maximum number of runs in the name of a fused one."""


def draw(view: View, ticked: Sequence[str]) -> None:
    """Draw the form, and the button that adds the fused run; `ticked` are the runs to
    fuse unless others are given.
    """
    dataset, policy = view.dataset, view.policy
    if not (dataset.used and dataset.judged(policy)):
        lacks = "judgments of them" if dataset.used else "your own"
        st.caption(
            f"To fuse runs, load {lacks} on *Collection*; `irmeval fuse` fuses any run files."
        )
        return
    refusals.show_all(dataset, policy)
    if name := SAID.take("fused"):
        st.success(
            escape_markdown(
                f"{name} is now one of your runs, included in all results, the URL and workspaces."
            )
        )
    runs = dict(
        zip(view.all_loaded().collection.runs, dataset.runs_in_use(policy).values(), strict=True)
    )
    sound, look = inputs.some(runs), {"placeholder": "Those ticked above"}
    named = form.draw_choice(
        inputs.multiselect,
        "Runs to fuse",
        [*runs],
        key="fuse_runs",
        texts=runs,
        sound=sound,
        **look,
    ) or list(ticked)
    how = form.params(Fusion, "fuse_")
    usual = _name(how, named, runs)
    name = (
        inputs.text(
            "Name of the fused run", placeholder=usual, name="fuse_name", max_chars=100
        ).strip()
        or usual
    )
    wrong = "" if len(named) > 1 else "Tick or list at least two runs."
    if name in {*runs, *dataset.runs}:
        wrong = f"A run {name} exists already."
    elif name.split() != [name] or not is_file_name(name):
        wrong = "Names cannot contain blanks or slashes."
    if st.button(
        f"Fuse {count_noun(len(named), 'run')}",
        key="fuse",
        disabled=bool(wrong),
        help=escape_markdown(wrong) or None,
    ):
        with answer.errors_shown():
            workspaces.receive(
                dataset,
                [(name, text_of(fuse_runs([runs[run] for run in named], how, policy.order, name)))],
            )
            if name in dataset.runs:
                SAID.change(fused=name)
            st.rerun()


def _name(how: Fusion, named: Sequence[str], runs: Mapping[str, Run]) -> str:
    """An unused name for a fused run, from the method and the runs."""
    of = "+".join(named) if len(named) <= LISTED else f"{len(named)}-runs"
    first = f"{how.method}-of-{of}"[:80]
    names = (first if n == 1 else f"{first}-{n}" for n in range(1, len(runs) + 2))
    return next(name for name in names if name not in runs)
