"""What several tests need: a small collection on disk, the real data, a browser."""

import faulthandler
import gc
import gzip
import logging
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from time import sleep
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:  # for tests in a browser, which not every run has
    from playwright.sync_api import Browser, Page

    from irmeval import Collection
    from tests.working import Work

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"

# several processes test at once, each on a processor: of linear algebra's threads, which wait by
# turning, there is none to spare
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# the same examples every time, however slow the machine: a red test is then due to the change, not
# to the day
settings.register_profile(
    "irmeval",
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("irmeval")


if seed := os.environ.get("IRMEVAL_DELAYS"):
    from tests.delays import install

    install(int(seed), ROOT / "irmeval")


# what a shell starts in the background ignores interrupts, and so would all that the tests start
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# nothing of what is imported and collected goes before the end: to look through it for what could
# is in vain
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    # after every 700 objects, as Python looks, it takes a twentieth of the processor's time
    gc.set_threshold(100_000, 20, 20)
    # what streamlit logs reaches the root: else, several times a test, each of its dozens of
    # loggers is told to whom else it goes
    for logger in logging.root.manager.loggerDict.values():
        logger.propagate = True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """First what starts processes of its own, and what waits for a browser, last the
    pages in memory: each kind in one process as far as it goes, on its one server, its
    one window and what its pages have computed, while another process does the rest.
    """

    def place(item: pytest.Item) -> int:
        kinds = (
            "cluster" in item.fixturenames,
            "browser" in item.fixturenames,
            item.path.parent.name != "pages",
            True,
        )
        return kinds.index(True)

    items.sort(key=place)


HANGS = 600
"""Seconds after which the process of a test ends and prints what each of its threads
does. Only a test that hangs takes so long.
"""


def pytest_configure() -> None:
    # a signal, as a thread would be in the way of processes that a test forks; printed where no
    # test's output is caught
    faulthandler.register(signal.SIGALRM, os.dup(2), chain=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    signal.alarm(HANGS)
    try:
        return (yield)
    finally:
        signal.alarm(0)


TINY_QRELS = """\
1 0 S1 3
1 0 A1 2
1 0 B1 1
1 0 B2 1
1 0 n1 0
1 0 n2 0
1 0 n3 0
2 0 S1 0
2 0 A1 1
2 0 x1 0
3 0 n1 0
3 0 n2 0
4 0 P1 -1
4 0 A1 2
4 0 n1 0
"""
"""Topic 1: the worked example. 2: no document beyond two runs' reach. 3: nothing
relevant. 4: one pooled but unjudged.
"""

TINY_RUNS = {
    "example": {
        "1": "n1 S1 u1 B1 n2 u2 A1 n3",
        "2": "A1 S1",
        "3": "n1 u1",
        "4": "P1 n1 A1",
        "99": "S1",
    },
    "short": {"1": "u1 S1", "2": "S1 x1 A1"},
    "ideal": {"1": "S1 A1 B1 B2 n1 n2 n3", "2": "A1 x1 S1", "3": "n2", "4": "A1 n1 P1"},
}
"""Run -> topic -> ranking. Topic 99 is not judged; `short` lacks topics 3 and 4."""


def run_lines(tag: str, rankings: dict[str, str]) -> str:
    """A run file's text, scores falling by 1."""
    return "".join(
        f"{topic} Q0 {document} {rank} {100 - rank} {tag}\n"
        for topic, ranking in rankings.items()
        for rank, document in enumerate(ranking.split(), 1)
    )


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the servers of tests keep what visitors load; the package is compiled once
    for all of them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("IRMEVAL_HOME", str(folder := tmp_path_factory.mktemp("home")))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def one_worker() -> Iterator[None]:
    """For the same reason; tests of what is spread over several say how many."""
    from irmeval.core import parallel

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "count_processors", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_forced_to_disk() -> Iterator[None]:
    """What is written is looked at, not what is left of it after a power cut: a test
    that the disk is asked, or says no, says so itself.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def sample_parsed_once() -> Iterator[None]:
    """The run files of the sample, which many tests join with its qrels anew: what each
    says is found out once.
    """
    from irmeval.collection import joining
    from irmeval.core.folders import SAMPLE
    from irmeval.reading.faults import runs_in

    parsed = cache(lambda path, *how: [*runs_in(path, *how)])
    with pytest.MonkeyPatch.context() as patch:
        folder = SAMPLE / "runs"
        here = Path.absolute
        patch.setattr(
            joining,
            "runs_in",
            lambda path, *how: (
                iter(parsed(here(path), *how))
                if here(path).parent == folder
                else runs_in(path, *how)
            ),
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def topics_halved_four_times() -> Iterator[None]:
    """So often a paper's findings are held against half of the topics: enough to see
    that they are.
    """
    from irmeval.papers import resampled

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(resampled.TIMES, resampled.TOPICS, 4)
        yield


@pytest.fixture(scope="session")
def sample() -> "Collection":
    """The sample collection, all of it."""
    from tests.cases import SAMPLE, read_once

    return read_once(*SAMPLE)


@pytest.fixture
def tiny(tmp_path: Path) -> tuple[Path, Path]:
    """A collection of 4 topics and 3 runs: the qrels file, and the folder of runs (one
    gzipped).
    """
    qrels, runs = tmp_path / "qrels.txt", tmp_path / "runs"
    qrels.write_text(TINY_QRELS)
    runs.mkdir()
    for tag, rankings in TINY_RUNS.items():
        text = run_lines(tag, rankings).encode()
        if tag == "short":
            (runs / "short.gz").write_bytes(gzip.compress(text))
        else:
            (runs / tag).write_bytes(text)
    return qrels, runs


def real(name: str) -> Path:
    """A folder of real data beside the project; skips the test where it is missing."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs ../shared/data/{name}, real data that is not part of the project")
    return folder


@pytest.fixture(scope="session")
def robust03() -> Path:
    """TREC 2003 Robust track: qrels.txt, runs/, expected.tsv.gz."""
    return real("robust03")


@pytest.fixture(scope="session")
def trec_covid() -> Path:
    """TREC-COVID round 1: qrels.txt, runs/, official.csv."""
    return real("trec-covid-rnd1")


@pytest.fixture(scope="session")
def stats() -> ModuleType:
    """SciPy's statistics, of which the package itself uses no more than it imports
    sooner.
    """
    from scipy import stats

    return stats


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium to drive; skips the test where there is none."""
    found = shutil.which("chromium")
    if not found:
        pytest.skip(
            "needs chromium on the PATH (Debian: apt-get install chromium fonts-dejavu-core)"
        )
    return found


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[tuple[str, Path]]:
    """A dashboard on the sample, under a path and a name that it is allowed, as behind
    a proxy: its address and its log.
    """
    from irmeval.ui.state import hosts
    from tests.serving import NAME, PATH, serving

    log = tmp_path_factory.mktemp("server") / "log"
    with serving(log, path=PATH, environment=os.environ | {hosts.ALLOW: NAME}) as url:
        yield url.replace("127.0.0.1", NAME), log


@pytest.fixture
def server(served: tuple[str, Path]) -> Iterator[str]:
    """The address of the dashboard on the sample; a test must leave no traceback in its
    log.
    """
    from tests.serving import clean

    url, log = served
    before = len(log.read_text())
    yield url
    clean(log.read_text()[before:])


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator["Browser"]:
    """A browser for all tests."""
    from tests.driving import chromium_browser

    with chromium_browser(chromium) as launched:
        yield launched


@pytest.fixture(scope="session")
def window(browser: "Browser") -> Iterator["Page"]:
    """A window for all tests, one after the other."""
    from tests.driving import window

    with window(browser) as opened:
        yield opened


@pytest.fixture
def page(window: "Page") -> Iterator["Page"]:
    """A page of a new visitor."""
    from tests.driving import visit

    with visit(window):
        yield window


@pytest.fixture
def nobody_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a server on which nobody has been yet."""
    from irmeval.ui.state import home, visitors

    monkeypatch.setenv(home.HOME, str(tmp_path))
    monkeypatch.setattr(visitors, "_here", {})
    return tmp_path


@pytest.fixture
def works(monkeypatch: pytest.MonkeyPatch) -> "Iterator[Callable[..., Work]]":
    """Makes works, and lets all go in the end; however slow the machine, what is looked
    at holds up what was left.
    """
    from irmeval.ui.state import job_queue
    from tests.serving import SECONDS
    from tests.working import Work

    monkeypatch.setattr(job_queue, "SILENCE", float(SECONDS))
    made: list[Work] = []

    def make(**how: bool) -> Work:
        made.append(Work(**how))
        return made[-1]

    yield make
    for work in made:
        work.go.set()
    for _ in range(100 * SECONDS):
        if job_queue._turns:
            sleep(0.01)


class Judgment(NamedTuple):
    """As ir_datasets has them."""

    query_id: str
    doc_id: str
    relevance: int


@pytest.fixture
def datasets(monkeypatch):
    """A package ir_datasets that knows one dataset with judgments, one without, and one
    that cannot be had.
    """

    def fail():
        raise ConnectionError("no network")

    with_qrels = SimpleNamespace(
        qrels_iter=lambda: iter(
            [Judgment("1", "a", 1), Judgment("1", "b", 0), Judgment("2", "a", 2)]
        )
    )
    known = {
        "tiny": with_qrels,
        "documents-only": object(),
        "without-a-judgment": SimpleNamespace(qrels_iter=lambda: iter(())),
        "far-away": SimpleNamespace(qrels_iter=fail),
    }
    module = ModuleType("ir_datasets")
    module.__spec__ = ModuleSpec("ir_datasets", None)
    module.load = known.__getitem__
    monkeypatch.setitem(sys.modules, "ir_datasets", module)


class Printed(NamedTuple):
    """What a command prints."""

    out: str
    err: str


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Printed]:
    """Runs a command by its words, which may be paths, and is sure of the status that
    it ends with.
    """
    from irmeval.cli import main

    def run(*words: object, status: int = 0) -> Printed:
        ended = 0
        try:
            main([*map(str, words)])
        except SystemExit as end:
            ended = end.code or 0
        printed = Printed(*capsys.readouterr())
        assert ended == status, printed
        return printed

    return run


