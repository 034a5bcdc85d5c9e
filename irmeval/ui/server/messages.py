"""What the browser of a tab and the server tell each other is read once, and followed in
two ways: which page was left, and which files will come.
"""

from collections.abc import Callable
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


class Messages:
    """Middleware that drops what a page asks by itself after a link on it was followed, and
    notes the files that a tab announces; `rename` makes new ids of these, from session and
    Streamlit id.
    """

    def __init__(self, app: ASGIApp, rename: Callable[[str, str], str]):
        self.app, self.rename = app, rename

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        departures, announcements = Departures(), Announcements(self.rename)

        async def ask() -> Message:
            while True:
                message = await receive()
                told = read_message(message.get("bytes") or b"", from_browser=True)
                if not departures.is_late(told):
                    announcements.note(told)
                    return message

        async def answer(message: Message) -> None:
            await send({**message, **announcements.renamed(message)})

        try:
            await self.app(scope, ask, answer)
        except RuntimeError as error:
            # Streamlit closes once more what has just been closed; the log is for faults
            if CLOSED not in str(error):
                raise
