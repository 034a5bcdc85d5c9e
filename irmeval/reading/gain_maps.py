"""Gain maps: the value of a relevant document of each grade in graded metrics.

A map is given as a mapping from grade to gain, as text (``1:1,2:3``), or as the name of
a preset. A grade that it does not name gains the grade itself. A higher grade may not
gain less than a lower one, and a relevant document gains something: grades that should
count for nothing are left out by the relevance level.
"""

from collections.abc import Mapping
from itertools import chain
from numbers import Real
from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.registry import Registry
from irmeval.core.text import shorten

Gains = str | Mapping[int, float]
HIGHEST = 1e6
"""Maximum gain: sums with higher ones would lose the digits of the lower ones."""


class Preset(NamedTuple):
    """Gain maps of papers, by name."""

    label: str
    levels: tuple[float, ...]
    """gains of the grades 1, 2, ...; higher grades gain as much as the last"""
    meaning: str


PRESETS: Registry[Preset] = Registry("gain map")
for _name, _label, _levels, _meaning in (
    (
        "sab",
        "S/A/B 3:2:1",
        (1, 2, 3),
        "NTCIR's three levels: partially relevant 1, relevant 2, highly relevant 3.",
    ),
    (
        "flat",
        "flat 1:1:1",
        (1,),
        "Every relevant document gains the same: graded metrics become binary.",
    ),
    ("steep", "steep 10:5:1", (1, 5, 10), "Highly relevant documents dominate."),
    ("trec", "TREC 3:1", (1, 3), "TREC's two levels: relevant 1, highly relevant 3."),
    ("bompada2", "Bompada 2:1", (1, 2), "Two levels: relevant 1, highly relevant 2."),
    ("bompada10", "Bompada 10:1", (1, 10), "Two levels: relevant 1, highly relevant 10."),
    ("bompada100", "Bompada 100:1", (1, 100), "Two levels: relevant 1, highly relevant 100."),
    (
        "adjusted",
        "adjusted",
        (),
        (
            "Per topic, a grade that many relevant documents share gains less; otherwise gains are"
            " the grades."
        ),
    ),
):
    PRESETS.add(_name, Preset(_label, _levels, _meaning))


def parse_gains(text: str) -> dict[int, float]:
    """A gain map from text: ``grade:gain`` pairs separated by commas.

    Raises
    ------
    ParamError
        For anything else, a grade named twice, or a gain that `check_gains` refuses.
    """
    gains: dict[int, float] = {}
    for part in text.split(","):
        grade, _, gain = part.partition(":")
        try:
            key, value = int(grade), float(gain)
        except ValueError:
            names = ", ".join(PRESETS)
            raise ParamError(
                f"gains: expected grade:gain,grade:gain as in 1:1,2:3 or one of {names}; found"
                f" {shorten(text)}."
            ) from None
        if key in gains:
            raise ParamError(
                f"gains: expected each grade once, found {shorten(key)} twice in {shorten(text)}."
            )
        gains[key] = value
    check_gains(gains)
    return gains


def check_gains(gains: Mapping[int, float]) -> None:
    """Raise `ParamError` for anything but numbers, a gain outside 0 to `HIGHEST`, a
    grade below 0, and a nonzero gain of grade 0.
    """
    if not isinstance(gains, Mapping) or not all(map(_is_real, chain(gains, gains.values()))):
        raise ParamError(
            f"gains: expected numbers, grade to gain, as in {{1: 1, 2: 3}}, found {shorten(gains)}."
        )
    for grade, gain in gains.items():
        if grade < 0 or grade % 1 != 0:  # NaN % 1 and infinity % 1 are NaN
            raise ParamError(
                f"gains: expected grades as whole numbers from 0, found {shorten(grade)}."
            )
        found = shorten(gain).removesuffix(".0")
        if not 0 <= gain <= HIGHEST:
            raise ParamError(
                f"gains: expected a gain from 0 to {HIGHEST:.10g} for grade {shorten(grade)}, found"
                f" {found}."
            )
        if grade == 0 and gain:
            raise ParamError(
                f"gains: a document of grade 0 is not relevant and gains nothing, found {found}."
            )


def _is_real(value: object) -> bool:
    return isinstance(value, Real)


def gain_table(top: int, rel: int, gains: Gains | None) -> np.ndarray:
    """float64 [top + 1]: gain of each grade, by default the grade itself; 0 below the
    relevance level. Raises `ParamError` where a relevant grade gains nothing, or a
    higher grade less.
    """
    table = np.arange(max(top, 0) + 1, dtype=float)
    for grade, gain in _by_grade(gains, top).items():
        if grade <= top:
            table[grade] = gain
    table[:rel] = 0
    for grade in range(rel, top + 1):
        if table[grade] <= 0:
            raise ParamError(
                f"gains: grade {grade} counts as relevant and must gain more than 0; to leave it"
                f" out, set rel={grade + 1}."
            )
        if table[grade] < table[grade - 1]:
            lower = f"{table[grade - 1]:g} for grade {grade - 1}"
            raise ParamError(
                f"gains: a higher grade may not gain less, found {lower} and {table[grade]:g} for"
                f" grade {grade}."
            )
    return table


def _by_grade(gains: Gains | None, top: int) -> Mapping[int, float]:
    if gains is None:
        return {}
    if not isinstance(gains, str):
        check_gains(gains)
        return gains
    if gains not in PRESETS:
        return parse_gains(gains)
    levels = PRESETS[gains].levels
    if not levels:  # as in the adjusted map: a grade gains itself
        return {}
    grades = range(1, top + 1)
    return {grade: levels[min(grade, len(levels)) - 1] for grade in grades}
