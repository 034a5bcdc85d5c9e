"""The web server around the pages: it refuses requests not meant for the dashboard,
lets no page load anything from elsewhere, and prepares for the first visitor.
"""

import functools
import gc
import logging
import re
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import blake2b, sha256
from hmac import compare_digest
from secrets import token_bytes
from threading import Thread
from typing import Any
from urllib.parse import quote

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.collection import read_collection
from irmeval.core.errors import ReadError
from irmeval.core.folders import SAMPLE, page_scripts
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.curves import Params
from irmeval.experiments.runs.matrix import matrix
from irmeval.ui.server import front_page, messages, voting
from irmeval.ui.state import cache, cookies, home, hosts, quotas, server_files, visitors
from irmeval.ui.state.hosts import base_path
from irmeval.ui.state.streamlit_internals import CONNECT, STATIC, send_at_once
from irmeval.ui.widgets import menu, receiving, switches
from irmeval.ui.widgets.form import MEASURES

log = logging.getLogger("irmeval")

CORE = {"health", "host-config", "stream", "upload_file"}
"""Streamlit's paths below ``_stcore`` that the dashboard uses; others reveal figures
about all visitors.
"""
FILES = {"_stcore", "media", "static"}
"""The only paths with further paths below them."""
UNUSED = {"component", "auth", "oauth2callback"}
"""Streamlit's paths for components and logins, which the dashboard does not have."""
SWITCH = 0.001
"""Seconds until another thread may run. While 25 visitors computed, five in a hundred
requests waited .7 s with Python's own .005, and .3 to .5 with this.
"""
CHANGES = {"PUT", "DELETE"}
"""Methods that store or remove an uploaded file."""

SAID = {
    421: "unknown host name. The operator can allow it: irmeval serve --allow-host NAME.",
    403: "this request is from a page of a different origin.",
    404: "there is nothing here.",
}


_KEY = token_bytes(32)
"""Key of the signatures of uploads, for the lifetime of the server."""


class Guard:
    """Middleware that rejects requests not meant for the dashboard, and adds headers to
    every response.

    Under a path of several parts Streamlit's front page finds no scripts. Such a path
    is redirected to the page "no such page".
    """

    def __init__(self, app: ASGIApp, headers: Callable[[], list[tuple[bytes, bytes]]]):
        self.app, self.headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers()]
            await send(message)

        if scope["type"] == "http":
            answer = _answer_otherwise(scope) or self.app
            await answer(scope, receive, guarded)
        elif scope["type"] == "websocket" and _refused(scope):
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, send)


def _answer_otherwise(scope: Scope) -> Response | None:
    """The answer to a request that is refused, or leads to no page; None if the dashboard
    answers it.
    """
    status = _refused(scope)
    if status:
        return PlainTextResponse(f"Refused: {SAID[status]}\n", status)
    parts = [*filter(None, _parts(scope))]
    # a page requests that beside its own path
    is_file = "_stcore" in parts or FILES.issuperset(parts[:1])
    if is_file or len(parts) < 2:
        return None
    page = quote("-".join(parts), safe="")
    return RedirectResponse(f"{hosts.base_path()}/{page}")


def _refused(scope: Scope) -> int:
    """Status of a request that is refused, with a line in the log; 0 if it is not."""
    found = refusal(scope)
    if found is None:
        return 0
    status, why = found
    log.warning("refused %d: %s", status, why)
    return status


def refusal(scope: Scope) -> tuple[int, str] | None:
    """Status and reason to reject a request or a websocket; None if it is accepted. The
    reason is for the log, which repeats nothing that a client sends.
    """
    sent = Headers(scope=scope)
    host = ",".join(sent.getlist("host"))  # several are no name
    if not hosts.is_served(host, st.get_option("server.address")):
        return 421, "a host name that is not served"
    own = {f"http://{host}", f"https://{host}"}
    if not own.issuperset(sent.getlist("origin")):
        return 403, "a page of another origin"
    first, second, *rest = [*_parts(scope), ""]
    is_inner = first == "_stcore" and second not in CORE
    if is_inner or first in UNUSED:
        return 404, "a closed path"
    changes = scope.get("method") in CHANGES
    if changes and second == "upload_file" and not _is_signed(*rest):
        return 404, "no page has asked for this upload"
    return None


def sign_upload(session: str, file: str) -> str:
    """Signed id of a file that a page of a session requests. Only the browser of that
    page learns it.
    """
    return f"{file}.{blake2b(f'{session}/{file}'.encode(), key=_KEY, digest_size=16).hexdigest()}"


def _is_signed(session: str, file: str = "", *more: str) -> bool:
    """Whether the end of an upload's path is that of a file requested by a page of the
    session.
    """
    if more != ("",):
        return False
    signed = sign_upload(session, file.rpartition(".")[0])
    return compare_digest(signed.encode(), file.encode())


def _parts(scope: Scope) -> list[str]:
    """Parts of a request's path below that of the dashboard."""
    return scope["path"].removeprefix(hosts.base_path()).lstrip("/").split("/")


@functools.cache
def headers() -> list[tuple[bytes, bytes]]:
    """Headers of every response. The browser loads nothing from other hosts.

    Scripts are the server's own files and, by their hashes, those in Streamlit's front
    page, the one added there, and those of `switches` and `voting`.
    """
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    scripts = [
        *re.findall(r"<script>(.*?)</script>", page, re.DOTALL),
        CONNECT,
        switches.SCRIPT,
        voting.SCRIPT,
    ]
    digests = (b64encode(sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = ["'self'", "'wasm-unsafe-eval'", *map("'sha256-{}'".format, digests)]
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(allowed),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    fields = {
        "content-security-policy": "; ".join(map(" ".join, policy.items())),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    return Headers(fields).raw


MIDDLEWARE = [
    Middleware(Guard, headers=headers),
    Middleware(voting.Voting),
    Middleware(messages.Messages, rename=sign_upload),
    Middleware(receiving.Room),
    Middleware(cookies.Cookie),
    Middleware(front_page.FrontPage),
]


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Check the settings, log the URL, and run the first page once, so that libraries
    are loaded.
    """
    hosts.allowed_names()
    home.days(st.get_option("server.address"))
    quotas.check()
    cookies.secret()
    _log_address()
    send_at_once()
    sys.setswitchinterval(SWITCH)
    Thread(target=visitors.watch, daemon=True).start()
    Thread(target=_load, daemon=True).start()
    yield


def _log_address() -> None:
    """Log the URL of the server, on standard error unless logging is set up already."""
    log = logging.getLogger("irmeval")
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    bound = st.get_option("server.address")
    scheme = "http"
    if st.get_option("server.sslCertFile"):
        scheme = "https"
    where = bound
    if bound in (None, "0.0.0.0", "::"):
        where = "localhost"
    elif ":" in bound:
        where = f"[{bound}]"
    log.info("listening on %s://%s:%d%s", scheme, where, st.get_option("server.port"), base_path())


def _load() -> None:
    sample, curves = (
        read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs"),
        EXPERIMENTS["curves"],
    )
    try:
        seen = server_files.serves_sample()
    except ReadError:  # every page shows it
        seen = False
    work = curves.work(sample, ("AP",), Params(trials=1))
    if seen:
        work = curves.work(sample, MEASURES, Params(), store=cache.store())
    (result,) = cache.keep_result(curves.key(work), [curves.compute(work)])
    result.summary()
    for page in page_scripts():
        menu.question_of(page)
    matrix(sample, ["AP"]).by_test()  # SciPy
    gc.collect()
    gc.freeze()  # what stays for good is not searched for garbage again and again
