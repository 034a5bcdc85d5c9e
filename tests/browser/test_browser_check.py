"""A run is dropped and checked in a real browser."""

import gzip
from pathlib import Path

import pandas as pd
from playwright.sync_api import expect

from irmeval import measure, read_collection
from irmeval.check import Field, check
from irmeval.check.text_report import describe_levels
from irmeval.reading.faults import examine
from irmeval.ui.widgets.session import SAMPLE
from tests.driving import settle, upload


def test_run_when_dropped_then_the_page_says_what_the_package_says_and_the_loaded_ones_can_still_be_picked(server, page, tmp_path):
    lines = gzip.decompress((SAMPLE / "runs" / "lumen.gz").read_bytes()).decode().splitlines()
    topic, q0, _, *rest = lines[0].split()
    lines[0] = " ".join([topic, q0, "news", *rest])  # which nobody else has
    text = "\n".join([*lines[:-2], "950 Q0 D1 3 nan lumen", lines[0]]) + "\n"  # a score that is no number, a document that comes twice
    (tmp_path / "mine.txt").write_text(text)
    c = read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs")
    measures = tuple(map(measure, ("AP", "RBP(p=0.8)")))
    expected = check(examine("mine.txt", text.encode()), "mine.txt (dropped)", Field.of(c, measures))
    assert expected.count("error") == 2
    page.goto(f"{server}/check?measures=AP&measures=RBP(p%3D0.8)")
    page.wait_for_selector("text=aurora1: no error")
    settle(page)
    upload(page, [tmp_path / "mine.txt"], "[class*=st-key-check-]")
    expect(page.get_by_text(f"mine.txt (dropped): {describe_levels(expected)}")).to_be_visible()
    settle(page)
    main = page.get_by_test_id("stMain")
    for one in expected.findings:
        expect(main).to_contain_text(one.what)
    # its list to judge next is the package's
    page.get_by_text("Download", exact=True).last.click()
    with page.expect_download() as started:
        page.locator(".st-key-check-to-judge-next-csv button").click()
    taken = pd.read_csv(Path(started.value.path()), dtype={"topic": str}, keep_default_na=False)
    assert taken["other runs"][taken["document"] == "news"].tolist() == [0]
    pd.testing.assert_frame_equal(taken, expected.tables["To judge next"], check_dtype=False, rtol=0, atol=1e-12)
