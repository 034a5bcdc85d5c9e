"""Refuses requests under another host name, from other sites, or for parts of Streamlit that the dashboard does not use."""

import logging
from collections.abc import Callable
from hashlib import blake2b
from hmac import compare_digest
from secrets import token_bytes
from urllib.parse import quote

import streamlit as st
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state import hosts

log = logging.getLogger("irmeval")

CORE = {"health", "host-config", "stream", "upload_file"}
"""Streamlit's paths below ``_stcore`` that the dashboard uses; others show figures about all visitors."""
FILES = {"_stcore", "media", "static"}
"""The only paths with anything below them."""
UNUSED = {"component", "auth", "oauth2callback"}
"""Streamlit's paths for components and logins, which the dashboard does not have."""
CHANGES = {"PUT", "DELETE"}
"""Methods that store or remove an uploaded file."""

SAID = {
    421: "this server does not answer to that name. Its operator can allow it: irmeval serve --allow-host NAME.",
    403: "this request comes from a page of a different origin.",
    404: "there is nothing here.",
}


_KEY = token_bytes(32)
"""Key of the signatures of uploads, until the server ends."""


class Guard:
    """Middleware that refuses requests not meant for the dashboard, and adds headers to every answer.

    Under a path of several parts Streamlit's front page finds no scripts. Such a path is redirected to one that says "no such page".
    """

    def __init__(self, app: ASGIApp, headers: Callable[[], list[tuple[bytes, bytes]]]):
        self.app, self.headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers()]
            await send(message)

        refused = refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refused is None:
            parts = [part for part in _parts(scope) if part] if scope["type"] == "http" else []
            if len(parts) > 1 and parts[0] not in FILES and "_stcore" not in parts:  # a page requests that beside its own path
                await RedirectResponse(f"{hosts.base_path()}/{quote('-'.join(parts), safe='')}")(scope, receive, guarded)
                return
            await self.app(scope, receive, guarded if scope["type"] == "http" else send)
            return
        status, why = refused
        log.warning("refused %d: %s", status, why)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse(f"Refused: {SAID[status]}\n", status)(scope, receive, guarded)


def refusal(scope: Scope) -> tuple[int, str] | None:
    """Status and reason for which a request or a websocket is refused; None if it is not."""
    named = [value.decode("latin-1") for key, value in scope["headers"] if key == b"host"]
    if len(named) != 1 or not hosts.is_served(named[0], st.get_option("server.address")):
        return 421, f"host {','.join(named)[:80]!a} is not served"
    own = {f"{scheme}://{named[0]}" for scheme in ("http", "https")}
    for origin in (value.decode("latin-1") for key, value in scope["headers"] if key == b"origin"):
        if origin not in own:
            return 403, f"origin {origin[:80]!a} is not that of host {named[0]}"
    parts = [*_parts(scope), ""]
    if parts[0] in UNUSED or (parts[0] == "_stcore" and parts[1] not in CORE):
        return 404, f"path {'/'.join(parts)[:80]!a} is closed"
    if parts[:2] == ["_stcore", "upload_file"] and scope["type"] == "http" and scope["method"] in CHANGES and not _is_signed(*parts[2:]):
        return 404, "no page has asked for this upload"
    return None


def sign_upload(session: str, file: str) -> str:
    """The id of a file that a page of a session asks for, with a signature. Only the browser of that page learns it."""
    return f"{file}.{blake2b(f'{session}/{file}'.encode(), key=_KEY, digest_size=16).hexdigest()}"


def _is_signed(session: str, file: str = "", *more: str) -> bool:
    """Whether the end of an upload's path is that of a file that a page of the session has asked for."""
    return more == ("",) and compare_digest(sign_upload(session, file.rpartition(".")[0]).encode(), file.encode())


def _parts(scope: Scope) -> list[str]:
    """The parts of a request's path below that of the dashboard."""
    return scope["path"].removeprefix(hosts.base_path()).lstrip("/").split("/")
