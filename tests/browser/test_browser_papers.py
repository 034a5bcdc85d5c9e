"""A paper's pages in a real browser."""

import io
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
from playwright.sync_api import expect

from irmeval.papers import PAPERS
from irmeval.papers.base import remake
from irmeval.scoring.selection import Selection, select
from irmeval.ui.pages.paper import exhibit_title
from tests.cases import SAMPLE, read_once
from tests.driving import choose, plotted, settle, show

FEW = Selection(topics_only="901-905", random_runs=8)
"""What the whole paper is made of."""


def test_paper_when_a_link_names_an_exhibit_then_is_shown_and_another_is_as_the_package_has_it(
    server, page
):
    paper = PAPERS["bompada-2007"]
    _, exhibit, another, *_ = paper.exhibits
    title = quote(exhibit_title(another.label, paper))
    asked = f"topics_only={FEW.topics_only}&random_runs=8&{paper.name}.exhibit={title}"
    page.goto(f"{server}/{paper.name}?{asked}")
    expect(page.locator(f".st-key-{paper.name}-exhibit").get_by_role("combobox")).to_have_value(
        exhibit_title(another.label, paper)
    )
    show(page, "chart-curves-accuracy")
    settle(page)
    assert page.get_by_role("dialog").count() == 0  # which would say that there is no such page
    choose(page, f"{paper.name}-exhibit", exhibit.title)
    shown = plotted(page, "chart-curves-tau")
    assert exhibit.label == paper.opens  # which an address leaves out
    page.wait_for_url(lambda url: f"{paper.name}.exhibit" not in parse_qs(urlsplit(url).query))
    expected = remake(paper, exhibit, select(read_once(*SAMPLE), FEW).collection)
    assert set(shown) == {str(m) for m in expected.measures}
    for measure, tau in zip(
        expected.measures, expected.curve(expected.correlation)[:, 0], strict=True
    ):
        np.testing.assert_allclose(shown[str(measure)], tau, rtol=0, atol=1e-12)
    with page.expect_download() as started:
        page.get_by_role("button", name="All of them as a ZIP").click()
    names = zipfile.ZipFile(io.BytesIO(Path(started.value.path()).read_bytes())).namelist()
    assert f"{paper.name}/index.html" in names
    expect(page.get_by_text("Unlike the paper")).to_be_visible()
