"""Small and odd collections on every page: what cannot be shown is said in a line, never in a traceback."""

from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.ui.pages import frame
from irmeval.ui.state.dataset import Dataset
from tests.dashboard import LESS, opened
from tests.pages.test_pages import PAGES


def address(page: str) -> str:
    return Path(page).stem


def qrels(grade: int, topics: int = 5) -> bytes:
    return "".join(f"{t} 0 a {grade}\n{t} 0 b 0\n{t} 0 c 0\n" for t in range(1, topics + 1)).encode()


def run(name: str, documents: str, topics: int = 5) -> tuple[str, bytes]:
    lines = [f"{t} Q0 {d} {i} {9 - i} {name}\n" for t in range(1, topics + 1) for i, d in enumerate(documents, 1)]
    return name, "".join(lines).encode()


COLLECTIONS = {
    "nothing relevant": [("q", qrels(0)), run("r0", "axc"), run("r1", "ayc"), run("r2", "azc")],
    "nothing found": [("q", qrels(1)), run("r0", "bxc"), run("r1", "byc"), run("r2", "bzc")],
    "one run": [("q", qrels(1)), run("r", "xac")],
    "one topic": [("q", qrels(2, 1)), run("r0", "xa", 1), run("r1", "ya", 1), run("r2", "a", 1)],
    "equal runs": [("q", qrels(1)), run("r0", "bac"), run("r1", "bac"), run("r2", "bac")],
}


FEW = ["AP", "Q'", "Bpref"]
"""A raw measure, a condensed one, and one of pairs: each is undefined for another reason."""
EQUAL = ("two-runs", "decisions", "matrix", "stability", "scorecard", "rankings")
"""Pages on which runs that are equal are otherwise than such as find nothing: their scores are not zero."""
WALKED = "nothing found"
"""What all pages are opened with one after the other, and each by itself with the others."""
SEEN = [
    (name, page)
    for name in COLLECTIONS
    for page in PAGES
    if address(page) not in frame.WITHOUT_DATA and (name != "equal runs" or address(page) in EQUAL) and name != WALKED
]
"""Those that need no collection are opened with one of hostile names in test_hostile, as all are where runs are called like columns."""


@cache
def desk(name: str) -> Dataset:
    found = Dataset()
    found.add(COLLECTIONS[name])
    assert not found.refused
    return found


def said(app: AppTest) -> None:
    """What a page lacks is said, and nothing else goes wrong."""
    assert not app.exception
    assert all("expected" in error.value for error in app.error)


@pytest.mark.parametrize(("name", "page"), SEEN)
def test_page_when_the_collection_is_odd_then_it_stands_or_says_what_is_lacking(name, page):
    app = opened(page, {"measures": FEW} | LESS, desk=desk(name))
    said(app)


def test_pages_when_walked_through_one_after_the_other_then_none_trips_over_what_another_left():
    app = opened("pages/incompleteness/curves.py", {"measures": FEW} | LESS, desk=desk(WALKED))
    for page in PAGES:
        if page != "pages/papers/paper.py":  # which stands under other names
            said(app.switch_page(page).run())
    said(opened("pages/papers/paper.py", {"measures": FEW} | LESS, desk=desk(WALKED)))