@pytest.fixture
def printed(run_command: Callable[..., Printed]) -> Callable[..., str]:
    """What a command prints on standard output."""
    return lambda *words: run_command(*words).out


@pytest.fixture
def files_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command says which files it reads under which policy; for all commands that say
    the same they are read once.
    """
    from irmeval.cli import given_data
    from tests.cases import read_as_asked

    monkeypatch.setattr(given_data, "read_runs", read_as_asked)


@pytest.fixture(scope="session")
def nothing(tmp_path_factory) -> dict[str, tuple[Path, Path]]:
    """Qrels and runs of collections in which there is nothing to find, or nothing is
    found.
    """
    made = {}
    for name, grade, document in (("nothing relevant", 0, "a"), ("nothing found", 1, "b")):
        folder = tmp_path_factory.mktemp(name.replace(" ", "-"))
        (folder / "runs").mkdir()
        (folder / "qrels").write_text(
            "".join(f"{t} 0 a {grade}\n{t} 0 b 0\n{t} 0 c 0\n" for t in range(1, 6))
        )
        for r in range(3):
            lines = [
                f"{t} Q0 {d} {i} {9 - i} run{r}\n"
                for t in range(1, 6)
                for i, d in enumerate((document, f"u{r}", "c"), 1)
            ]
            (folder / "runs" / f"run{r}").write_text("".join(lines))
        made[name] = folder / "qrels", folder / "runs"
    return made
