"""How long a visitor waits on each page: seconds to its first figure or table, and
until the page is complete.

    python benchmarks/rounds.py QRELS RUNS [PAGE...]

One server answers. Pages are opened one after the other, each with its own seed, so
that no result is taken from the cache. The first page also reads the files.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.visitors import processor_seconds, server, visit
from irmeval.experiments.story import STORY

IDLE = 0.2
"""Processor seconds in a second that are as good as none."""
NOT_TIMED = ("collection", "check", "selection", "catalogue")


def rest(process: int) -> None:
    """Wait until a server has nothing to do, as work that nobody waits for may still
    run.
    """
    used = -1.0
    while processor_seconds(process) - used > IDLE:
        used = processor_seconds(process)
        time.sleep(1)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    qrels, runs, *pages = sys.argv[1:]
    asked = pages or [
        page
        for of in STORY.values()
        for tabs in of.values()
        for page in tabs
        if page not in NOT_TIMED
    ]
    with server(qrels, runs) as (port, process):
        print(f"{'page':16} {'first s':>8} {'all s':>8}")
        for seed, page in enumerate(["curves", *asked], 1):
            first, complete = visit(port, page, f"seed={seed}")
            print(f"{page:16} {first:8.1f} {complete:8.1f}", flush=True)
            rest(process)


if __name__ == "__main__":
    main()
