"""Small faults put into the package on purpose, each of which a test of its numbers notices.

``python -m tests.mutations`` puts them into a copy of the project, one at a time, and runs the test file that is to notice; words after it
say which, as in ``python -m tests.mutations holes.py places``. They stand in ``mutations.txt``: below the module and the test file, what
stands there (-) and what takes its place (+).
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")


class Mutation(NamedTuple):
    """A fault, and who is to notice it."""

    module: str
    test: str
    before: str
    after: str

    @property
    def there(self) -> bool:
        """Whether its place is in the module, once."""
        return (ROOT / self.module).read_text(encoding="utf-8").count(self.before) == 1


def every() -> list[Mutation]:
    """Those of the file."""
    found, module, test, before = [], "", "", ""
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("- "):
            before = line[2:]
        elif line.startswith("+ "):
            found.append(Mutation(module, test, before, line[2:]))
        elif line:
            module, test = line.split()
    return found


def run(test: str, folder: Path) -> int:
    """How a test file ends in a copy of the project: pytest's status."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", test]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def tried(mutation: Mutation, folder: Path) -> str:
    """What becomes of a fault in a copy of the project, which is then as before."""
    if not mutation.there:
        return "its place is not there, or twice"
    path = folder / mutation.module
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(mutation.before, mutation.after), encoding="utf-8")
    status = run(mutation.test, folder)
    path.write_text(text, encoding="utf-8")
    return {0: "SURVIVED", 1: "killed"}.get(status, f"the tests could not be run: status {status}")


def main(parts: list[str]) -> int:
    """How many are not noticed; a line each."""
    left = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(ROOT, Path(name) / "project", ignore=LEFT_OUT))
        asked = [mutation for mutation in every() if not parts or any(part in " ".join(mutation) for part in parts)]
        sound = {test: run(test, folder) == 0 for test in dict.fromkeys(mutation.test for mutation in asked)}
        for mutation in asked:
            said = tried(mutation, folder) if sound[mutation.test] else "its tests fail without a fault"
            left += said != "killed"
            sys.stdout.write(f"{said}: {mutation.module}: {mutation.before} -> {mutation.after}\n")
    return left


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
