"""Streamlit's own scripts, styles and letters, out of memory: a first visit asks for a hundred of them, and waits for the last."""

import mimetypes
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from irmeval.ui.state.hosts import base_path

STATIC = Path(st.__file__).parent / "static"
KEPT = "public, immutable, max-age=31536000"
"""For how long a browser may keep them: their names tell what is in them."""
CONDITIONS = {b"range", b"if-none-match", b"if-modified-since"}
"""Headers of who asks for less than a whole file."""
EARLY = ("Html", "purify", "PlotlyChart")
"""What Streamlit calls the scripts that the first screen needs and its front page does not name, the largest by far last."""


class Assets:
    """Middleware that answers requests for these files; any other request passes."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        whole = scope["type"] == "http" and scope["method"] == "GET" and CONDITIONS.isdisjoint(name for name, _ in scope["headers"])
        path = scope["path"].removeprefix(base_path()) if whole else ""
        await (_answer(path) if path in _files() else self.app)(scope, receive, send)


def early() -> list[str]:
    """The addresses of the scripts that a browser should load before it learns that it needs them."""
    return [f"{base_path()}{path}" for name in EARLY for path in _files() if path.startswith(f"/static/js/{name}.")]


@cache
def _files() -> dict[str, Path]:
    """Path in an address -> file."""
    return {f"/{path.relative_to(STATIC).as_posix()}": path for path in sorted(STATIC.glob("static/*/*"))}


@cache
def _answer(path: str) -> Response:
    kind, _ = mimetypes.guess_type(path)
    return Response(_files()[path].read_bytes(), headers={"cache-control": KEPT}, media_type=kind or "application/octet-stream")
