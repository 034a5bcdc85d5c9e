"""What the browser of a tab and the server tell each other is read once, and followed in
three ways: which page was left, which address the next one has, and which files will come.
"""

from collections.abc import Callable, Iterator
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state.streamlit_internals import read_message
from irmeval.ui.widgets.receiving import Announcements

CLOSED = "once a close message has been sent"
"""Starlette's words for a connection that was closed before."""


class Departures:
    """Which page the browser of a tab has left last.

    A part of a page that is drawn again by itself asks once more after a link was
    followed, and Streamlit takes the page of two requests that wait from the later one.
    """

    def __init__(self) -> None:
        self._page = self._left = ""

    def is_late(self, told: Any) -> bool:
        """Whether a message is of the page that was left, and nobody's press."""
        if told.WhichOneof("type") != "rerun_script":
            return False
        asked = told.rerun_script
        page: str = asked.page_script_hash
        if asked.is_auto_rerun and page == self._left:
            return bool(page)
        # what comes from another page shows that the browser has left
        self._left = "" if page == self._page else self._page
        self._page = page
        return False


class Addresses:
    """Which address the browser of a tab has after going back or forward to another page.

    It has it at once, and Streamlit writes into it what the page that was left still sends.
    """

    def __init__(self) -> None:
        self._page = ""
        self._awaits_page = False
        """whether the page gone to has yet to begin"""
        self._query: str | None = None
        """its settings; None where a link or a press has led on since"""

    def note(self, told: Any) -> None:
        """Note which page a browser asks for."""
        asked = told.rerun_script
        if asked.is_history_navigation:
            self._awaits_page, self._query = True, asked.query_string
        elif asked.page_script_hash in ("", self._page):
            return
        else:
            self._query = None
        self._page = asked.page_script_hash

    def kept(self, message: Message) -> Iterator[Message]:
        """What is sent in place of a message: no address of the page that was left; and as
        the one gone to begins, its own once more, for one that was on its way.
        """
        if not self._awaits_page:
            yield message
            return
        sent = read_message(message.get("bytes") or b"", from_browser=False)
        kind = sent.WhichOneof("type")
        if kind != "page_info_changed":
            yield message
        if kind != "new_session" or sent.new_session.page_script_hash != self._page:
            return
        self._awaits_page = False
        if self._query is not None:
            sent.page_info_changed.SetInParent()  # in place of what it was
            sent.page_info_changed.query_string = self._query
            yield {**message, "bytes": sent.SerializeToString()}


class Messages:
    """Middleware that drops what a page asks by itself after a link on it was followed, and
    the address that it sends then, and notes the files that a tab announces; `rename` makes
    new ids of these, from session and Streamlit id.
    """

    def __init__(self, app: ASGIApp, rename: Callable[[str, str], str]):
        self.app, self.rename = app, rename

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        departures, addresses = Departures(), Addresses()
        announcements = Announcements(self.rename)

        async def ask() -> Message:
            while True:
                message = await receive()
                told = read_message(message.get("bytes") or b"", from_browser=True)
                if not departures.is_late(told):
                    addresses.note(told)
                    announcements.note(told)
                    return message

        async def answer(message: Message) -> None:
            for kept in addresses.kept(message):
                await send({**kept, **announcements.renamed(kept)})

        try:
            await self.app(scope, ask, answer)
        except RuntimeError as error:
            # Streamlit closes once more what has just been closed; the log is for faults
            if CLOSED not in str(error):
                raise
