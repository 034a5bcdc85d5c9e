"""Commands of the program: where each is, and what it does, so that a command
imports what it runs alone. Made by `python -m tests.index > irmeval/core/index.py`; a
test compares this file with that output.
"""

from typing import NamedTuple


class IndexedCommand(NamedTuple):
    """A command."""

    module: str
    """where it is, or the experiment that it runs"""
    section: str
    """section of the menu and of the list of commands"""
    does: str
    """a verb phrase"""
    tables: tuple[str, ...] = ()
    """names of the tables that an experiment may have, ending in - if more follows;
    empty if others may add some
    """


COMMANDS = {
    "serve": IndexedCommand(
        "irmeval.cli.dashboard",
        "dashboard",
        "open the dashboard, with the sample or your files",
    ),
    "check": IndexedCommand(
        "irmeval.cli.check_runs",
        "data",
        "find errors and unusual properties of runs",
    ),
    "reduce": IndexedCommand(
        "irmeval.cli.reduce",
        "data",
        "make judgments incomplete",
    ),
    "condense": IndexedCommand(
        "irmeval.cli.condense",
        "data",
        "leave unjudged documents out of runs",
    ),
    "fuse": IndexedCommand(
        "irmeval.cli.fuse",
        "data",
        "fuse several runs into one",
    ),
    "collection": IndexedCommand(
        "irmeval.experiments.data.collection",
        "data",
        "count topics, runs, judgments by grade, unjudged documents",
        ("counts", "judgments", "provenance", "runs", "strata"),
    ),
    "evaluate": IndexedCommand(
        "irmeval.cli.score_runs",
        "runs",
        "score runs: means, or topic by topic",
    ),
    "leaderboard": IndexedCommand(
        "irmeval.experiments.runs.leaderboard",
        "runs",
        "rank runs by every measure, with intervals and tests",
        ("compared", "compared-", "means"),
    ),
    "two-runs": IndexedCommand(
        "irmeval.experiments.runs.two_runs",
        "runs",
        "compare two runs by every measure",
        ("marks", "measures", "pairs", "power", "tests", "topics"),
    ),
    "reproduction": IndexedCommand(
        "irmeval.experiments.runs.reproduction",
        "runs",
        "compare reproduced runs with their originals",
        ("headers", "measures", "topics"),
    ),
    "matrix": IndexedCommand(
        "irmeval.experiments.runs.matrix",
        "runs",
        "test every pair of runs for a significant difference",
        ("marks", "pairs", "power", "tests"),
    ),
    "power": IndexedCommand(
        "irmeval.experiments.runs.power",
        "runs",
        "count the pairs of runs that each measure tells apart",
        ("marks", "pairs", "power", "tests"),
    ),
    "topics": IndexedCommand(
        "irmeval.experiments.runs.topics",
        "runs",
        "show scores topic by topic, and which topics are hard",
        ("runs", "scores", "topics"),
    ),
    "curves": IndexedCommand(
        "irmeval.experiments.incompleteness.curves",
        "incompleteness",
        "watch scores, orders and decisions as something disappears",
    ),
    "leave-one-out": IndexedCommand(
        "irmeval.experiments.incompleteness.leave_one_out",
        "incompleteness",
        "remove each team's unique contributions from the pool",
        ("correction", "measures", "order", "runs", "teams"),
    ),
    "unjudged": IndexedCommand(
        "irmeval.experiments.incompleteness.unjudged",
        "incompleteness",
        "count unjudged documents of each run",
        ("next", "positions", "ranks", "runs"),
    ),
    "what-if": IndexedCommand(
        "irmeval.experiments.incompleteness.what_if",
        "incompleteness",
        "score runs as if their unjudged documents were judged",
        ("held", "left-out", "pair", "runs", "topics", "unsure-pairs"),
    ),
    "judge-next": IndexedCommand(
        "irmeval.experiments.incompleteness.judge_next",
        "incompleteness",
        "choose documents to judge next",
        ("list", "runs", "topics"),
    ),
    "judgments-needed": IndexedCommand(
        "irmeval.experiments.incompleteness.judgments_needed",
        "incompleteness",
        "plan and draw a sample for an interval",
        ("list", "strata", "widths"),
    ),
    "estimates": IndexedCommand(
        "irmeval.experiments.incompleteness.estimates",
        "incompleteness",
        "compare estimates from samples with true scores",
        ("scores", "summary", "trials"),
    ),
    "own-sample": IndexedCommand(
        "irmeval.experiments.incompleteness.own_sample",
        "incompleteness",
        "estimate scores on the whole pool from sampled judgments",
        ("estimates",),
    ),
    "scorecard": IndexedCommand(
        "irmeval.experiments.measures.scorecard",
        "measures",
        "run every experiment on each measure",
        ("curves", "measures", "pairs", "scorecard"),
    ),
    "agreement": IndexedCommand(
        "irmeval.experiments.measures.agreement",
        "measures",
        "compare the orders of runs by different measures",
        ("list", "matrix"),
    ),
    "rankings": IndexedCommand(
        "irmeval.experiments.measures.rankings",
        "measures",
        "find the runs that two measures rank differently",
        ("means", "orders", "ranks"),
    ),
    "stability": IndexedCommand(
        "irmeval.experiments.measures.stability",
        "measures",
        "count pair orders that change on other topics",
        ("curves", "measures", "pairs"),
    ),
    "swap": IndexedCommand(
        "irmeval.experiments.measures.swap",
        "measures",
        "find the difference required to hold on other topics",
        ("bins", "errors", "measures", "pairs"),
    ),
    "pair-orderings": IndexedCommand(
        "irmeval.experiments.measures.pair_orderings",
        "measures",
        "compare the orders that tests and swaps give pairs of runs",
        ("measures", "orderings"),
    ),
    "variance": IndexedCommand(
        "irmeval.experiments.measures.variance",
        "measures",
        "attribute the variance of scores to runs and topics",
        ("groups", "pairs", "power", "variance"),
    ),
    "gains": IndexedCommand(
        "irmeval.experiments.measures.gains",
        "measures",
        "vary the gains of grades",
        ("kept", "maps", "runs-", "stability", "values"),
    ),
    "parameters": IndexedCommand(
        "irmeval.experiments.measures.parameters",
        "measures",
        "vary one parameter of measures and compare orders of runs",
        ("runs-", "values"),
    ),
    "topics-needed": IndexedCommand(
        "irmeval.experiments.planning.topics_needed",
        "planning",
        "estimate how many topics a collection needs",
        ("cost", "crossings", "rows", "summary", "variance"),
    ),
    "orders": IndexedCommand(
        "irmeval.experiments.planning.orders",
        "planning",
        "simulate orders of judging and count relevant documents",
        ("crossings", "misled", "summary", "trials"),
    ),
    "order-fairness": IndexedCommand(
        "irmeval.experiments.planning.order_fairness",
        "planning",
        "measure the bias of orders against a team left out",
        ("runs", "summary"),
    ),
    "audit": IndexedCommand(
        "irmeval.experiments.planning.audit",
        "planning",
        "check if a judge, such as a language model, may rank runs",
        ("circularity", "decisions", "enough", "kinds", "observations", "summary", "teams", "top"),
    ),
    "judges": IndexedCommand(
        "irmeval.experiments.planning.judges",
        "planning",
        "measure how well judges agree on documents",
        ("coverage", "expected", "grades", "summary", "thresholds", "topics"),
    ),
    "systems": IndexedCommand(
        "irmeval.experiments.planning.systems",
        "planning",
        "compare run orders and decisions under different judges",
        ("coverage", "decisions", "mixtures", "observations", "runs", "summary", "teams", "topics"),
    ),
    "holes": IndexedCommand(
        "irmeval.experiments.planning.holes",
        "planning",
        "fill missing judgments by another judge, or skip them",
        ("coverage", "suffices", "summary", "trials"),
    ),
    "lesson": IndexedCommand(
        "irmeval.cli.lesson",
        "learn",
        "read a lesson",
    ),
    "metrics": IndexedCommand(
        "irmeval.cli.list_known",
        "learn",
        "list the metrics, or describe one with its formula",
    ),
    "formats": IndexedCommand(
        "irmeval.cli.list_known",
        "learn",
        "list the supported file formats",
    ),
    "lab": IndexedCommand(
        "irmeval.experiments.learn.lab",
        "learn",
        "score one list by every measure, rank by rank",
        ("scores", "steps-"),
    ),
    "top-heaviness": IndexedCommand(
        "irmeval.experiments.learn.top_heaviness",
        "learn",
        "show how top-heavy measures are",
        ("ranks", "scores"),
    ),
    "ideal-lists": IndexedCommand(
        "irmeval.experiments.learn.ideal_lists",
        "learn",
        "score ideal lists by RBP and other measures",
        ("lists", "scores"),
    ),
    "swap-property": IndexedCommand(
        "irmeval.experiments.learn.swap_property",
        "learn",
        "check that a better list always scores more",
        ("measures", "opposed"),
    ),
    "paper": IndexedCommand(
        "irmeval.cli.reproduce_paper",
        "papers",
        "reproduce all tables and figures of a paper on your data",
    ),
    "across": IndexedCommand(
        "irmeval.cli.several_collections",
        "papers",
        "compare results on several collections",
    ),
    "rerun": IndexedCommand(
        "irmeval.cli.rerun",
        "report",
        "reproduce the tables of a report",
    ),
    "completion": IndexedCommand(
        "irmeval.cli.completion",
        "shell",
        "print the completion script of a shell",
    ),
}
"""Commands by name, in the order of the list of commands."""

