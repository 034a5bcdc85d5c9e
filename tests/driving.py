"""Driving the dashboard in a real browser: a server of one's own, Debian's Chromium through Playwright, and reading plots back."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.conftest import ROOT

READY = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
DRAWN = ".js-plotly-plot .scatterlayer .trace"
FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
SECONDS = 60_000
"""Milliseconds that the slowest machine may take for anything."""
expect.set_options(timeout=SECONDS)


@contextmanager
def serving(log: Path, *arguments: str, path: str = "") -> Iterator[str]:
    """A fresh server on a free port, at the root or under a path; afterwards its log must hold no traceback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    command += ["--server.address=127.0.0.1", "--server.fileWatcherType=none", f"--server.baseUrlPath={path}", *arguments]
    with log.open("w") as out, subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=os.environ) as server:
        url = f"http://127.0.0.1:{port}/{path}".rstrip("/")
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield url
        finally:
            server.terminate()
    said = log.read_text()
    assert "Traceback" not in said, said
    assert "Please replace" not in said, said


@contextmanager
def chromium_browser(path: str) -> Iterator[Browser]:
    """A browser for a module's tests."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=FLAGS.split())
        yield launched
        launched.close()


@contextmanager
def visitor(browser: Browser) -> Iterator[Page]:
    """A page of a new visitor; afterwards there must have been no error in it, and no request beyond this machine."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(SECONDS)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("request", lambda r: errors.append(r.url) if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", r.url) else None)
    yield opened
    context.close()
    assert not errors


def settle(page: Page) -> None:
    """Until the script has run; comes after a wait for what is new."""
    page.wait_for_selector(READY)


def go(page: Page, section: str, name: str, content: str) -> None:
    """To another page by the menus at the top, until some content of it is there."""
    page.get_by_test_id("stTopNavSection").filter(has_text=section).click()
    page.get_by_test_id("stTopNavDropdownLink").filter(has_text=name).click()
    page.wait_for_selector(content)
    settle(page)


def upload(page: Page, files: list[Path]) -> None:
    """Drop files on the page Collection."""
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(files)


def plotted(page: Page, chart: str) -> dict[str, list[float]]:
    """Name -> y of every line in a chart, as Plotly holds them."""
    place = f".st-key-{chart}[data-stale=false]"
    page.wait_for_selector(f"{place} {DRAWN}", state="attached")
    found = page.evaluate(
        """place => document.querySelector(`${place} .js-plotly-plot`)._fullData
            .filter(t => t.mode === 'lines+markers').map(t => [t.name, Array.from(t.y)])""",
        place,
    )
    return dict(found)
