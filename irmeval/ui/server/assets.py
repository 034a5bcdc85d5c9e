"""Streamlit's own scripts, styles and fonts, served from memory: a first visit requests a hundred of them."""

import mimetypes
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from irmeval.ui.state.hosts import base_path

STATIC = Path(st.__file__).parent / "static"
KEPT = "public, immutable, max-age=31536000"
"""Browsers may keep them for a year: their names change with their content."""
CONDITIONS = {b"range", b"if-none-match", b"if-modified-since"}
"""Headers of a request for less than a whole file."""


class Assets:
    """Middleware that answers requests for these files."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        whole = scope["type"] == "http" and scope["method"] == "GET" and CONDITIONS.isdisjoint(name for name, _ in scope["headers"])
        path = scope["path"].removeprefix(base_path()) if whole else ""
        await (_answer(path) if path in _files() else self.app)(scope, receive, send)


@cache
def _files() -> dict[str, Path]:
    """Path in an address -> file."""
    return {f"/{path.relative_to(STATIC).as_posix()}": path for path in sorted(STATIC.glob("static/*/*"))}


@cache
def _answer(path: str) -> Response:
    kind, _ = mimetypes.guess_type(path)
    return Response(_files()[path].read_bytes(), headers={"cache-control": KEPT}, media_type=kind or "application/octet-stream")
