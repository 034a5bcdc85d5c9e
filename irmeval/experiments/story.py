"""The order of the menu's sections and pages, and of the commands of experiments."""

from collections.abc import Iterable

STORY: dict[str, dict[str, tuple[str, ...]]] = {
    "data": {"collection": ("collection",), "check": (), "selection": ()},
    "scores": {"leaderboard": ("leaderboard",), "topics": ("topics",), "two-runs": ("sign",), "reproduction": ("reproduction",)},
    "incompleteness": {
        "curves": ("curves",),
        "estimates": ("estimates", "own-sample"),
        "decisions": ("decisions",),
        "pools": ("pools", "fewer-teams", "leave-one-out", "fewer-topics"),
        "unjudged": ("unjudged",),
    },
    "significance": {"matrix": ("matrix",), "power": (), "topics-needed": ("topics-needed",)},
    "reliability": {"stability": ("stability",), "swap": ("swap", "pair-orderings"), "scorecard": ("scorecard",)},
    "agreement": {"agreement": ("agreement",), "rankings": ("rankings",), "gains": ("gains", "binary-tertiary")},
    "judges": {
        "judges": ("judges",),
        "systems": (),
        "holes": (),
        "judge-next": ("judge-next", "judgments-needed"),
        "orders": ("orders", "order-fairness"),
    },
    "learn": {
        "lessons": (),
        "lab": ("lab",),
        "top-heaviness": ("top-heaviness", "ideal-lists"),
        "parameters": ("parameters",),
        "catalogue": (),
        "glossary": (),
    },
    "report": {"report": ()},
}
"""Section -> page -> experiments. A page is a script in ``pages/<section>/``, or an experiment without one. Commands are in the order of
the experiments. An unnamed page comes last in its section, an unnamed command after all others."""

PAGES = frozenset(page for pages in STORY.values() for page in pages) | {"start", "findings", "across"}
"""Addresses of the dashboard that no experiment and no paper of another package may take."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "dashboard": ("serve",),
    "data": ("check", "reduce", "condense", "fuse"),
    "scores": ("evaluate",),
    "learn": ("lesson", "metrics"),
    "papers": ("paper", "across"),
    "report": ("rerun",),
    "shell": ("completion",),
}
"""Section -> commands other than experiments, which come before the experiments of that section. `irmeval.cli.commands` makes them."""

RESERVED = PAGES.union(*COMMANDS.values())
"""Names that no experiment of another package may take."""


def sections(others: Iterable[str] = ()) -> list[str]:
    """All sections in the order of the menu, including those of experiments from other packages."""
    ends = ("papers", "report", "shell")
    return [*(name for name in dict.fromkeys(["dashboard", *STORY, *others]) if name not in ends), *ends]
