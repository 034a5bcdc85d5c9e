"""Choosing and pinning runs in a table: ticked runs are added to the rules of the
sidebar, which apply to every page.
"""

from collections.abc import Collection as Names
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, count
from typing import NamedTuple

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
from irmeval.ui.widgets import answer, form, inputs, output, refusals, workspaces

NAMED = "runs_only"
EVERY = "every team"
BY = {"text": "text", "regex": "regex"}


class Search(NamedTuple):
    """Which runs the table shows."""

    text: str
    how: str
    team: str

    @property
    def every_team(self) -> bool:
        """Whether runs of all teams are shown."""
        return self.team == EVERY


def table(view: View) -> list[str]:
    """Draw all runs with their scores, narrowed by search and team, with actions on the
    ticked ones; return these.
    """
    frame = _scored(view)
    search = _draw_search(frame["team"])
    try:
        found = _find(frame, search)
    except ParamError as error:
        st.error(escape_markdown(str(error)))
        return []
    if not len(found):
        _nothing(search, list(frame["run"]))
        return []
    ticked = _draw_runs(found, int(frame["documents"].max()))
    st.caption(
        f"{quantify(len(ticked), len(found), 'run').capitalize()} ticked",
        help="The box above the column ticks all rows shown. Rules are under Settings.",
    )
    with st.container(horizontal=True):
        _offer_rules(view, ticked)
        _offer_pins(ticked)
    return ticked


def _draw_search(teams: Iterable[str]) -> Search:
    """Draw what narrows the table."""
    with st.container(key="find_runs"):  # with a key, since parts above it are not always drawn
        find, like, team = st.columns([4, 3, 2])
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
            [EVERY, *sorted(set(teams), key=natural_key)],
            key="find_team",
            help="As given by the rule in the sidebar.",
        )
    return Search(text, how, of)


def _find(frame: pd.DataFrame, search: Search) -> pd.DataFrame:
    """Rows of the runs that are searched for. Raises `ParamError` for a bad expression."""
    found = frame[matches(list(frame["run"]), search.text, search.how)]
    if search.every_team:
        return found
    return found[found["team"] == search.team]


def _draw_runs(found: pd.DataFrame, most_documents: int) -> list[str]:
    """Draw the table; return the ticked runs."""
    # ticks are places in the table: with other rows, they would be of other runs
    digits = blake2b("\0".join(found["run"]).encode(), digest_size=4).hexdigest()
    documents = st.column_config.ProgressColumn(
        "documents", format="%,d", max_value=most_documents, width=125
    )
    with st.container(key="runs_found"):
        state = output.table(
            found,
            column_config={"documents": documents},
            on_select="rerun",
            selection_mode="multi-row",
            key=f"choosing-{digits}",
            height=output.height_of(found),
        )
    return [found["run"].iloc[row] for row in state.selection.rows if row < len(found)]


def _offer_rules(view: View, ticked: Sequence[str]) -> None:
    """Draw the buttons that change which runs are selected."""
    runs, rule = view.all_loaded().collection.runs, view.rules.runs_only
    kept = parse_names(rule, runs) or list(runs)
    left = [run for run in kept if run not in ticked]
    _button("Keep only these runs", "only", ticked, runs, works=bool(ticked))
    _button("Add to selection", "too", [*kept, *ticked], runs, works=bool(ticked and rule))
    _button("Exclude", "out", left, runs, works=bool(ticked and left))
    _button("Keep all", "all", runs, runs, works=bool(rule))


def _button(words: str, key: str, chosen: Names[str], runs: Sequence[str], *, works: bool) -> None:
    """Draw a button that selects these of all runs, if it `works`."""
    # in the order of the collection, so that one selection has one address
    in_order = [run for run in runs if run in {*chosen}]
    rule = ""
    if len(in_order) < len(runs):
        rule = names_text(in_order)
    st.button(
        words,
        key=f"choose_{key}",
        disabled=not works,
        on_click=widgets.update,
        kwargs={NAMED: rule},
    )


def _offer_pins(ticked: Sequence[str]) -> None:
    """Draw the buttons that pin runs in charts."""
    pinned = marked_runs.marks().pinned
    more = tuple(dict.fromkeys([*pinned, *ticked]))
    left = tuple(run for run in pinned if run not in ticked)
    change = marked_runs.change
    st.button(
        "Pin",
        key="pin",
        disabled=not ticked or len(more) > MAX_PINS,
        on_click=change,
        kwargs={"pinned": more},
        help=f"At most {MAX_PINS} runs.",
    )
    st.button(
        "Unpin", key="unpin", disabled=left == pinned, on_click=change, kwargs={"pinned": left}
    )


