"""Memory of the server after visitors have dropped 33 MB and left: ``python
benchmarks/leaving.py``.

Each round is a new visitor in a browser of their own. They drop a new collection, open
Curves on it, and leave. Arguments are the number of rounds (30), and for how many days
uploads are kept (off). The server forgets visitors after two seconds in place of five
minutes. Linux only: memory is read from /proc.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.driving import DRAWN, chromium_browser, settle, upload, visitor
from tests.serving import answering, free_port

HURRIED = """\
from streamlit.starlette import App
from irmeval.ui.pages import frame
from irmeval.ui.server import server
from irmeval.ui.state import visitors

visitors.LINGER, visitors.LOOK = 2.0, 1.0
app = App(frame.SCRIPT, middleware=server.MIDDLEWARE, lifespan=server.warm_up)
"""
TOPICS, DEPTH, RUNS, JUDGED = 50, 1000, 16, 500


def write(folder: Path, number: int) -> list[Path]:
    """A collection of 33 MB: qrels, and runs of 1,000 documents a topic."""
    folder.mkdir()
    (folder / "qrels.txt").write_text(
        "".join(
            f"{t} 0 doc-{number:02}-{d:06} {int(d % 7 == 0)}\n"
            for t in range(TOPICS)
            for d in range(0, 2 * JUDGED, 2)
        )
    )
    for r in range(RUNS):
        lines = (
            f"{t} Q0 doc-{number:02}-{d * (r + 3) % 4001:06} {d + 1} {DEPTH - d}.000001"
            f" system-{r:02}\n"
            for t in range(TOPICS)
            for d in range(DEPTH)
        )
        (folder / f"system-{r:02}").write_text("".join(lines))
    return sorted(folder.iterdir())


def server_memory(port: int) -> float:
    """Memory in MB of the server that listens on a port."""
    for process in Path("/proc").glob("[0-9]*"):
        if f"--server.port={port}".encode() in (process / "cmdline").read_bytes():
            return (
                int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
            )
    raise ProcessLookupError(port)


def main(rounds: int = 30, keep: str = "off") -> None:
    """Print the series."""
    folder = Path(tempfile.mkdtemp())
    (folder / "hurried.py").write_text(HURRIED)
    port = free_port()
    command = [
        "-m",
        "streamlit",
        "run",
        str(folder / "hurried.py"),
        f"--server.port={port}",
        "--server.headless=true",
    ]
    command += ["--server.disconnectedSessionTTL=2"]
    given = {"IRMEVAL_HOME": str(folder / "home"), "IRMEVAL_KEEP": keep, "PYTHONPATH": os.getcwd()}
    # as `make run` and the image have it
    given |= {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "16777216"}
    with (
        chromium_browser(shutil.which("chromium") or "chromium") as browser,
        answering(port, command, folder / "log", Path.cwd(), os.environ | given) as url,
    ):
        for number in range(rounds):
            files = write(folder / "files", number)
            with visitor(browser) as page:
                page.goto(f"{url}/collection")
                settle(page)
                upload(page, files)
                expect(page.get_by_test_id("stSidebar")).to_contain_text(f"{RUNS} runs")
                settle(page)
                page.goto(url)
                page.wait_for_selector(DRAWN, state="attached")
                there = server_memory(port)
            size = sum(path.stat().st_size for path in files) / 1e6
            shutil.rmtree(folder / "files")
            time.sleep(6)
            print(
                f"round {number + 1:2}: {size:.0f} MB dropped, {there:4.0f} MB with the visitor,"
                f" {server_memory(port):4.0f} MB after",
                flush=True,
            )
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, str), sys.argv[1:], strict=False)))
