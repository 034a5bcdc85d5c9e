"""How long visitors wait who come at the same time: seconds to a drawn page, seconds
until the server answers a request for health meanwhile (95 of 100, the slowest),
processor seconds and memory of the server.

    python benchmarks/visitors.py QRELS RUNS

Visitors speak with the server over a websocket, as a browser does, but draw nothing:
only the server is measured. Each page and number of visitors has a fresh server, which
a first visitor has warmed on another page. *equal*: all open the same address; *own*:
each has their own seed, so that they share no result. *crowd*: nine pages in turn.
"""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from urllib.request import urlopen

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import ROOT
from tests.serving import SECONDS, free_port, healthy

CASES = (
    *(
        (page, *case)
        for page in ("curves", "matrix")
        for case in ((1, False), (6, False), (6, True))
    ),
    ("crowd", 25, True),
)
"""Page, number of visitors, whether each has their own seed."""
CROWD = (
    *("curves", "matrix", "leaderboard", "unjudged", "gains"),
    *("stability", "topics", "power", "swap"),
)
GONE = 420
"""Seconds after which the server has forgotten visitors whose tabs are closed."""
LOOK = 0.05
"""Seconds between two requests for health."""
SHOWN = ("plotly_chart", "dataframe")
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def server(qrels: str, runs: str) -> Iterator[tuple[int, int]]:
    """Port and process of a fresh server."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless=true",
        f"--server.port={port}",
    ]
    with subprocess.Popen(
        [*command, "--", "--qrels", qrels, "--runs", runs], cwd=ROOT, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not healthy(f"http://127.0.0.1:{port}"):
                time.sleep(0.1)
            yield port, process.pid
        finally:
            process.terminate()


def visit(port: int, page: str, address: str) -> tuple[float, float]:
    """Seconds until a new visitor has the first figure, or table, of a page, and until
    it is complete.
    """
    begun = time.monotonic()
    where, protocols = f"ws://127.0.0.1:{port}/_stcore/stream", ["streamlit"]
    # who has no cookie is a visitor of one tab only
    with urlopen(f"http://127.0.0.1:{port}/_stcore/host-config", timeout=SECONDS) as answer:
        cookie = {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}
    with connect(
        where,
        subprotocols=protocols,  # type: ignore[arg-type]
        additional_headers=cookie,
        max_size=None,
    ) as socket:
        ask(socket, page, address)
        first, drawn, watches = 0.0, "", dict[str, float]()
        while True:
            message = ForwardMsg.FromString(socket.recv(timeout=SECONDS))
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.new_element.WhichOneof("type") in SHOWN:
                first = first or time.monotonic() - begun
            elif kind == "navigation":
                drawn = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                watches[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif (
                kind == "script_finished"
                and message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            ):
                watches.clear()  # the whole page is drawn again
            elif kind == "script_finished":
                if not watches:
                    return first, time.monotonic() - begun
                fragment = next(iter(watches))
                watches[fragment] = interval = watches.pop(fragment)  # the next time, the next one
                # a browser asks for each as often as it is told
                time.sleep(interval / len(watches))
                ask(socket, page, address, drawn, fragment)


def ask(
    socket: ClientConnection, page: str, address: str, drawn: str = "", fragment: str = ""
) -> None:
    """Ask for the page, or for a part of the `drawn` one. Without `drawn`, the server
    would draw the first page again.
    """
    message = BackMsg()
    message.rerun_script.query_string = address
    message.rerun_script.page_name = page
    message.rerun_script.page_script_hash = drawn
    message.rerun_script.fragment_id = fragment
    message.rerun_script.is_auto_rerun = bool(fragment)
    socket.send(message.SerializeToString())


def processor_seconds(process: int) -> float:
    """Processor seconds of a process so far."""
    user, system = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / TICKS


def megabytes(process: int) -> float:
    """Memory of a process in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


@contextmanager
def asked_for_health(port: int) -> Iterator[list[float]]:
    """Seconds of each answer to a request for health, asked again and again."""
    waits, over = list[float](), threading.Event()

    def ask_again() -> None:
        while not over.wait(LOOK):
            begun = time.monotonic()
            healthy(f"http://127.0.0.1:{port}")
            waits.append(time.monotonic() - begun)

    thread = threading.Thread(target=ask_again)
    thread.start()
    try:
        yield waits
    finally:
        over.set()
        thread.join()


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(
        f"{'page':8} {'visitors':>8} {'addresses':>9} {'median s':>9} {'worst s':>8}"
        f" {'health s':>12} {'CPU s':>7} {'RSS MB':>7}"
    )
    for page, visitors, own in CASES:
        with server(*sys.argv[1:]) as (port, process), ThreadPoolExecutor(visitors) as pool:
            visit(port, "curves", "curves.trials=1&curves.levels=50&curves.seed=999")
            pages = [CROWD[i % len(CROWD)] if page == "crowd" else page for i in range(visitors)]
            addresses = [f"seed={1 + i * own}" for i in range(visitors)]
            before = processor_seconds(process)
            with asked_for_health(port) as waits:
                times = [
                    complete for _, complete in pool.map(visit, repeat(port), pages, addresses)
                ]
            used = processor_seconds(process) - before
            health = "{:.2f}, {:.2f}".format(*np.quantile(waits, [0.95, 1]))
            print(
                f"{page:8} {visitors:8} {'own' if own else 'equal':>9}"
                f" {statistics.median(times):9.1f} {max(times):8.1f}"
                f" {health:>12} {used:7.1f} {megabytes(process):7.0f}"
            )
            if page == "crowd":
                time.sleep(GONE)
                print(f"{GONE} s later: {megabytes(process):.0f} MB")


if __name__ == "__main__":
    main()
