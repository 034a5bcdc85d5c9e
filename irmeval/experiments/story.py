"""Order of the menus, of their entries and pages, and of the commands."""

from collections.abc import Iterable

STORY: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "data": {
        "Collection": {"collection": ("collection",), "selection": ()},
        "Check": {"check": ()},
    },
    "runs": {
        "Leaderboard": {"leaderboard": ("leaderboard",)},
        "Two runs": {"two-runs": ("two-runs",), "reproduction": ("reproduction",)},
        "Matrix": {"matrix": ("matrix",), "power": ("power",)},
        "Topics": {"topics": ("topics",)},
    },
    "incompleteness": {
        "Curves": {"curves": ("curves",)},
        "Leave one out": {"leave-one-out": ("leave-one-out",)},
        "Unjudged": {
            "unjudged": ("unjudged",),
            "what-if": ("what-if",),
            "judge-next": ("judge-next",),
            "judgments-needed": ("judgments-needed",),
        },
        "Estimates": {"estimates": ("estimates", "own-sample")},
    },
    "measures": {
        "Scorecard": {"scorecard": ("scorecard",)},
        "Agreement": {"agreement": ("agreement",), "rankings": ("rankings",)},
        "Reliability": {
            "stability": ("stability",),
            "swap": ("swap", "pair-orderings"),
            "variance": ("variance",),
        },
        "Gains and parameters": {
            "gains": ("gains",),
            "parameters": ("parameters",),
        },
    },
    "planning": {
        "Topics needed": {"topics-needed": ("topics-needed",)},
        "Judging orders": {"orders": ("orders", "order-fairness")},
        "Judges": {
            "audit": ("audit",),
            "judges": ("judges",),
            "systems": ("systems",),
            "holes": ("holes",),
        },
    },
    "learn": {
        "Lessons": {"lessons": ()},
        "Metric lab": {"lab": ("lab",), "exercises": ()},
        "Top-heaviness": {
            "top-heaviness": ("top-heaviness", "ideal-lists"),
            "swap-property": ("swap-property",),
        },
        "Reference": {"catalogue": (), "glossary": ()},
    },
    "papers": {"Findings": {"findings": (), "across": ()}},
    "report": {"Report": {"report": ()}},
}
"""Menu -> entry -> page -> experiments. The pages of an entry are its tabs; the entry
leads to the first. A page is a script in ``pages/<menu>/``, or an experiment without
one. Commands are in the order of the experiments. An unnamed page is an entry at the
end of its menu, an unnamed command is last. The papers are tabs of *Findings*.
"""


PAGES = frozenset(
    page for entries in STORY.values() for pages in entries.values() for page in pages
) | {"start"}
"""URL paths of the dashboard that are reserved."""

ORDER = tuple(
    name
    for entries in STORY.values()
    for pages in entries.values()
    for names in pages.values()
    for name in names
)
"""Names of experiments."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "dashboard": ("serve",),
    "data": ("check", "reduce", "condense", "fuse"),
    "runs": ("evaluate",),
    "learn": ("lesson", "metrics", "formats"),
    "papers": ("paper", "across"),
    "report": ("rerun",),
    "shell": ("completion",),
}
"""Menu -> commands that are not experiments, which precede its experiments.
`irmeval.cli.commands` makes them.
"""

RESERVED = PAGES.union(*COMMANDS.values())
"""Reserved names that no experiment of another package may use."""


def sections(others: Iterable[str] = ()) -> list[str]:
    """All menus in their order, including those of experiments from other packages."""
    # menus of other packages stand before these
    ends = ("papers", "report", "shell")
    return [
        *(name for name in dict.fromkeys(["dashboard", *STORY, *others]) if name not in ends),
        *ends,
    ]
