"""Small faults put into the package on purpose. A test must notice each of them.

``python -m tests.mutations`` puts them into a copy of the project, one at a time, and
runs the tests that must fail. Words choose some faults, as in ``python -m
tests.mutations holes.py places``. ``--workers 2`` makes two copies and works on both at
once.

The faults are in ``mutations.txt``: a line names a module and a test file, or one test
as ``file::test``; below it, ``-`` begins a text of the module and ``+`` the text that
replaces it.
"""

import argparse
import gc
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "_build")
LARGE = "numpy", "scipy.stats", "pandas", "pyarrow", "plotly.graph_objects", "pytest"
"""Packages that are imported once. A process for each fault inherits them."""


class Mutation(NamedTuple):
    """A fault, and the test file, or the one test, that must notice it."""

    module: str
    test: str
    before: str
    after: str

    @property
    def has_place(self) -> bool:
        """Whether the text to replace is in the module exactly once."""
        text = (ROOT / self.module).read_text(encoding="utf-8")
        return len(self.pattern.findall(text)) == 1

    @property
    def pattern(self) -> re.Pattern[str]:
        """The text to replace, wherever a formatter breaks its lines and strings."""
        parts = []
        for token in re.findall(r"\w+|\s+|[^\w\s]", self.before):
            if token.isspace():
                parts.append(r"(?:\s+|[\"']\s*[rf]?[\"']\s)")
            elif token in ")]}":
                parts.append(r"\s*,?\s*" + re.escape(token))
            elif token in "([{":
                parts.append(re.escape(token) + r"\s*")
            else:
                parts.append(re.escape(token))
        return re.compile("".join(parts))


def read_mutations() -> list[Mutation]:
    """All faults in `mutations.txt`."""
    found, module, test, before = [], "", "", ""
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("- "):
            before = line[2:]
        elif line.startswith("+ "):
            found.append(Mutation(module, test, before, line[2:]))
        elif line:
            module, test = line.split()
    return found


def _run_in_copy(test: str, folder: Path) -> None:
    """Run tests of a copy in this process, and exit with pytest's status."""
    import pytest

    gc.freeze()  # what is inherited stays: pytest looks through all there is for what could go
    for name in [name for name in sys.modules if name.split(".")[0] in ("irmeval", "tests")]:
        del sys.modules[name]
    sys.path[:] = [str(folder), *(path for path in sys.path if Path(path).resolve() != ROOT)]
    os.chdir(folder)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", test]))


def run_tests(test: str, folder: Path) -> int:
    """Run a test file, or one test, in a copy of the project. Returns pytest's
    status.
    """
    process = multiprocessing.get_context("fork").Process(target=_run_in_copy, args=(test, folder))
    process.start()
    process.join()
    return process.exitcode or 0


def try_mutation(mutation: Mutation, folder: Path) -> str:
    """Put a fault into a copy of the project, run its tests, and take it out again.
    Returns what happened.
    """
    if not mutation.has_place:
        return "NOT PLACED"
    path = folder / mutation.module
    text, stat = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(mutation.pattern.sub(lambda _: mutation.after, text), encoding="utf-8")
    # the compiled module is that without the fault
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        status = run_tests(mutation.test, folder)
    finally:
        sys.dont_write_bytecode = keep
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return {0: "SURVIVED", 1: "killed"}.get(status, f"tests could not run: status {status}")


def _import_large() -> None:
    for name in LARGE:
        __import__(name)


def try_all(test: str, mutations: Sequence[Mutation]) -> list[str]:
    """Try the faults of one test file in a copy of the project. Prints a line for each,
    and returns what happened.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(ROOT, Path(name) / "project", ignore=LEFT_OUT))
        sound, results = run_tests(test, folder) == 0, []
        for mutation in mutations:
            results.append(
                try_mutation(mutation, folder) if sound else "tests fail without a fault"
            )
            text = f"{mutation.module}: {mutation.before} -> {mutation.after}"
            print(f"{results[-1]}: {text}", flush=True)  # noqa: T201
    return results


def main(arguments: Sequence[str]) -> int:
    """Try the faults that the arguments choose. Returns 1 unless all are killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument(
        "words",
        nargs="*",
        help="try the faults whose module, test or text holds one of these words; by default all",
    )
    parser.add_argument("--workers", type=int, default=1, help="how many copies to work on at once")
    given = parser.parse_args(arguments)
    chosen = [
        mutation
        for mutation in read_mutations()
        if not given.words or any(word in " ".join(mutation) for word in given.words)
    ]
    by_test: dict[str, list[Mutation]] = {}
    for mutation in chosen:
        by_test.setdefault(mutation.test, []).append(mutation)
    with ProcessPoolExecutor(
        given.workers, multiprocessing.get_context("fork"), _import_large
    ) as workers:
        # the longest first, so that no worker begins it at the end
        tasks = [
            workers.submit(try_all, test, group)
            for test, group in sorted(by_test.items(), key=lambda item: -len(item[1]))
        ]
        results = [result for task in as_completed(tasks) for result in task.result()]
    counts = (f"{results.count(result)} {result}" for result in sorted({*results}))
    print(", ".join(counts), flush=True)  # noqa: T201
    return int(any(result != "killed" for result in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
