"""Names on a figure: short enough to read, and as many as there is room for. Hover
texts have the full names.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from irmeval.plots import pins

LETTERS = 24
"""Maximum length of a name on a figure."""
LETTER = 7
"""Width of a letter, in pixels."""
NARROW = 640
"""Width of a narrow window, as on a telephone, in pixels."""
FIT = 14
"""Maximum number of names below or above a figure in a narrow window."""
MAX_NAMES = 70
"""Maximum number of names there on any figure."""


def shorten_names(names: Sequence[str], letters: int = LETTERS) -> list[str]:
    """Cut long names at the end. If that makes two equal, an ellipsis replaces their
    common beginning.

    Examples
    --------
    >>> shorten_names(["bm25", "bm25-with-a-very-long-name-1", "bm25-with-a-very-long-name-2"], 12)
    ['bm25', '…1', '…2']
    """
    short = {name: name if len(name) <= letters else f"{name[: letters - 1]}…" for name in names}
    alike: dict[str, list[str]] = {}
    for name, text in short.items():
        alike.setdefault(text, []).append(name)
    for same in alike.values():
        if len(same) > 1:
            # what the first and the last share, all share
            pairs = zip(min(same), max(same), strict=False)
            begin = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            short |= {name: f"…{name[begin:][: letters - 1]}" for name in same}
    return [short[name] for name in names]


def label_width(names: Sequence[str]) -> int:
    """Width of the longest name beside an axis, in pixels, when names are shortened."""
    return LETTER * min(max(map(len, names), default=0), LETTERS)


def narrow_style() -> str:
    """A style sheet by which a narrow window shows only every n-th name below or above
    a figure, where not all fit; marked names stay.
    """
    rules = []
    for step in range(2, MAX_NAMES // FIT + 1):
        more, most = FIT * (step - 1) + 1, FIT * step
        first = (
            f"g.xtick:nth-child(1 of g.xtick):nth-last-child(n+{more} of"
            f" g.xtick):nth-last-child(-n+{most} of g.xtick)"
        )
        left = f":not(:nth-child({step}n+1 of g.xtick), :has(tspan[style*=color]))"
        rules.append(f"{first} ~ g.xtick{left} {{display: none}}")
    return f"@media (max-width: {NARROW}px) {{{' '.join(rules)}}}"


def ticks(names: Sequence[str], most: int) -> dict[str, list[Any]]:
    """The named places on an axis, from 0, as Plotly takes them: all if at most `most`,
    else every n-th, the last, and pinned ones.
    """
    texts, last = labels(names), len(names) - 1
    own = pins.marked(names)
    pinned = [i for i, name in enumerate(names) if name in own]
    step = -(-len(names) // most) or 1
    # the last goes before its neighbour, and pinned ones go before all
    usual = {*range(0, last - step + 1, step), last} if names else set()
    far = {i for i in usual if all(abs(i - k) >= step for k in pinned)}
    at = sorted({*pinned, *far})
    return {"tickvals": at, "ticktext": [texts[i] for i in at]}


def labels(names: Sequence[str], letters: int = LETTERS) -> list[str]:
    """All names, shortened, as text for Plotly; pinned ones are marked."""
    own = pins.marked(names)
    return [
        pins.axis_text(name, short, own)
        for name, short in zip(names, shorten_names(names, letters), strict=True)
    ]
