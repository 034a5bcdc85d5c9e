"""The palette: pages, runs, measures, words and actions by typing, on every page."""

import pytest

from irmeval.ui.pages import palette
from tests import hostile
from tests.dashboard import fine, opened

BOARD = "pages/runs/leaderboard.py"


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the palette offered, each time that it was opened."""
    found: list[list[str]] = []
    monkeypatch.setattr(palette, "choose", lambda pages: found.append([*palette.entries(pages)]))
    return found


def test_palette_when_opened_then_it_has_pages_runs_measures_words_and_actions_and_no_sooner(offered):
    app = fine(opened(BOARD, {"measures": ["AP"]}))
    assert not offered
    fine(app.button(key="palette_open").click().run())
    (labels,) = offered
    assert {
        "Topics · page",
        "krill · run",
        "tau AP · word",
        "Larger type · action",
        "Colours: dark · action",
    } <= {*labels}
    assert any(label.startswith("nDCG · measure") for label in labels)
    assert len([label for label in labels if label.endswith(" · run")]) == 30


def test_palette_when_names_of_runs_are_hostile_then_each_is_a_name(offered):
    app = opened(BOARD, {"measures": ["AP"]}, desk=hostile.dataset())
    app.button(key="palette_open").click().run()
    runs = [label.removesuffix(" · run") for label in offered[0] if label.endswith(" · run")]
    assert {*runs} == {*hostile.WORDS[:16], *hostile.COLUMNS}
