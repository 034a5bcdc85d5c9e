"""All uses of Streamlit beyond its documented interface. A test checks them with the lowest and the newest allowed version."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, cast

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.RootContainer_pb2 import RootContainer
from streamlit.runtime import exists, get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, StopException, add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec, UploadFileUrlInfo

Uploads = MemoryUploadedFileManager
"""Streamlit's store of uploaded files."""
DroppedFile = UploadedFile
"""A file in an uploader."""
DRAWN = "drawn_before"
"""In a tab's state, once it was drawn."""
GAP, LONG = 0.15, 0.8
"""Seconds between page and sidebar, and after which nothing is held back."""
LOOK = 0.005
"""Seconds between two checks whether all that was drawn is sent."""


def session_id() -> str:
    """The session of the tab whose page is being drawn; empty outside a page."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def is_open(session: str) -> bool:
    """Whether the tab of a session is connected."""
    return bool(session) and exists() and get_instance().is_active_session(session)


def redraw(session: str) -> None:
    """Draw the page of a session again, as it is."""
    found = get_instance()._session_mgr.get_active_session_info(session)
    if found:
        found.session.request_rerun(found.session._client_state)


def order_requests(unasked: str) -> None:
    """From now on, in all sessions, no request of a browser undoes another.

    A request that no visitor made, at intervals or by a button whose key begins with `unasked`, carries old values of widgets. While a page
    is being drawn it is ignored; the page asks again. And a drawing begins only after all of the previous one is sent.
    """
    ask, create = AppSession.request_rerun, AppSession._create_scriptrunner
    if ask.__module__ == __name__:
        return

    def by_itself(asked: ClientState) -> bool:
        pressed = [one.id for one in asked.widget_states.widgets if one.trigger_value]
        return asked.is_auto_rerun or any(re.search(rf"-{unasked}", name) for name in pressed)

    def request(session: AppSession, asked: ClientState | None) -> None:
        if not (asked and asked.fragment_id and session._scriptrunner and by_itself(asked)):
            ask(session, asked)

    def draw(session: AppSession, data: RerunData) -> None:
        if (before := session._scriptrunner) is None:
            create(session, data)
        elif not before.request_rerun(data):  # it has ended, but the session does not know yet
            session._event_loop.call_later(LOOK, draw, session, data)

    sessions: Any = AppSession
    sessions.request_rerun, sessions._create_scriptrunner = request, draw


def join_page() -> Callable[[], object]:
    """A function that lets any thread that calls it draw on the present page."""
    return partial(add_script_run_ctx, ctx=get_script_run_ctx())


def stop_page() -> NoReturn:
    """End the drawing of the page. After `st.stop` nothing can be drawn any more, not even in a ``finally``; after this it can."""
    raise StopException


@contextmanager
def sidebar_last() -> Iterator[None]:
    """Context of a drawing. In a tab's first drawing, what is in the containers of the sidebar is sent last.

    A browser that gets all at once shows the page only after it has built the sidebar's widgets. So these follow `GAP` seconds after the
    page. A page that takes longer than `LONG` seconds does not hold them back.
    """
    context = get_script_run_ctx()
    if not context or DRAWN in st.session_state:
        yield
        return
    st.session_state[DRAWN] = True
    send, begun = context._enqueue, time.monotonic()
    held: list[ForwardMsg] = []

    def enqueue(message: ForwardMsg) -> None:
        path = message.metadata.delta_path
        if late := time.monotonic() >= begun + LONG:
            release()
        waits = not late and len(path) > 2 and path[0] == RootContainer.SIDEBAR
        (held.append if waits else send)(message)

    def release() -> None:
        while held:
            send(held.pop(0))

    context._enqueue = enqueue
    try:
        yield
        if held:
            time.sleep(GAP)
    finally:
        context._enqueue = send
        release()


def goes_through_history() -> bool:
    """Whether the visitor goes back or forward."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def page_asked() -> str:
    """The name of the page in an address that was just opened; empty if a page is drawn again or was picked in a menu."""
    context = get_script_run_ctx()
    found = context.pages_manager if context else None
    return (found.intended_page_name or "") if found and not found.intended_page_script_hash else ""


