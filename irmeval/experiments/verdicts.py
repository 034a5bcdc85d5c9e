"""Texts on which runs differ: taken alone, and with all pairs at once."""

from collections.abc import Sequence
from itertools import compress, product

import numpy as np

from irmeval.core.text import count_noun, list_all, quantify, share_that, verb
from irmeval.experiments.headlines import differ
from irmeval.stats.pair_tests import DISCOVERIES, FAMILYWISE, LETTERED, PairTests
from irmeval.stats.significance import TESTS

BETTER = "▲"  # one mark alone, two at once
WORSE = "▼"
SAME = "–"  # no significant difference
ALONE = "†"  # in papers, where marks have no direction
AT_ONCE = "‡"
PAIR_BY_PAIR = "tested pair by pair"
"""Reading of pairs alone, within a sentence."""
LONE = "this pair alone"
"""Family of a pair without other runs."""


def mark(verdict: int) -> str:
    """Mark of a verdict (`PairTests.verdict`): a triangle alone, two at once.

    Examples
    --------
    >>> mark(2), mark(-1), mark(0)
    ('▲▲', '▼', '–')
    """
    if verdict == 0:
        return SAME
    return BETTER * verdict or WORSE * -verdict


def dagger(verdict: int) -> str:
    """Mark of a verdict in LaTeX."""
    return {0: "", 1: ALONE, 2: AT_ONCE}[abs(verdict)]


def name_method(test: str, at_once: str | None) -> str:
    """Method of p for all pairs at once, within a sentence."""
    if at_once == DISCOVERIES:
        return "Benjamini-Hochberg"
    if TESTS[test].simulated:
        return "max-t"
    return "Holm"


def name_family(tests: PairTests, *, loaded: int = 0, baselines: Sequence[str] = ()) -> str:
    """Text of the family tested at once: ``all 7,875 pairs``; with both numbers if
    fewer runs are selected than loaded.
    """
    pairs, runs = tests.first.size, len(tests.scores)
    if pairs == 1 and loaded > 2:
        return f"2 of {loaded:,} runs selected: their pair alone"
    if pairs == 1:
        return LONE
    said = f"all {count_noun(pairs, 'pair')}"
    if baselines:
        said += f" with {list_all(baselines)}"
    if loaded > runs:
        said += f" of the {runs:,} runs selected from {loaded:,}"
    return said


def _taken_alone(tests: PairTests) -> str:
    return f"taken alone ({TESTS[tests.test].words}, p < {tests.alpha:g})"


def _all_at_once(tests: PairTests, family: str, at_once: str | None) -> str:
    return f"with {family} at once ({name_method(tests.test, at_once)})"


def describe_marks(
    tests: PairTests, family: str, at_once: str | None = FAMILYWISE, *, papers: bool = False
) -> str:
    """Legend of the marks, a sentence, the same wherever runs are marked; `papers` for
    the marks of LaTeX.
    """
    alone, both = _taken_alone(tests), _all_at_once(tests, family, at_once)
    if papers:
        return f"{ALONE} differs {alone}, {AT_ONCE} also {both}."
    marks = f"{BETTER} better, {WORSE} worse, {SAME} not significant."
    if tests.first.size == 1:
        return f"{marks} A mark: {alone}."
    return f"{marks} One mark: {alone}; two marks: also {both}."


def explain_marks(tests: PairTests, family: str) -> str:
    """Legend of the marks without the test, a sentence for pages that name it once."""
    said = f"{BETTER} better, {WORSE} worse"
    if tests.first.size == 1:
        return f"{said}, {SAME} not significant."
    return f"{said}, {PAIR_BY_PAIR}; twice: {together(family)}."


def describe_colors(tests: PairTests, family: str, at_once: str | None) -> str:
    """Legend of faint and full colours, a sentence."""
    if tests.first.size == 1:
        return f"Coloured: {_taken_alone(tests)}."
    return (
        f"Faint: {_taken_alone(tests)}; full colour: also {_all_at_once(tests, family, at_once)}."
    )


def describe_pairs(tests: PairTests) -> str:
    """Number of pairs that differ, tested pair by pair and together: a sentence that
    begins after ``By AP,``.
    """
    pairs, alone, both = tests.first.size, int(tests.alone.sum()), int(tests.at_once.sum())
    if pairs == 1:
        return f"the two runs {differ(alone)}."
    said = f"{share_that(alone, pairs, 'pair of runs', 'differ')} {PAIR_BY_PAIR}"
    return f"{said}, {name_count(both)} with all pairs tested together."


def together(family: str) -> str:
    """Text on all pairs of a family tested at once, within a sentence."""
    return f"with {family} tested together"


def name_count(n: int) -> str:
    """A number within a sentence: ``none`` for 0."""
    if not n:
        return "none"
    return f"{n:,}"


def describe_ranks(tests: PairTests, *, loaded: int = 0) -> str:
    """Meaning of ranks and groups, sentences with sources. `loaded` is as for
    `name_family`.
    """
    family = name_family(tests, loaded=loaded)
    return (
        f"Ranks, with {family} at once: from 1 plus the number of better runs to the number of runs"
        f" minus the worse ones. They contain all true ranks in at least {1 - tests.alpha:.0%} of"
        f" cases. Groups, of up to {LETTERED} runs: two runs share a letter if and only if they do"
        " not differ at once. Source: Al Mohamad, Goeman & van Zwet 2022; Piepho 2004."
    )


def describe_against(
    baseline: str, runs: Sequence[str], verdict: np.ndarray, known: np.ndarray, family: str
) -> str:
    """Number of runs better and worse than the baseline, tested pair by pair and
    together, a sentence without its full stop; `known` are the tested runs.
    """
    others = [*compress(runs, known)]
    n = len(others)
    worse, worse_at_once, better, better_at_once = (
        int(np.count_nonzero(known & (side * verdict >= least)))
        for side, least in product((-1, 1), (1, 2))
    )
    if n == 1 and better:
        return f"{others[0]} is significantly better than {baseline}"
    if n == 1 and worse:
        return f"{baseline} is significantly better than {others[0]}"
    if n == 1:
        return f"{baseline} and {others[0]} {differ(False)}"
    if not better + worse:
        none = share_that(0, n, "other run", "differ")
        return f"{none} from {baseline} {PAIR_BY_PAIR}, none {together(family)}"
    said = f"{baseline} is better than {quantify(worse, n, 'other run')} {PAIR_BY_PAIR}"
    if worse:
        said += f", than {name_count(worse_at_once)} {together(family)}"
    if better:
        said += (
            f"; {better:,} {verb(better, 'is', 'are')} better than {baseline},"
            f" {name_count(better_at_once)} together"
        )
    return said