def _nothing(search: Search, runs: list[str]) -> None:
    """Report that no run was found, and offer other searches: every team, or the text
    as an expression and vice versa.
    """
    of_team = ""
    if not search.every_team:
        of_team = f" in team {search.team}"
    said = {
        "text": f"No run has {shorten(search.text)} in its name{of_team}.",
        "regex": f"No run matches {shorten(search.text)}{of_team}.",
    }
    st.info(escape_markdown(said[search.how]))
    other = next(name for name in BY if name != search.how)
    try:
        n = int(sum(matches(runs, search.text, other)))
    except ParamError:
        # a part of a name need not be an expression
        n = 0
    with st.container(horizontal=True):
        if not search.every_team:
            _search_anew("Search all teams", "find_team", EVERY)
        _search_anew(f"Search by {other}: {count_noun(n, 'run')}", "find_by", other)


def _search_anew(label: str, widget: str, value: str) -> None:
    """Draw a button that searches with another value of a widget."""
    st.button(
        label,
        key=f"nothing_{widget}",
        on_click=widgets.update,
        kwargs={keys.widget_key(widget): value},
    )


def _scored(view: View) -> pd.DataFrame:
    """Table of the selection, with pins and means on the selected topics."""
    rules, measures = view.rules, form.measures(view)
    # all runs are scored, so that those left out can be compared before they are let in
    topics = Selection(topics_only=rules.topics_only, has_grade=rules.has_grade)
    on = cache.selected(view.all_loaded().collection, topics, {}).collection
    pinned = marked_runs.marks().pinned
    frame = view.runs_table()
    frame = frame.assign(
        pinned=[run in pinned for run in frame["run"]],
        **dict(zip(measures, cache.scores(on, measures).means, strict=True)),
    )
    told = [name for name in ("topics missing", "why") if frame[name].astype(bool).any()]
    order = ["run", "kept", "pinned", "team", "documents", *measures, *told]
    return frame[order].sort_values(["kept", measures[0]], ascending=False, kind="stable")


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
    left = []
    if ticked:
        left = [topic for topic in used if topic not in ticked]
    few = min(AT_RANDOM, len(frame))
    with st.container(horizontal=True):
        _use_topics("Keep only these topics", "only", ticked)
        _use_topics("Exclude topics", "out", left)
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
    judged = np.bincount(everything.topic[everything.grade >= 0], minlength=many)
    relevant = np.bincount(everything.topic[everything.grade > 0], minlength=many)
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
    cannot = not chosen or not {",", " "}.isdisjoint("".join(chosen))
    st.button(
        words,
        key=f"choose_topics_{key}",
        disabled=cannot,
        on_click=widgets.update,
        kwargs={TOPICS: ",".join(chosen)},
    )


def _draw_topics(topics: Sequence[str], few: int) -> None:
    # without a seed: another press draws others, and the address keeps the topics
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
        lacks = "your own"
        if dataset.used:
            lacks = "judgments of them"
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
    in_use = dataset.runs_in_use(policy).values()
    runs = dict(zip(view.all_loaded().collection.runs, in_use, strict=True))
    picked = form.draw_choice(
        inputs.multiselect,
        "Runs to fuse",
        [*runs],
        key="fuse_runs",
        texts=runs,
        sound=inputs.some(runs),
        placeholder="Those ticked above",
    )
    named = picked or list(ticked)
    how = form.params(Fusion, "fuse_")
    usual = _name(how, named, runs)
    typed = inputs.text(
        "Name of the fused run", placeholder=usual, name="fuse_name", max_chars=100
    ).strip()
    name = typed or usual
    wrong = _why_not(name, named, {*runs, *dataset.runs})
    pressed = st.button(
        f"Fuse {count_noun(len(named), 'run')}",
        key="fuse",
        disabled=bool(wrong),
        help=escape_markdown(wrong) or None,
    )
    if not pressed:
        return
    with answer.errors_shown():
        fused = fuse_runs([runs[run] for run in named], how, policy.order, name)
        workspaces.receive(dataset, [(name, text_of(fused))])
        if name in dataset.runs:
            SAID.change(fused=name)
        st.rerun()


def _why_not(name: str, named: Sequence[str], taken: Names[str]) -> str:
    """Why runs cannot be fused under a name; empty if they can."""
    if name in taken:
        return f"A run {name} exists already."
    if name.split() != [name] or not is_file_name(name):
        return "Names cannot contain blanks or slashes."
    if len(named) < 2:
        return "Tick or list at least two runs."
    return ""


def _name(how: Fusion, named: Sequence[str], runs: Mapping[str, Run]) -> str:
    """An unused name for a fused run, from the method and the runs."""
    of = "+".join(named)
    if len(named) > LISTED:
        of = f"{len(named)}-runs"
    first = f"{how.method}-of-{of}"[:80]
    names = chain([first], (f"{first}-{n}" for n in count(2)))
    return next(name for name in names if name not in runs)
