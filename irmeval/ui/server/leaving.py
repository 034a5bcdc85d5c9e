"""Messages of a page that its visitor has just left are not passed on."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state.streamlit_internals import Departures


class Leaving:
    """Middleware that drops what a page asks by itself after a link on it was followed."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        departures = Departures()

        async def ask() -> Message:
            message = await receive()
            while departures.is_late(message.get("bytes") or b""):
                message = await receive()
            return message

        await self.app(scope, ask if scope["type"] == "websocket" else receive, send)
