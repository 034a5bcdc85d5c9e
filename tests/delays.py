"""Sleeps at random wherever one thread hands over to another, to find races:
``IRMEVAL_DELAYS=1 pytest tests/pages/test_jobs.py``.

The variable is the seed. Any line may be slow of a module of the package that knows
threads: when it is run first it surely is, later ever more seldom, so that a run takes
minutes in place of seconds and no longer.
"""

import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

SLEEPS = {0.0: 12, 0.01: 4, 0.1: 3, 1.0: 1}
"""Seconds, and how often each is drawn."""
SELDOM = 500
"""A line is slow at every so many runs at least, on average."""


def install(seed: int, package: Path) -> None:
    """From now on, in all threads."""
    sources = {str(path): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    slow = {
        name
        for name, text in sources.items()
        if "from threading" in text or "from concurrent" in text or "jobs.run(" in text
    }
    drawn, runs = random.Random(seed), Counter[tuple[str, int]]()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            place = frame.f_code.co_filename, frame.f_lineno
            runs[place] += 1
            if drawn.random() < max(1 / runs[place], 1 / SELDOM):
                [seconds] = drawn.choices([*SLEEPS], [*SLEEPS.values()])
                time.sleep(seconds)
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        return (
            line
            if frame.f_code.co_filename in slow and frame.f_code.co_name != "<module>"
            else None
        )

    threading.settrace(call)
    sys.settrace(call)
