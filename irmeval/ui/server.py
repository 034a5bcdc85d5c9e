"""The web server around the pages: nothing is loaded from elsewhere, and the first visitor need not wait."""

import re
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

import streamlit
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval import read_collection
from irmeval.experiments.incompleteness.curves import Params, incompleteness
from irmeval.experiments.significance.every_pair import significance
from irmeval.places import SAMPLE
from irmeval.ui import camera

STATIC = Path(streamlit.__file__).parent / "static"


@cache
def headers() -> list[tuple[bytes, bytes]]:
    """Headers for every answer: the browser refuses every other host, and begins at once to load what draws charts.

    The only scripts allowed are the server's own files, what stands in Streamlit's own front page, and the camera, known by their hashes.
    """
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    scripts = [*re.findall(r"<script>(.*?)</script>", page, re.DOTALL), camera.SCRIPT]
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in scripts]
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "'wasm-unsafe-eval'", *(f"'sha256-{h}'" for h in hashes)]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' ws: wss: data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'self'",
    }
    found = {
        "content-security-policy": "; ".join(f"{key} {value}" for key, value in policy.items()),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    if charts := next((STATIC / "static" / "js").glob("PlotlyChart.*.js"), None):
        found["link"] = f"</static/js/{charts.name}>; rel=modulepreload"
    return [(key.encode(), value.encode()) for key, value in found.items()]


class Guard:
    """Adds the headers to every answer."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *headers()]
            await send(message)

        await self.app(scope, receive, guarded if scope["type"] == "http" else send)


MIDDLEWARE = [Middleware(Guard)]


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """While the server starts, do once what the first page does: the libraries are then loaded."""
    Thread(target=_load, daemon=True).start()
    yield


def _load() -> None:
    sample = read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs")
    result = incompleteness(sample, ["AP"], Params(trials=1))
    result.summary()
    result.charts()[0].draw()
    significance(sample, ["AP"]).by_test()  # SciPy
