"""The web server around the pages. It lets no page load anything from elsewhere, and prepares for the first visitor."""

import functools
import gc
import logging
import re
import sys
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from threading import Thread
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from irmeval.collection import read_collection
from irmeval.core.errors import ReadError
from irmeval.core.folders import SAMPLE, page_scripts
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.curves import Params
from irmeval.experiments.runs.matrix import significance
from irmeval.ui.server import assets
from irmeval.ui.server.guard import Guard, sign_upload
from irmeval.ui.state import cache, cached, cookies, home, hosts, quotas, visitors
from irmeval.ui.state.hosts import base_path
from irmeval.ui.widgets import browser, menu, receiving, session
from irmeval.ui.widgets.form import MEASURES


@functools.cache
def headers() -> list[tuple[bytes, bytes]]:
    """Headers of every answer. The browser loads nothing from other hosts.

    The only allowed scripts are the server's own files and, by their hashes, those in Streamlit's front page and that of `browser`.
    """
    page = (assets.STATIC / "index.html").read_text(encoding="utf-8")
    scripts = [*re.findall(r"<script>(.*?)</script>", page, re.DOTALL), browser.SCRIPT]
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in scripts]
    policy = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "'wasm-unsafe-eval'", *(f"'sha256-{h}'" for h in hashes)]),
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
        "content-security-policy": "; ".join(f"{key} {value}" for key, value in policy.items()),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }
    return [(key.encode(), value.encode()) for key, value in fields.items()]


MIDDLEWARE = [
    Middleware(Guard, headers=headers),
    Middleware(assets.Assets),
    Middleware(receiving.Room, rename=sign_upload),
    Middleware(cookies.Cookie),
]


@asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Check the settings, log the address, and do once what the first page does, so that libraries are loaded."""
    hosts.allowed_names()
    home.days(st.get_option("server.address"))
    quotas.check()
    cookies.secret()
    _log_address()
    Thread(target=visitors.watch, daemon=True).start()
    Thread(target=_load, daemon=True).start()
    yield


def _log_address() -> None:
    """Log where the server answers, on standard error unless logging is set up already."""
    log = logging.getLogger("irmeval")
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    bound = st.get_option("server.address")
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    where = "localhost" if bound in (None, "0.0.0.0", "::") else f"[{bound}]" if ":" in bound else bound
    log.info("answers at %s://%s:%d%s", scheme, where, st.get_option("server.port"), base_path())


def _load() -> None:
    sample, curves = read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs"), EXPERIMENTS["curves"]
    try:
        seen = session.serves_sample()
    except ReadError:  # every page shows it
        seen = False
    work = curves.work(sample, MEASURES, Params(), store=cache.store()) if seen else curves.work(sample, ("AP",), Params(trials=1))
    (result,) = cached.keep_result(curves.key(work), [curves.compute(work)])
    result.summary()
    for page in page_scripts():
        menu.question_of(page)
    significance(sample, ["AP"]).by_test()  # SciPy
    gc.collect()
    gc.freeze()  # Streamlit collects garbage after every drawing, and need not look at what stays loaded
