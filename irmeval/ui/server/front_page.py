"""Streamlit's front page, with a style sheet that holds before any page of the
dashboard is there.
"""

from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

STYLE = Path(__file__).with_name("waiting.css").read_text(encoding="utf-8")
END = b"</head>"
OF_THE_FILE = (b"content-length", b"etag", b"last-modified", b"accept-ranges")
"""Headers that describe Streamlit's own file."""


class FrontPage:
    """Middleware that adds the style sheet to the front page."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        # unpacked, as Streamlit sends its root, for the style sheet to be put in
        kept = [field for field in scope["headers"] if field[0] != b"accept-encoding"]
        await self.app({**scope, "headers": kept}, receive, _styled(send))


def _asks_for_page(scope: Scope) -> bool:
    """Whether a browser asks for a page, not for a file, or by a websocket."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _styled(send: Send) -> Send:
    """Send a response that is HTML with the style sheet, any other as it is."""
    held: dict[str, Any] = {}
    parts: list[bytes] = []

    async def styled(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            held["start"] = message
            return
        if "start" not in held or message["type"] != "http.response.body":
            await send(message)
            return
        parts.append(message.get("body", b""))
        if message.get("more_body"):
            return
        page = b"".join(parts).replace(END, f"<style>{STYLE}</style>".encode() + END, 1)
        kept = [field for field in held["start"]["headers"] if field[0] not in OF_THE_FILE]
        length = b"content-length", str(len(page)).encode()
        await send({**held.pop("start"), "headers": [*kept, length]})
        await send({**message, "body": page})

    return styled


def _is_page(start: Message) -> bool:
    kinds = [value for name, value in start["headers"] if name == b"content-type"]
    return start["status"] == 200 and any(kind.startswith(b"text/html") for kind in kinds)
