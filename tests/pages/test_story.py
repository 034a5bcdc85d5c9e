"""The one list of order, and what follows from it: menus, commands, and reserved
names.
"""

from irmeval.cli.program import PROGRAM
from irmeval.core.folders import page_scripts
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import COMMANDS, PAGES, STORY
from irmeval.papers import PAPERS
from irmeval.ui.widgets import menu


def test_order_of_pages_and_commands_when_made_of_the_one_list_then_is_what_visitors_know():
    known = [
        *("collection", "leaderboard", "two-runs", "reproduction", "matrix", "power", "topics"),
        *(
            "curves",
            "leave-one-out",
            "unjudged",
            "what-if",
            "judge-next",
            "judgments-needed",
        ),
        *(
            "estimates",
            "own-sample",
            "scorecard",
            "agreement",
            "rankings",
            "stability",
            "swap",
            "pair-orderings",
            "variance",
        ),
        *(
            "gains",
            "parameters",
            "topics-needed",
            "orders",
            "order-fairness",
        ),
        *(
            "audit",
            "judges",
            "systems",
            "holes",
            "lab",
            "top-heaviness",
            "ideal-lists",
            "swap-property",
        ),
    ]
    added = {*EXPERIMENTS}.difference(known)
    assert [name for name in EXPERIMENTS if name not in added] == known
    shown = {
        section: ", ".join(entry for entry, tabs in of.items() if not added & {*tabs})
        for section, of in menu.entries().items()
    }
    assert {section: names for section, names in shown.items() if names} == {
        "data": "Collection, Check",
        "runs": "Leaderboard, Two runs, Matrix, Topics",
        "incompleteness": "Curves, Leave one out, Unjudged, Estimates",
        "measures": "Scorecard, Agreement, Reliability, Gains and parameters",
        "planning": "Topics needed, Judging orders, Judges",
        "learn": "Lessons, Metric lab, Top-heaviness, Reference",
        "papers": "Findings",
        "report": "Report",
    }
    assert len(menu.pages()) == len({*menu.pages()})
    sections = {
        name: section
        for section, of in STORY.items()
        for pages in of.values()
        for names in pages.values()
        for name in names
    }
    # the folder of its module
    assert {name: e.section for name, e in EXPERIMENTS.items() if name in sections} == sections
    assert {*menu.tabs_of("swap")} == {"stability", "swap", "variance"}
    assert {*menu.tabs_of(next(iter(PAPERS)))} == {"findings", *PAPERS, "across"}


def test_names_kept_from_other_packages_when_compared_then_are_all_commands_and_pages_there_are():
    assert {*PROGRAM.commands} == {*EXPERIMENTS}.union(*COMMANDS.values())
    assert {*page_scripts()} - {"paper"} <= {*menu.pages()}
    assert {*menu.pages()} - {page for e in EXPERIMENTS.values() for page in e.pages} <= PAGES | {
        *PAPERS
    }
