"""Files of other formats, dropped in a browser."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from irmeval.reading.formats import FORMATS
from tests.driving import DROPZONE, settle, upload

QRELS = {("1", "a"): 1, ("1", "b"): 0, ("2", "a"): 0, ("2", "b"): 2}
LISTS = {"1": ["b", "a"], "2": ["b", "c"]}
DROPS = {
    "BEIR": (
        ("qrels.tsv", "query-id\tcorpus-id\tscore\n" + "".join(f"{t}\t{d}\t{g}\n" for (t, d), g in QRELS.items())),
        ("run.txt", "".join(f"{t} Q0 {d} {r} {9 - r} me\n" for t, found in LISTS.items() for r, d in enumerate(found, 1))),
        "Read as qrels with a header, TREC run.",
    ),
    "MS MARCO": (
        ("qrels.tsv", "".join(f"{t}\t0\t{d}\t{g}\n" for (t, d), g in QRELS.items())),
        ("run.tsv", "".join(f"{t}\t{d}\t{r}\n" for t, found in LISTS.items() for r, d in enumerate(found, 1))),
        "Read as TREC qrels, run by rank (score = -rank).",
    ),
    "JSON": (
        ("qrels.json", json.dumps({"1": {"a": 1, "b": 0}, "2": {"b": 2}})),
        ("run.json", json.dumps({t: {d: 1 / (r + 1) for r, d in enumerate(found)} for t, found in LISTS.items()})),
        "Read as JSON qrels, JSON run.",
    ),
}


def open_collection(page: Page, server: str) -> None:
    """The page where files are dropped, ready."""
    page.goto(f"{server}/collection")
    page.locator(DROPZONE).first.wait_for(state="attached")
    settle(page)


@pytest.mark.parametrize("kind", DROPS)
def test_files_when_dropped_at_once_then_are_read_and_said(server: str, page: Page, tmp_path: Path, kind: str):
    *files, said = DROPS[kind]
    for name, text in files:
        (tmp_path / name).write_text(text)
    open_collection(page, server)
    upload(page, [tmp_path / name for name, _ in files])
    expect(page.get_by_test_id("stAlert").first).to_contain_text(said)


def test_every_kind_when_dropped_then_nothing_is_refused(server: str, page: Page, tmp_path: Path):
    for key, found in FORMATS.items():
        file = tmp_path / f"{key.replace(' ', '.')}.x"
        file.write_bytes(found.encode(found.example))
        open_collection(page, server)
        upload(page, [file])
        expect(page.get_by_test_id("stAlert").first).to_contain_text("loaded.")
        expect(page.get_by_text("expected")).to_have_count(0)
        settle(page)
        page.context.clear_cookies()


def test_file_when_it_could_be_either_then_a_press_says_what_it_is(server: str, page: Page, tmp_path: Path):
    (tmp_path / "b").write_text("1 7 1\n2 9 1\n")
    open_collection(page, server)
    upload(page, [tmp_path / "b"])
    expect(page.get_by_text("b could be either. What is it?")).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Run by rank").click()
    expect(page.get_by_test_id("stAlertContentInfo")).to_contain_text("1 run loaded. Add the qrels file to score it.")


def test_scores_of_two_judges_when_dropped_then_a_link_leads_to_the_audit(server: str, page: Page, tmp_path: Path):
    for judge, turn in (("nist", 1), ("gpt", 3)):
        rows = [f"run{r},{t},{(r + turn * t % 4) / 20:.3f}\n" for r in range(6) for t in range(8)]
        (tmp_path / f"{judge}.csv").write_text("runid,topic,score\n" + "".join(rows))
    open_collection(page, server)
    upload(page, [tmp_path / "nist.csv", tmp_path / "gpt.csv"])
    page.get_by_role("link", name="rank systems").first.click()
    expect(page.get_by_text("gpt orders 6 runs with tau")).to_be_visible()
