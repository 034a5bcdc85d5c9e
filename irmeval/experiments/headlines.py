"""Templates of headlines, one for each kind, right for none, one, two and many."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irmeval.core import numbers
from irmeval.core.places import pick
from irmeval.core.text import conjugate, count_noun, list_all, list_few, quantify
from irmeval.stats.crossings import NEVER

WORST = ("worst",)
"""End of `best_and_worst` for sentences about the lowest value only."""
SAME = 1e-10
"""Relative tolerance for ties."""
TIED = 2
"""Maximum number of listed names that share an end."""
NAMED = 4
"""Maximum number of listed names that never cross."""
WORDS = 25
"""Maximum number of words in a sentence on crossings, from which those in the middle
are counted.
"""


def best_and_worst(
    names: Sequence[str],
    values: np.ndarray | Sequence[float],
    predicate: str = "keep the order of the runs {}",
    ends: Sequence[str] = ("best", "worst"),
    *,
    label: str = "",
    form: str = ".2f",
    noun: str = "measure",
) -> str:
    """The names with the highest and the lowest value, or one sentence for all if they
    are equal; empty if every value is NaN.

    Parameters
    ----------
    predicate : in the plural, with a place for an end or for the value that all share
    ends : words for the highest and the lowest value; a single word is for the lowest
    label : what the values are
    noun : what is counted, as in "both measures"; names of a "pair of measures" are in
        the plural

    Examples
    --------
    >>> best_and_worst(["AP", "Q", "RR"], [0.4, 0.9, 0.9], label="tau")
    'Q and RR keep the order of the runs best (tau 0.90), AP worst (0.40)'
    >>> best_and_worst(["AP", "Q"], [0.9, 0.9], label="tau")
    'both measures keep the order of the runs with tau 0.90'
    """
    values = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return ""
    high, low = np.nanmax(values), np.nanmin(values)
    form = f"z{form}"  # a small negative number is not written as -0.00
    labelled = f"{label} " if label else ""
    # by the printed values: names that look equal are not told apart
    if f"{high:{form}}" == f"{low:{form}}":
        shared = f"{low:{form}}"
        if label:
            shared = f"with {label} {shared}"
        return _who_does(names, known, noun, predicate.format(shared))
    parts: list[str] = []
    for value, end in zip((high, low)[-len(ends) :], ends, strict=True):
        which = np.array(written_alike(values, value, form))
        # in the second part, the verb and the label are understood
        short = f" {end}" if parts else ""
        said = _who_does(names, which, noun, predicate.format(end), short)
        parts.append(f"{said} ({labelled}{value:{form}})")
        labelled = ""
    return ", ".join(parts)


def written_alike(values: np.ndarray | Sequence[float], value: float, form: str) -> list[int]:
    """Places of the values that are written like one: none of them is told apart."""
    return [i for i, other in enumerate(values) if f"{other:{form}}" == f"{value:{form}}"]


def name_end(
    names: Sequence[str], values: np.ndarray | Sequence[float], value: float, form: str, noun: str
) -> str:
    """The name whose value is written like a highest or a lowest one; of several, their
    number.

    >>> name_end(["AP", "Q"], [0.9, 0.4], 0.9, ".2f", "measure")
    'AP'
    >>> name_end(["AP", "Q", "RR"], [0.9, 0.9, 0.4], 0.9, ".2f", "measure")
    '2 of 3 measures'
    """
    which = written_alike(values, value, form)
    if len(which) == 1:
        return names[which[0]]
    return quantify(len(which), len(names), noun)


def _who_does(
    names: Sequence[str], which: np.ndarray, noun: str, predicate: str, end: str = ""
) -> str:
    """Join names, or their number, and a predicate or its end; the name of a pair is in
    the plural.
    """
    n, is_pair = len(which), noun.startswith("pair ")
    # all names are counted: "both measures"
    most = max(min(TIED, len(names) - 1), 1)
    if is_pair:  # two pairs have four names
        most = 1
    who, plural = quantify(n, len(names), noun), n
    if n <= most:
        who, plural = list_all(pick(names, which)), n + is_pair
    if end:
        return f"{who}{end}"
    return f"{who} {conjugate(plural, predicate)}"


def describe_range(names: Sequence[str], values: np.ndarray, form: str) -> str:
    """The lowest and the highest value with their names: ``from 1.0% (a) to 9.0% (b)``;
    the value if all are written alike.
    """
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    least, most = f"{values[low]:{form}}", f"{values[high]:{form}}"
    if least == most:
        return least
    return f"from {least} ({names[low]}) to {most} ({names[high]})"


def write_best(means: np.ndarray) -> str:
    """The highest of several means in a sentence, with as many digits as tell it from the
    second, if these differ at all.

    >>> write_best(np.array([0.2, 0.3201, 0.3199])), write_best(np.array([0.2, 0.3, 0.3]))
    ('0.3201', '0.300')
    """
    known = np.sort(means[np.isfinite(means)])
    best = float(known[-1])
    second = float(known[-2:][0])
    if np.isclose(best, second, rtol=SAME, atol=0):
        return numbers.score(best)
    return format(best, numbers.telling_apart(best, second, ".3f"))


def differ(significant: Any) -> str:
    """Whether two runs differ: ``differ significantly``, ``do not differ
    significantly``.
    """
    if significant:
        return "differ significantly"
    return "do not differ significantly"


def falls_below(level: float) -> str:
    """Predicate of a value that falls to a level: ``falls below 0.9``."""
    return f"falls below {numbers.level(level)}"


def describe_crossings(
    what: str,
    does: str,
    names: Sequence[Any],
    at: np.ndarray,
    write: Callable[[float], str],
    *,
    end: str,
    first: float | None = None,
    descending: bool = False,
) -> str:
    """Where curves cross a level, the first to do so first: ``Tau falls below 0.9: AP at
    34%, Q at 22%, Q' not down to 10%.`` Empty if no crossing is defined; of a long list
    the middle is counted. A single curve of no measure has no name: ``Kappa falls below
    0.9 at 5%.``

    Parameters
    ----------
    what, does : subject and verb
    names : of the curves; a single empty one for a curve without a name
    at : the crossing of each curve; undefined ones are left out
    write : a crossing in words, such as ``at 34%``
    end : how far a curve was followed that does not cross: ``not down to 10%``
    first : where the curves begin: one that crosses there is beyond the level already
    descending : whether the chart runs from high x to low x
    """
    crossed, beyond = list[str](), list[str]()
    for i in np.argsort(-at if descending else at, kind="stable"):
        name, x = str(names[i]), float(at[i])
        if x == NEVER:
            beyond.append(name)
        elif not np.isnan(x):
            already = "already " * (x == first)
            crossed.append(f"{name} {already}{write(x)}".lstrip())
    # a single curve of no measure has no name, and nothing to be told apart from
    if not any(map(str, names)):
        return _tell_crossing(f"{what} {does}", crossed, beyond, end)
    return _list_crossings(f"{what} {does}", crossed, beyond, end)


def _tell_crossing(said: str, crossed: list[str], beyond: list[str], end: str) -> str:
    if crossed:
        return f"{said} {crossed[0]}."
    if beyond:
        return f"{said}: {end}."
    return ""


def _list_crossings(said: str, crossed: list[str], beyond: list[str], end: str) -> str:
    last = []
    if beyond:
        last = [f"{list_few(beyond, NAMED)} {end}"]
    parts = [*crossed, *last]
    if not parts:
        return ""
    every = f"{said}: {', '.join(parts)}."
    if len(crossed) < 3 or len(every.split()) <= WORDS:
        return every
    middle = f"then {count_noun(len(crossed) - 2, 'other')}"
    return f"{said}: {', '.join([crossed[0], middle, f'last {crossed[-1]}', *last])}."
