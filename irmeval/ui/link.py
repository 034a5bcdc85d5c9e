"""Links: an address names the data that its page was drawn on, and no other data are shown under it."""

import re
from hashlib import blake2b

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from irmeval.archive import write
from irmeval.parallel import each
from irmeval.reading.trec import Qrels, Run
from irmeval.report.tables import escape_markdown
from irmeval.ui import session, show, upload, visitors
from irmeval.ui.desk import Desk
from irmeval.words import SHOWN, counted, slug

DATA = "data"
"""In the address, as in ``data=1a2b3c4d.17x50.qrels``: fingerprint, runs, topics, name. The sample and the server's own need none."""
DIGITS = 8
_NAMED = re.compile(r"[0-9a-f]{8}(?:\.(\d{1,7})x(\d{1,7})(?:\.([\w-]{1,40}))?)?", re.ASCII)
_ASKED, _VISITOR = "data_asked", "data_visitor"


def arrive(own: bool) -> None:
    """Take note of what the address names where a tab is opened, and where its visitor goes back or forward; what they do after that
    changes the address. An address with settings that names nothing is of the sample, unless the page is of one's `own` data."""
    state, context = st.session_state, get_script_run_ctx()
    visitor = visitors.current()
    known = state.get(_VISITOR) is visitor.token  # or they were forgotten meanwhile
    if _ASKED not in state or not known or (context and context.is_history_navigation):
        state[_VISITOR] = visitor.token
        state[_ASKED] = st.query_params.get(DATA)
        session.look_at_own()
        if state[_ASKED] is None and visitor.key and (visitor.desk.used or visitor.desk.matrix) and st.query_params:
            session.look_at_sample()
    if own:
        session.look_at_own()


def elsewhere() -> str | None:
    """What the address names, where that is not what is loaded here."""
    asked: str | None = st.session_state.get(_ASKED)
    if asked is not None and asked[:DIGITS] == here()[:DIGITS]:
        asked = st.session_state[_ASKED] = None
    return asked


def name() -> None:
    """Have the address name what is loaded here."""
    if st.session_state.get(_ASKED) is None:
        if found := here():
            if st.query_params.get(DATA) != found:
                st.query_params[DATA] = found
        elif DATA in st.query_params:
            del st.query_params[DATA]


def tell(asked: str) -> None:
    """In place of a page: on which data its link was made, and how to go on."""
    known = _NAMED.fullmatch(asked)
    runs, topics, title = known.groups() if known else (None, None, None)
    measures = [text[:SHOWN] for text in st.query_params.get_all("measures")]
    parts = [f"**{escape_markdown(title)}**"] if title else []
    parts += [counted(int(number), noun) for number, noun in ((runs, "run"), (topics, "topic")) if number]
    parts += [f"measures {escape_markdown(', '.join(measures))}"] if measures else []
    st.title("This link was made on other data")
    st.write(f"{'; '.join(parts) or 'Data that the link does not describe'}. What is loaded here is not that.")
    st.write("Drop the same files, and the page is as it was when the link was made.")
    desk = visitors.current().desk
    upload.drop(desk)
    show.problems(desk, session.policy())
    st.button("Show the page on what is loaded here", key="show_here", on_click=_show_here)


def say() -> None:
    """Where the address is of the sample, and the visitor has loaded something else: a line, and a way there."""
    if session.looks_at_sample():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.info("This address is of what this server shows everybody. What you have loaded is there too.")
            st.button("Show the page on what I have loaded", key="show_own", on_click=session.look_at_own)


def here() -> str:
    """What the address calls what is loaded here; empty for the sample and for the server's own files."""
    desk = session.desk()
    if desk.matrix:
        return f"{desk.matrix.fingerprint[:DIGITS]}.{len(desk.matrix.runs)}x{len(desk.matrix.topics)}.{slug(desk.matrix.name)[:40]}"
    judged, runs = desk.judged(session.policy()), desk.taken(session.policy())
    return f"{fingerprint(desk)[:DIGITS]}.{len(runs)}x{len(judged.topics)}.{slug(judged.name)[:40]}" if judged and runs else ""


def fingerprint(desk: Desk) -> str:
    """Digest of the qrels and runs on a desk, whatever their files are called."""
    with desk.lock:
        if desk.named[0] != desk.uploader:
            contents: list[tuple[str, Qrels | Run]] = [("", found.index.qrels) for found in (desk.qrels, desk.held_qrels) if found]
            contents += [("" if len(run.tags) == 1 else name, run) for name, run in (desk.runs | desk.held).items()]
            digests = each(_digest, contents)
            desk.named = desk.uploader, blake2b("".join(sorted(digests)).encode(), digest_size=16).hexdigest()
        return desk.named[1]


def _digest(item: tuple[str, Qrels | Run]) -> str:
    name, content = item
    content = content._replace(name="", sha256="") if isinstance(content, Run) else content._replace(sha256="")
    return name + blake2b(write(content), digest_size=16).hexdigest()


def _show_here() -> None:
    st.session_state[_ASKED] = None
