"""What a press, a drop and a command pass through: files of the package in which a
function is called; of a press also look-ups, and whether anything is measured anew.

    python benchmarks/redraw.py [PAGE...]

The dashboard is in memory, on the sample. Each page is drawn twice before a press that
changes nothing; the drop is of the sample's files, and the page after it is Leaderboard.
"""

import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from runpy import run_module
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

PACKAGE = str(ROOT / "irmeval")
PAGES = ("runs/leaderboard", "runs/topics", "incompleteness/curves", "data/check")
LOOKED_UP = (
    "ui/state/visitors.py current",
    "ui/widgets/session.py dataset",
    "ui/state/server_files.py shared_collection",
    "ui/state/cache.py selected",
    "ui/state/cache.py size_of",
    "ui/state/visitors.py sync",
)
OF_FUNCTION = 0x1
"""Flag of the code of functions; those of modules and classes, which run at an import,
lack it.
"""
CURVES = ["curves", "qrels.txt.gz", "runs", "-m", "AP", "--trials", "2"]


def passed(act: Callable[[], Any]) -> tuple[set[str], Counter[str]]:
    """Files in which a function was called, and how often each function was."""
    files, calls = set[str](), Counter[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        is_own = event == "call" and code.co_filename.startswith(PACKAGE)
        if is_own and code.co_flags & OF_FUNCTION:
            file = code.co_filename[len(PACKAGE) + 1 :]
            files.add(file)
            calls[f"{file} {code.co_name}"] += 1

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        act()
    finally:
        threading.setprofile(None)
        sys.setprofile(None)
    return files, calls


def press(page: str) -> tuple[set[str], Counter[str]]:
    """A press that changes nothing on a page."""
    from tests.dashboard import dashboard

    app = dashboard().run()
    app.switch_page(f"pages/{page}.py").run()
    app.run()
    return passed(app.run)


def drop() -> set[str]:
    """The sample's files are dropped, and Leaderboard is opened."""
    from tests.dashboard import dashboard

    sample = ROOT / "sample_data"
    paths = [sample / "qrels.txt.gz", *sorted((sample / "runs").iterdir())]
    app = dashboard().run()
    app.switch_page("pages/data/collection.py").run()
    app.file_uploader[0].set_value([(path.name, path.read_bytes(), "") for path in paths])

    def act() -> None:
        app.run()
        app.switch_page("pages/runs/leaderboard.py").run()

    return passed(act)[0]


def command() -> set[str]:
    """``irmeval curves`` on the sample."""
    os.chdir(ROOT / "sample_data")
    sys.argv = ["irmeval", *CURVES]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        shown, sys.stdout = sys.stdout, nowhere
        try:
            return passed(lambda: run_module("irmeval", run_name="__main__"))[0]
        finally:
            sys.stdout = shown


def main() -> None:
    os.environ["IRMEVAL_HOME"] = tempfile.mkdtemp()
    pages = sys.argv[1:]
    if not pages:  # first, since the dashboard imports what the command would
        print(f"irmeval {' '.join(CURVES)}: {len(command())} files")
    for page in pages or PAGES:
        files, calls = press(page)
        looked = ", ".join(f"{name.split()[1]} {calls[name]}" for name in LOOKED_UP)
        print(f"{page}: {len(files)} files, {calls.total():,} calls; {looked}")
    if not pages:
        print(f"drop and leaderboard: {len(drop())} files")


if __name__ == "__main__":
    main()
