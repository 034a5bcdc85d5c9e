"""What a press that changes nothing passes through: files of the package in which a
function is called, and look-ups.

    python benchmarks/redraw.py [PAGE...]

The dashboard is in memory, on the sample; each page is drawn twice before.
"""

import os
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parents[1]))

PACKAGE = str(Path(__file__).parents[1] / "irmeval")
PAGES = ("runs/leaderboard", "runs/topics", "incompleteness/curves", "data/check")
LOOKED_UP = (
    "ui/state/visitors.py current",
    "ui/widgets/session.py dataset",
    "ui/widgets/session.py shared_collection",
    "ui/state/cache.py selected",
    "ui/state/visitors.py sync",
)


def passed(page: str) -> tuple[set[str], Counter[str]]:
    """Files in which a function was called, and how often each function was."""
    from tests.dashboard import dashboard

    files, calls = set[str](), Counter[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(PACKAGE) and frame.f_code.co_name != "<module>":
            file = name[len(PACKAGE) + 1 :]
            files.add(file)
            calls[f"{file} {frame.f_code.co_name}"] += 1

    app = dashboard().run()
    app.switch_page(f"pages/{page}.py").run()
    app.run()
    threading.setprofile(note)
    app.run()
    threading.setprofile(None)
    return files, calls


def main() -> None:
    os.environ["IRMEVAL_HOME"] = tempfile.mkdtemp()
    for page in sys.argv[1:] or PAGES:
        files, calls = passed(page)
        looked = ", ".join(f"{name.split()[1]} {calls[name]}" for name in LOOKED_UP)
        print(f"{page}: {len(files)} files; {looked}")


if __name__ == "__main__":
    main()