EXPERIMENT_FILES = frozenset(
    {
        "irmeval.experiments.across",
        "irmeval.experiments.axes",
        "irmeval.experiments.axes.base",
        "irmeval.experiments.axes.by_lines",
        "irmeval.experiments.axes.care",
        "irmeval.experiments.axes.depth",
        "irmeval.experiments.axes.fewer_judgments",
        "irmeval.experiments.axes.fewer_teams",
        "irmeval.experiments.axes.fewer_topics",
        "irmeval.experiments.base",
        "irmeval.experiments.data",
        "irmeval.experiments.data.collection",
        "irmeval.experiments.ends",
        "irmeval.experiments.facts",
        "irmeval.experiments.headlines",
        "irmeval.experiments.incompleteness",
        "irmeval.experiments.incompleteness.aided",
        "irmeval.experiments.incompleteness.changes",
        "irmeval.experiments.incompleteness.curves",
        "irmeval.experiments.incompleteness.estimates",
        "irmeval.experiments.incompleteness.filled_holes",
        "irmeval.experiments.incompleteness.judge_next",
        "irmeval.experiments.incompleteness.judgments_needed",
        "irmeval.experiments.incompleteness.leave_one_out",
        "irmeval.experiments.incompleteness.next_in_order",
        "irmeval.experiments.incompleteness.ordering",
        "irmeval.experiments.incompleteness.own_pools",
        "irmeval.experiments.incompleteness.own_sample",
        "irmeval.experiments.incompleteness.pair_with_holes",
        "irmeval.experiments.incompleteness.pool_bias",
        "irmeval.experiments.incompleteness.unjudged",
        "irmeval.experiments.incompleteness.unsure_pairs",
        "irmeval.experiments.incompleteness.watched_charts",
        "irmeval.experiments.incompleteness.watched_curves",
        "irmeval.experiments.incompleteness.watched_facts",
        "irmeval.experiments.incompleteness.watched_tables",
        "irmeval.experiments.incompleteness.watched_values",
        "irmeval.experiments.incompleteness.what_if",
        "irmeval.experiments.introspection",
        "irmeval.experiments.learn",
        "irmeval.experiments.learn.ideal_lists",
        "irmeval.experiments.learn.lab",
        "irmeval.experiments.learn.swap_property",
        "irmeval.experiments.learn.top_heaviness",
        "irmeval.experiments.measures",
        "irmeval.experiments.measures.agreement",
        "irmeval.experiments.measures.gains",
        "irmeval.experiments.measures.pair_orderings",
        "irmeval.experiments.measures.parameters",
        "irmeval.experiments.measures.pooled_variance",
        "irmeval.experiments.measures.rankings",
        "irmeval.experiments.measures.scorecard",
        "irmeval.experiments.measures.stability",
        "irmeval.experiments.measures.swap",
        "irmeval.experiments.measures.variance",
        "irmeval.experiments.needs",
        "irmeval.experiments.planning",
        "irmeval.experiments.planning.audit",
        "irmeval.experiments.planning.audit_charts",
        "irmeval.experiments.planning.holes",
        "irmeval.experiments.planning.joint",
        "irmeval.experiments.planning.judges",
        "irmeval.experiments.planning.one_audit",
        "irmeval.experiments.planning.order_fairness",
        "irmeval.experiments.planning.orders",
        "irmeval.experiments.planning.systems",
        "irmeval.experiments.planning.topics_needed",
        "irmeval.experiments.recipe",
        "irmeval.experiments.registered",
        "irmeval.experiments.results",
        "irmeval.experiments.runs",
        "irmeval.experiments.runs.leaderboard",
        "irmeval.experiments.runs.matrix",
        "irmeval.experiments.runs.pair",
        "irmeval.experiments.runs.power",
        "irmeval.experiments.runs.reproduction",
        "irmeval.experiments.runs.topics",
        "irmeval.experiments.runs.two_lists",
        "irmeval.experiments.runs.two_runs",
        "irmeval.experiments.scored",
        "irmeval.experiments.settings",
        "irmeval.experiments.story",
        "irmeval.experiments.sweep",
        "irmeval.experiments.trials",
        "irmeval.experiments.verdicts",
        "irmeval.experiments.watched",
        "irmeval.experiments.watched.base",
        "irmeval.experiments.watched.decisions",
        "irmeval.experiments.watched.judged",
        "irmeval.experiments.watched.kappa",
        "irmeval.experiments.watched.mean",
        "irmeval.experiments.watched.same_order",
        "irmeval.experiments.watched.same_pairs",
        "irmeval.experiments.watched.winner",
        "irmeval.experiments.work",
    }
)
"""Modules of experiments and of what they share. Others are new."""
