"""Streamlit's front page, with what must hold before any page of the dashboard is there:
a style sheet, and where the server is.
"""

from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state.streamlit_internals import CONNECT

STYLE = Path(__file__).with_name("waiting.css").read_text(encoding="utf-8")
ADDED = f"<style>{STYLE}</style><script>{CONNECT}</script>".encode()
END = b"</head>"
OF_THE_FILE = ("etag", "last-modified", "accept-ranges")
"""Headers that describe Streamlit's own file."""


class FrontPage:
    """Middleware that adds style sheet and script to the front page."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        # unpacked, as Streamlit sends its root, for the style sheet to be put in
        headers = MutableHeaders(raw=[*scope["headers"]])
        del headers["accept-encoding"]
        await self.app({**scope, "headers": headers.raw}, receive, _styled(send))


def _asks_for_page(scope: Scope) -> bool:
    """Whether a browser asks for a page, not for a file, or by a websocket."""
    if scope.get("method") != "GET":
        return False
    return "text/html" in ",".join(Headers(scope=scope).getlist("accept"))


def _styled(send: Send) -> Send:
    """Send a response that is HTML with style sheet and script, any other as it is."""
    held: dict[str, Any] = {}
    parts: list[bytes] = []

    async def styled(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            held["start"] = message
            return
        if "start" not in held:
            await send(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        page = b"".join(parts).replace(END, ADDED + END, 1)
        start = held.pop("start")
        headers = MutableHeaders(raw=[*start["headers"]])
        for name in OF_THE_FILE:
            del headers[name]
        headers["content-length"] = str(len(page))
        await send({**start, "headers": headers.raw})
        await send({**message, "body": page})

    return styled


def _is_page(start: Message) -> bool:
    kind = Headers(raw=[*start["headers"]]).get("content-type", "")
    return start["status"] == 200 and kind.startswith("text/html")
