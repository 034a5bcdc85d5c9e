"""The palette: pages, runs, measures, words and actions by typing, on every page."""

import pytest

from irmeval.ui.pages import palette
from irmeval.ui.widgets import menu
from tests import hostile
from tests.dashboard import fine, opened, texts

BOARD = "pages/runs/leaderboard.py"


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the palette offered, each time that it was opened."""
    found: list[list[str]] = []
    monkeypatch.setattr(palette, "choose", lambda *given: found.append([*palette.entries(*given)]))
    return found


def test_palette_when_opened_then_it_has_pages_runs_measures_words_and_actions_and_no_sooner(
    offered,
):
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


@pytest.mark.parametrize(
    ("sought", "page"),
    [
        *(
            ("best run", "leaderboard"),
            ("tau below 0.9", ""),
            ("one pair", "two-runs"),
            ("is my run sound", "check"),
        ),
        *(
            ("what to judge next", "judge-next"),
            ("report", "report"),
            ("second judge", "judges"),
            ("sampled judgments", "estimates"),
        ),
        *(
            ("topics needed", "topics-needed"),
            ("two collections", "across"),
            ("compare collections", "across"),
        ),
        *(
            ("several collections", "across"),
            ("wrong file", "collection"),
            ("class", "lessons"),
            ("finding", "findings"),
        ),
    ],
)
def test_palette_when_a_task_is_typed_then_its_page_is_found(sought, page):
    found = [menu.name_of(page).lower(), *palette.OTHER_WORDS.get(page, ())]
    assert [words for words in found if all(part in words for part in sought.split())]


def test_palette_when_it_has_other_words_then_each_is_of_one_page_that_is_there():
    of = palette.OTHER_WORDS
    assert {*of} <= {"", *menu.pages()}
    words = [word for each in of.values() for word in each]
    assert len({*words}) == len(words)


def test_palette_when_a_measure_is_picked_then_the_runs_are_ranked_by_it(monkeypatch):
    app = opened("pages/runs/topics.py", {"measures": ["AP"]})
    monkeypatch.setattr(
        palette, "choose", lambda *given: palette.entries(*given)["nDCG@10 · best runs"]()
    )
    app.button(key="palette_open").click().run()
    assert fine(app).session_state["redraw"].page == "leaderboard"
    assert "is best by nDCG@10" in texts(app)
    assert app.session_state["measures"] == ["AP", "nDCG@10"]


def test_palette_when_another_word_is_picked_then_its_page_opens(monkeypatch):
    app = opened(BOARD, {"measures": ["AP"]})
    monkeypatch.setattr(
        palette,
        "choose",
        lambda *given: palette.entries(*given)["several collections · Across collections"](),
    )
    app.button(key="palette_open").click().run()
    assert fine(app).session_state["redraw"].page == "across"
