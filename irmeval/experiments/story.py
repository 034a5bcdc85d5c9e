"""The one list of order: of sections, of their pages, and of the commands of experiments."""

STORY: dict[str, dict[str, tuple[str, ...]]] = {
    "data": {"collection": ("collection",), "check": (), "selection": ()},
    "scores": {"leaderboard": ("leaderboard",), "topics": ("topics",), "two": ("sign",), "reproduction": ("reproduction",)},
    "incompleteness": {
        "curves": ("incompleteness",),
        "decisions": ("decisions",),
        "pools": ("pools", "fewer-teams", "leave-one-out", "fewer-topics"),
        "unjudged": ("unjudged",),
    },
    "significance": {"matrix": ("significance",), "power": ()},
    "reliability": {"stability": ("stability",), "swap": ("swap", "pair-orderings"), "scorecard": ("scorecard",)},
    "agreement": {"metrics": ("agreement",), "rankings": ("rankings",), "gains": ("gains", "binary-tertiary")},
    "judges": {"documents": ("judges",), "systems": (), "holes": (), "budget": ("budget",)},
    "learn": {
        "lessons": (),
        "lab": ("lab",),
        "top_heaviness": ("top-heaviness", "ideal-lists"),
        "parameters": ("parameters",),
        "catalogue": (),
        "glossary": (),
    },
    "report": {"report": ()},
}
"""Section -> page -> experiments. A page is a script in ``pages/<section>/``, or an experiment as it is. Commands stand in the order of the
experiments. What is not named comes last: a page in its section, a command after all others."""

PAGES = frozenset(page for pages in STORY.values() for page in pages) | {"start", "findings"}
"""Addresses of the dashboard that no experiment and no paper of another package may take."""

COMMANDS = frozenset(("evaluate", "check", "reduce", "condense", "paper", "rerun", "lesson", "serve", "metrics"))
"""Commands that are no experiment; they stand in `irmeval.cli.commands`."""
