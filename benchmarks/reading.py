"""Seconds to read a qrels file and a folder of runs: irmeval (which joins them, too)
against pytrec_eval's parsers.

python benchmarks/reading.py QRELS RUNS [TIMES]
"""

import gzip
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytrec_eval

import irmeval
from irmeval.reading import files


def parse(path: Path, parser: Callable) -> dict:
    """The nested dictionaries that pytrec_eval works on."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return parser(file)


def ours(qrels: Path, runs: Path) -> None:
    irmeval.read_collection(qrels, runs)


def theirs(qrels: Path, runs: Path) -> None:
    parse(qrels, pytrec_eval.parse_qrel)
    for path in files.list_files([runs]):
        parse(path, pytrec_eval.parse_run)


def main(qrels: Path, runs: Path, times: int = 5) -> None:
    irmeval.read_collection(qrels, runs)  # loads Arrow, and the files into the system's cache
    seconds: dict[Callable, list[float]] = {ours: [], theirs: []}
    for _ in range(times):  # in turn, so that what else the machine does hits both
        for read, found in seconds.items():
            start = time.perf_counter()
            read(qrels, runs)
            found.append(time.perf_counter() - start)
    a, b = (median(found) for found in seconds.values())
    print(f"reading {qrels} and {len(files.list_files([runs]))} runs, median of {times}")
    print(
        f"irmeval, joined  {a:8.3f} s\npytrec_eval      {b:8.3f} s\nratio            {b / a:8.1f}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
