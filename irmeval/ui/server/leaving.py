"""Messages of a page that its visitor has just left are not passed on."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state.streamlit_internals import Messages

CLOSED = "once a close message has been sent"
"""Starlette's words for a connection that was closed before."""


class Leaving:
    """Middleware that drops what a page asks by itself after a link on it was followed."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages = Messages()

        async def ask() -> Message:
            message = await receive()
            while messages.is_late(message.get("bytes") or b""):
                message = await receive()
            return message

        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, ask, send)
        except RuntimeError as error:
            # Streamlit closes once more what has just been closed; the log is for faults
            if CLOSED not in str(error):
                raise
