"""Small and odd collections on every page: what cannot be shown is said in a line,
never in a traceback.
"""

from functools import cache
from pathlib import Path

import pytest

from irmeval.ui.pages import frame
from irmeval.ui.state.dataset import Dataset
from tests.dashboard import LESS, dataset_of, opened
from tests.pages.test_pages import PAGES


def qrels(grade: int, topics: int = 5) -> bytes:
    return "".join(
        f"{t} 0 a {grade}\n{t} 0 b 0\n{t} 0 c 0\n" for t in range(1, topics + 1)
    ).encode()


def run(name: str, documents: str, topics: int = 5) -> tuple[str, bytes]:
    lines = [
        f"{t} Q0 {d} {i} {9 - i} {name}\n"
        for t in range(1, topics + 1)
        for i, d in enumerate(documents, 1)
    ]
    return name, "".join(lines).encode()


COLLECTIONS = {
    "nothing relevant": [("q", qrels(0)), run("r0", "axc"), run("r1", "ayc"), run("r2", "azc")],
    "nothing found": [("q", qrels(1)), run("r0", "bxc"), run("r1", "byc"), run("r2", "bzc")],
    "one run": [("q", qrels(1)), run("r", "xac")],
    "one topic": [("q", qrels(2, 1)), run("r0", "xa", 1), run("r1", "ya", 1), run("r2", "a", 1)],
    "equal runs": [("q", qrels(1)), run("r0", "bac"), run("r1", "bac"), run("r2", "bac")],
}


FEW = ["AP", "Q'", "Bpref"]
"""A raw measure, a condensed one, and one of pairs: each is undefined for another
reason.
"""
PAPER = "pages/papers/paper.py"
EQUAL = ("two-runs", "decisions", "matrix", "stability", "scorecard", "rankings")
"""Pages on which runs that are equal are otherwise than such as find nothing: their
scores are not zero.
"""


@cache
def desk(name: str) -> Dataset:
    found = dataset_of(COLLECTIONS[name])
    assert not found.refused
    return found


@pytest.mark.parametrize("name", COLLECTIONS)
def test_pages_when_walked_through_on_an_odd_collection_then_each_stands_or_says_what_is_lacking(
    name,
):
    """One after the other, so that none trips over what another left. Those that need
    no collection are opened with one of hostile names in test_hostile, and a paper's
    page stands under other names.
    """
    app = opened("pages/incompleteness/curves.py", {"measures": FEW} | LESS, desk=desk(name))
    walked = [
        page
        for page in PAGES
        if Path(page).stem not in frame.WITHOUT_DATA
        and (name != "equal runs" or Path(page).stem in EQUAL)
    ]
    for page in walked:
        if page == PAPER:
            app = opened(page, {"measures": FEW} | LESS, desk=desk(name))
        else:
            app.switch_page(page).run()
        assert not app.exception, page
        assert all("expected" in error.value for error in app.error), page
