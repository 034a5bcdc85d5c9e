"""The cookie that tells a visitor from all others. Every server issues its own: whoever brings another is given one.

What is issued is signed, with a key that servers which share a folder of what is kept find there; a server that keeps nothing has one of
its own. The key names the cookie too, so that servers on several ports of a machine, whose cookies a browser does not tell apart, leave
each other's alone.
"""

import re
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from secrets import token_bytes, token_urlsafe

import streamlit as st
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state import disk_store
from irmeval.ui.state.hosts import base_path

COOKIE = "irmeval-visitor"
"""What the name of the cookie begins with."""
ASKED = "/_stcore/host-config"
"""What Streamlit's page asks for before it opens its websocket. The cookie comes with the answer, and not with the page itself: a browser
that follows a link from elsewhere asks for the page without its cookies, and would have its own replaced."""
DAY = 86_400
_FORM = re.compile(r"([\w-]{32})([0-9a-f]{32})?", re.ASCII)
"""Random letters, and their signature; of old there was none."""


@cache
def secret() -> bytes:
    """The key that signs cookies; where it cannot be kept on disk, one of this process."""
    try:
        return disk_store.secret(make=days_kept() > 0)
    except OSError:
        return token_bytes(disk_store.SECRET_BYTES)


def days_kept() -> float:
    """Days for which this server keeps what visitors load on disk after their last use; 0: not at all."""
    return disk_store.days(st.get_option("server.address"))


def cookie_name() -> str:
    """Name of the cookie of this server, and of those that it shares a key with."""
    return f"{COOKIE}-{blake2b(secret(), digest_size=4).hexdigest()}"


def own_cookie(brought: Mapping[str, str]) -> str:
    """The cookie of this server among those that a browser sends; empty where there is none."""
    if (value := brought.get(cookie_name(), "")) and _is_signed(value):
        return value
    others = (value for key, value in brought.items() if key.startswith(COOKIE))
    return next((value for value in others if _FORM.fullmatch(value) and disk_store.is_kept(key_of(value))), "")


def sent_cookie() -> str:
    """The cookie of the browser whose page is being drawn; empty where it sent none that was issued here."""
    return own_cookie(st.context.cookies)


def key_of(cookie: str) -> str:
    """Name of a visitor's folder, from their cookie; the cookie cannot be read off it."""
    return blake2b(cookie.encode(), digest_size=16).hexdigest()


def new_cookie() -> str:
    """A new cookie."""
    text = token_urlsafe(24)
    return text + _signature(text)


def _signature(text: str) -> str:
    return blake2b(text.encode(), key=secret(), digest_size=16).hexdigest()


def _is_signed(value: str) -> bool:
    parts = _FORM.fullmatch(value)
    return bool(parts and parts[2] and compare_digest(parts[2], _signature(parts[1])))


class Cookie:
    """Gives a cookie to every browser that has none of this server's."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def giving(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"set-cookie", cookie_header(HTTPConnection(scope)).encode())]
            await send(message)

        asked = scope["type"] == "http" and scope["path"].endswith(ASKED)
        await self.app(scope, receive, giving if asked else send)


def cookie_header(request: HTTPConnection) -> str:
    """The header that sets a browser's cookie, the same again where it has one; behind TLS the cookie is for TLS alone."""
    parts = [f"{cookie_name()}={own_cookie(request.cookies) or new_cookie()}", f"Path={base_path() or '/'}", "HttpOnly", "SameSite=Strict"]
    if kept := days_kept():
        parts.append(f"Max-Age={int(kept * DAY)}")
    if "https" in (request.scope["scheme"], request.headers.get("x-forwarded-proto", "").split(",")[0].strip()):
        parts.append("Secure")
    return "; ".join(parts)
