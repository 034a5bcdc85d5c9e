"""Every page in both themes, by the rules of axe-core for those who see or hear it otherwise."""

from importlib.resources import files

import pytest
from playwright.sync_api import expect

from irmeval.ui.frame import STORY
from tests.driving import settle

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text()
PAGES = [*(page for pages in STORY.values() for page in pages), "sakai-kando-2008"]
BROKEN = """async () => (await axe.run({resultTypes: ["violations"]})).violations
    .filter(({id, impact}) => ["serious", "critical"].includes(impact) || id === "heading-order")
    .flatMap(({id, nodes}) => nodes.map(node => `${id}: ${node.html}`))"""
"""Of a rule that is serious, or asks for headings in order: each place that breaks it."""


@pytest.mark.parametrize("name", PAGES)
def test_page_when_looked_at_in_either_theme_then_no_serious_rule_is_broken(server, page, name):
    page.emulate_media(color_scheme="light")
    page.goto(f"{server}/{name}")
    page.get_by_test_id("stMain").get_by_test_id("stCaptionContainer").first.wait_for()
    settle(page)
    page.evaluate(AXE)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", theme)
        assert page.evaluate(BROKEN) == []
