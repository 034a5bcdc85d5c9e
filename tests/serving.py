"""A server of a test's own: started, waited for, stopped, and its log looked at."""

import os
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGTERM, Signals

from tests.conftest import ROOT

NAME, PATH = "irmeval.localhost", "tools/irmeval"
"""Under which the server that tests share is reached; to browsers it is this machine,
as safe as by its number.
"""
SECONDS = 300
"""How long the slowest machine may take for anything."""


def free_port() -> int:
    """A port nobody listens on, below those that a browser's connections take
    meanwhile.
    """
    for port in random.sample(range(20_000, 30_000), 1000):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no free port")


@contextmanager
def serving(
    log: Path,
    *arguments: str,
    script: str = "app.py",
    environment: Mapping[str, str] = os.environ,
    path: str = "",
    port: int | None = None,
    end: Signals = SIGTERM,
) -> Iterator[str]:
    """The address of a fresh server, ``streamlit run app.py`` (or another script) with
    these arguments, at the root or under a path; in the end it is sent a signal.
    """
    port = port or free_port()
    command = [
        "-m",
        "streamlit",
        "run",
        script,
        "--server.headless=true",
        f"--server.port={port}",
        "--server.address=127.0.0.1",
    ]
    command += ["--server.fileWatcherType=none", f"--server.baseUrlPath={path}", *arguments]
    with answering(port, command, log, ROOT, environment, path, end) as url:
        yield url


@contextmanager
def answering(
    port: int,
    command: list[str],
    log: Path,
    folder: Path,
    environment: Mapping[str, str] = os.environ,
    path: str = "",
    end: Signals = SIGTERM,
) -> Iterator[str]:
    """The address of a server that Python runs, once it answers; afterwards its log
    must hold no traceback.
    """
    url = f"http://127.0.0.1:{port}/{path}".rstrip("/")
    with (
        log.open("w") as out,
        subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=out, stderr=out
        ) as server,
    ):
        try:
            deadline = time.monotonic() + SECONDS
            while not healthy(url):
                assert server.poll() is None, log.read_text()
                if time.monotonic() > deadline:
                    raise TimeoutError(log.read_text())
                time.sleep(0.05)
            yield url
        finally:
            server.send_signal(end)
    clean(log.read_text())


def clean(said: str) -> None:
    """Nothing in a server's log is a traceback, or about what Streamlit will no longer
    have.
    """
    assert "Traceback" not in said, said
    assert "Please replace" not in said, said


def healthy(url: str) -> bool:
    """Whether the server answers."""
    try:
        urllib.request.urlopen(f"{url}/_stcore/health", timeout=SECONDS).close()
    except OSError:
        return False
    return True
