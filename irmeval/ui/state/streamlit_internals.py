"""All uses of Streamlit beyond its documented interface. A test checks them with the lowest and the newest allowed version."""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec, UploadFileUrlInfo

Uploads = MemoryUploadedFileManager
"""Streamlit's store of uploaded files."""
DroppedFile = UploadedFile
"""A file in an uploader."""


def session_id() -> str:
    """The session of the tab whose page is being drawn; empty outside a page. Without it, files that one tab drops are read in another."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def is_open(session: str) -> bool:
    """Whether the tab of a session is connected. Without it, who leaves a tab in the background loses their jobs and what they loaded."""
    return bool(session) and exists() and get_instance().is_active_session(session)


def redraw(session: str) -> None:
    """Draw the page of a session again, as it is. Without it, nothing says that a file was lost on its way."""
    found = get_instance()._session_mgr.get_active_session_info(session)
    if found:
        found.session.request_rerun(found.session._client_state)


def goes_through_history() -> bool:
    """Whether the visitor goes back or forward. Without it, the data named by an address are not those shown
    when a visitor goes back to it."""
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


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
