"""The cookie that identifies a visitor. A server accepts only cookies that it has
signed.

Servers that share a folder of kept data share its signing key; one that keeps nothing
has its own. The cookie's name depends on the key, as a browser sends the cookies of all
ports of a machine to each.
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

from irmeval.ui.state import home, store
from irmeval.ui.state.hosts import base_path

COOKIE = "irmeval-visitor"
"""Prefix of the cookie's name."""
ASKED = "/_stcore/host-config"
"""Path below the dashboard's that Streamlit's page requests before its websocket. The
page itself may be requested without cookies, through a link on another site.
"""
DAY = 86_400
_FORM = re.compile(r"([\w-]{32})[0-9a-f]{32}", re.ASCII)
"""Pattern of random letters with their signature."""


@cache
def secret() -> bytes:
    """Key that signs cookies; one of this process if it cannot be stored on disk."""
    try:
        return store.secret(make=days_kept() > 0)
    except OSError:
        # visitors then have a new cookie after a restart, but each still has their own
        return token_bytes(store.SECRET_BYTES)


def days_kept() -> float:
    """Days that this server keeps visitors' data on disk after the last use; 0: none
    are kept.
    """
    return home.days(st.get_option("server.address"))


def cookie_name(beginning: str = COOKIE) -> str:
    """Name of the cookie of this server, and of all that share its key."""
    return f"{beginning}-{blake2b(secret(), digest_size=4).hexdigest()}"


def own_cookie(brought: Mapping[str, str]) -> str:
    """This server's cookie among those of a browser; empty if there is none."""
    # a browser sends the cookies of all servers of a machine, whatever their port
    value = brought.get(cookie_name(), "")
    if is_signed(value):
        return value
    return _kept_cookie(brought)


def _kept_cookie(brought: Mapping[str, str]) -> str:
    """A cookie that was signed by a key that is lost, but whose visitor's data are here;
    empty if there is none.
    """
    beginning = [value for name, value in brought.items() if name.startswith(COOKIE)]
    formed = filter(_FORM.fullmatch, beginning)
    return next((value for value in formed if store.is_kept(key_of(value))), "")


def sent_cookie() -> str:
    """Cookie of the browser whose page is being drawn; empty if it sent none of this
    server's.
    """
    return own_cookie(st.context.cookies)


def key_of(cookie: str) -> str:
    """Name of a visitor's folder: a hash of their cookie."""
    return blake2b(cookie.encode(), digest_size=16).hexdigest()


def sign(text: str) -> str:
    """A text with its signature."""
    return text + blake2b(text.encode(), key=secret(), digest_size=16).hexdigest()


def is_signed(value: str) -> bool:
    """Whether a cookie is one of this server's."""
    parts = _FORM.fullmatch(value)
    if parts is None:
        return False
    return compare_digest(value, sign(parts[1]))


class Cookie:
    """Middleware that gives a cookie to every browser without one, in a single answer.

    Streamlit's page looks for its server below every part of its own path, and does not
    wait for one answer before it asks the next: two would be two visitors, of whom the
    open tab is one and the browser's next tab the other.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def giving(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"set-cookie", cookie_header(HTTPConnection(scope)).encode()),
                ]
            await send(message)

        asked = scope["type"] == "http" and scope["path"] == base_path() + ASKED
        answer = giving if asked else send
        await self.app(scope, receive, answer)


def cookie_header(request: HTTPConnection) -> str:
    """The header that sets a browser's cookie, to the same value if it has one."""
    cookie = own_cookie(request.cookies) or new_cookie()
    parts = [f"{cookie_name()}={cookie}", "SameSite=Strict"]
    days = days_kept()
    if days:
        parts.append(f"Max-Age={int(days * DAY)}")
    return write_cookie(request, *parts)


def new_cookie() -> str:
    """A random value with its signature."""
    # 24 bytes are 32 letters, as `_FORM` wants them
    return sign(token_urlsafe(24))


def write_cookie(request: HTTPConnection, *parts: str) -> str:
    """A header that sets a cookie, which scripts cannot read, for all paths of the
    dashboard. Behind TLS it is for TLS only.
    """
    path = base_path() or "/"
    parts = *parts, f"Path={path}", "HttpOnly"
    # a proxy that ends TLS asks in plain text, and says so in a header
    if "https" in (
        request.scope["scheme"],
        request.headers.get("x-forwarded-proto", "").split(",")[0].strip(),
    ):
        parts = *parts, "Secure"
    return "; ".join(parts)
