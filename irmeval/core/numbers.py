"""How numbers are written, the same in sentences, charts and tables.

With the leading zero: correlations and shares of one with two digits, scores with three in
sentences (in tables with four, as `irmeval.core.tables` has them), shares of judgments, runs
and pairs in per cent, p as ``p = 0.003`` or ``p < 0.001``.
"""

LEAST_P = 0.001
"""Values of p below this are written as less than it."""
MOST_DECIMALS = 9
"""The most that two numbers are written with to differ."""


def correlation(value: float) -> str:
    """A correlation, or a share of one: ``0.79``."""
    return f"{value:.2f}"


def score(value: float) -> str:
    """A score, or a difference of scores, in a sentence: ``0.178``."""
    return f"{value:.3f}"


def against(value: float, level: float) -> str:
    """A correlation beside a level that it is compared with: written differently unless
    they are equal.

    >>> against(0.79, 0.9), against(0.8999, 0.9)
    ('0.79', '0.8999')
    """
    return format(value, telling_apart(value, level, ".2f"))


def level(value: float) -> str:
    """A level that was asked for, as short as it can be: ``0.9``."""
    return f"{value:g}"


def per_cent(share: float) -> str:
    """A share in whole per cent: ``34%``; ``less than 1%`` and ``more than 99%`` if it would
    be rounded to none or all.
    """
    if 0 < share < 0.005:
        return "less than 1%"
    if 0.995 <= share < 1:
        return "more than 99%"
    return f"{share:.0%}"


def p_value(p: float, least: float = LEAST_P) -> str:
    """A p in a sentence: ``p = 0.003``, ``p < 0.001``; `least` is the smallest that its
    number of samples can tell from 0.

    Examples
    --------
    >>> p_value(0.0031), p_value(0.0001), p_value(0.0001, least=0.01)
    ('p = 0.003', 'p < 0.001', 'p < 0.01')
    """
    least = max(least, LEAST_P)
    if p < least:
        return f"p < {least:g}"
    return f"p = {p:.3f}"


def telling_apart(a: float, b: float, form: str) -> str:
    """A format with the fewest decimals, at least those of `form`, that writes two
    different numbers differently.

    >>> telling_apart(0.2, 0.2004, ".2f")
    '.4f'
    """
    if a == b:
        return form
    fewest, kind = int(form.strip("+.f%") or 6), form[-1]
    for decimals in range(fewest, MOST_DECIMALS):
        finer = f".{decimals}{kind}"
        if format(a, finer) != format(b, finer):
            return finer
    return f".{max(fewest, MOST_DECIMALS)}{kind}"
