"""The one list of order, and what follows from it: menus, commands, and reserved names."""

from irmeval.cli.program import PROGRAM
from irmeval.core.folders import page_scripts
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import COMMANDS, PAGES
from irmeval.papers import PAPERS
from irmeval.ui.pages import frame


def test_order_of_pages_and_commands_when_made_of_the_one_list_then_is_what_visitors_know():
    known = [
        *("collection", "leaderboard", "topics", "sign", "reproduction"),
        *("curves", "estimates", "own-sample", "decisions", "pools", "fewer-teams", "leave-one-out", "fewer-topics", "unjudged"),
        *("matrix", "topics-needed", "stability", "swap", "pair-orderings", "scorecard"),
        *("agreement", "rankings", "gains", "binary-tertiary"),
        *("judges", "judge-next", "judgments-needed", "orders", "order-fairness"),
        *("lab", "top-heaviness", "ideal-lists", "parameters"),
        *("holes", "simulated-judges", "systems", "swap-property", "variance"),
    ]
    added = {*EXPERIMENTS}.difference(known)
    assert [name for name in EXPERIMENTS if name not in added] == known
    assert {section: " ".join(page for page in pages if page not in added) for section, pages in frame._sections().items()} == {
        "data": "collection check selection",
        "scores": "leaderboard topics two-runs reproduction",
        "incompleteness": "curves estimates decisions pools unjudged fewer-topics",
        "significance": "matrix power topics-needed variance",
        "reliability": "stability swap scorecard",
        "agreement": "agreement rankings gains",
        "judges": "judges systems holes judge-next orders simulated-judges",
        "learn": "lessons lab top-heaviness parameters catalogue glossary swap-property",
        "report": "report",
    }


def test_names_kept_from_other_packages_when_compared_then_are_all_commands_and_pages_there_are():
    assert {*PROGRAM.commands} == {*EXPERIMENTS}.union(*COMMANDS.values())
    scripts = {*page_scripts()} - {"paper"}
    assert scripts <= PAGES | {*PAPERS}