@contextmanager
def _address() -> Iterator[Any]:
    """The values in the address of the page that is being drawn."""
    context = get_script_run_ctx()
    assert context
    with context.session_state.query_params() as values:
        yield values


def rename_in_address(names: Mapping[str, str]) -> None:
    """Rename values in the address, for widgets that are drawn next. A value under the new name stays."""
    with _address() as values:
        for name, new in names.items():
            if not values.has_param(new):
                values.set_with_no_forward_msg(new, values.get_all(name))
        for name in [*names][1:]:
            values.discard_param_no_forward_msg(name)
        for name in [*names][:1]:  # this tells the browser of all of them
            values.remove_param(name)
            values.set_initial_query_params_from_current()


def add_to_address(added: Mapping[str, Sequence[str]]) -> None:
    """Write values to the address, for widgets that are drawn next, and may have been drawn before."""
    with _address() as values:
        for name, texts in added.items():
            values.set_corrected_value(name, texts, "string_array_value")
        values.set_initial_query_params_from_current()


def bound_widgets() -> dict[str, bool]:
    """Key of each widget that is bound to the address -> whether the browser's request says what it holds. Only before one is drawn."""
    context = get_script_run_ctx()
    if not context:
        return {}
    state = context.session_state._state
    widgets, said = state._key_id_mapper._key_id_mapping, state._new_widget_state.states
    return {name: widget in said for name, widget in widgets.items() if widget in state._query_param_bound_widget_ids}


def complete_address() -> None:
    """Write to the address what its widgets hold and it lacks. Streamlit leaves it out on the first page that is picked in a menu after a
    link was opened. Only for a page that was just opened: later the browser knows more of the address than the server."""
    context: Any = get_script_run_ctx()
    state = context.session_state._state
    with _address() as values:
        for name, binding in values._bindings_by_param.items():
            widget = state._new_widget_state.widget_metadata.get(binding.widget_id)
            if widget and not values.has_param(name) and (value := state[binding.widget_id]) != widget.deserializer(None):
                values.set_corrected_value(name, widget.serializer(value), widget.value_type)


def remove_from_address(name: str) -> bool:
    """Remove a value, also one that is bound to a widget, from the address; return whether that was drawn before."""
    with _address() as values:
        values.remove_param(name)
        return bool(values.is_bound(name))


def clear_address(begin: str) -> None:
    """Remove all values whose names start with `begin` from the address, so that their widgets begin without them."""
    with _address() as values:
        for name in [name for name in values if name.startswith(begin)]:
            values.remove_param(name)
        values.set_initial_query_params_from_current()


def uploads() -> Uploads:
    """The server's store of uploaded files."""
    return cast(Uploads, get_instance().uploaded_file_mgr)


def uploaded_bytes() -> dict[str, int]:
    """Bytes of the uploaded files that the server keeps for each session."""
    stored = uploads().file_storage if exists() else {}
    return {session: sum(len(file.data) for file in [*files.values()]) for session, files in [*stored.items()]}


def rename_uploads(files: Uploads, rename: Callable[[str, str], str]) -> None:
    """From now on, files have the ids that `rename` makes of their session and Streamlit's id."""
    ask = files.get_upload_urls

    def asked(session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        urls = ask(session_id, file_names)
        return [UploadFileUrlInfo(*(part.replace(url.file_id, rename(session_id, url.file_id)) for part in url)) for url in urls]

    files.get_upload_urls = asked  # type: ignore[method-assign]


def uploaded_files(session: str, files: Sequence[str]) -> list[UploadedFileRec]:
    """The uploaded files of a session with these ids, without those that were removed since."""
    return uploads().get_files(session, files) if files else []


def watch_uploads(
    files: Uploads, announced: Callable[[str, Iterable[tuple[str, str]]], None], received: Callable[[str, str, str], None]
) -> None:
    """Call `announced` with a session and the (id, name) of the files that its browser will send; `received` with each that arrived."""
    ask, add = files.get_upload_urls, files.add_file

    def asked(session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        urls = ask(session_id, file_names)
        announced(session_id, zip((url.file_id for url in urls), file_names, strict=True))
        return urls

    def added(session_id: str, file: UploadedFileRec) -> None:
        add(session_id, file)
        received(session_id, file.file_id, file.name)

    files.get_upload_urls, files.add_file = asked, added  # type: ignore[method-assign]
