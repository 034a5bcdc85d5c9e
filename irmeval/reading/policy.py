"""Decisions in which evaluation programs differ: order of lists, treatment of unjudged
documents, topics of a mean.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.registry import Registry
from irmeval.core.text import count_noun, shorten
from irmeval.reading.gain_maps import PRESETS, parse_gains

Pairs = str | Path | Iterable[tuple[str, str]]
"""Pairs of topic and document: a file, or the pairs."""
ORDERS = ("trec_eval", "double", "rank", "file")


@checked
class Policy:
    """Decisions under which a collection is scored (docs/CONVENTIONS.md, 1 to 9)."""

    order: str = param(
        "order of a list",
        "trec_eval: score as 32-bit float, ties by document id, both descending (trec_eval 9.0.8)."
        " double: the same with 64-bit floats (trec_eval 10). rank: the rank column. file: the"
        " order of the lines.",
        choices=ORDERS,
        default="trec_eval",
    )
    depth: int = param(
        "depth",
        "Lists are cut at this rank before anything else.",
        low=1,
        high=1_000_000,
        default=1000,
    )
    negative: str = param(
        "negative grades",
        "unjudged: in the pool, not judged (trec_eval). nonrelevant: judged, grade 0.",
        choices=("unjudged", "nonrelevant"),
        default="unjudged",
    )
    average: str = param(
        "mean over topics",
        "judged: all topics of the qrels; a run that lacks one scores 0 there (trec_eval -c)."
        " retrieved: only topics that the run has.",
        choices=("judged", "retrieved"),
        default="judged",
    )
    empty: str = param(
        "topics with nothing relevant",
        "undefined: they have no score and are left out of means. zero: they count as 0"
        " (trec_eval).",
        choices=("undefined", "zero"),
        default="undefined",
    )
    repeated: str = param(
        "duplicates",
        "refuse: rejects a file that lists a document twice for a topic. first: keeps the first of"
        " these lines, and the first of several judgments with the same grade. best: keeps a run's"
        " line with the highest score, as for passages mapped to documents, and the first"
        " judgment.",
        choices=("refuse", "first", "best"),
        default="refuse",
    )
    exclude_own: bool = param(
        "exclude own documents",
        "Leaves documents with the id of the topic out of runs, as BEIR's ignore_identical_ids"
        " does.",
        template="without own documents",
        default=False,
    )
    exclude: str = param(
        "exclude pairs",
        "Leaves pairs of topic and document out of runs and judgments: a file of two columns, or"
        " for a residual collection the qrels of the documents that were judged before.",
        high=30_000_000,
        empty="none",
        default="",
    )
    gains: str = param(
        "gains",
        "Gain of a document by its grade in graded measures: grade:gain pairs separated by commas,"
        f" as in 1:1,2:3, or {', '.join(PRESETS)}.",
        high=1000,
        empty="the grade",
        default="",
    )

    def __post_init__(self) -> None:
        if self.gains and self.gains not in PRESETS:
            parse_gains(self.gains)
        _check_pairs(self.exclude)

    @property
    def exclude_said(self) -> str:
        """Number of excluded pairs, in words."""
        if not self.exclude:
            return ""
        pairs = len(self.exclude.split("\n"))
        return f"without {count_noun(pairs, 'excluded pair')}"


# kept, since each copy of a policy is checked again, and its pairs may be 30 MB
@lru_cache(maxsize=4)
def _check_pairs(text: str) -> None:
    if text and any(line.count("\t") != 1 for line in text.split("\n")):
        raise ParamError(
            f"exclude: expected lines of topic, tab and document, found {shorten(text)}."
            " irmeval.read_collection takes a file."
        )


class Decisions(TypedDict, total=False):
    """The fields of a `Policy` as keyword arguments, for editors and type checkers."""

    order: str
    depth: int
    negative: str
    average: str
    empty: str
    repeated: str
    exclude_own: bool
    exclude: Pairs
    gains: str


DEFAULT = Policy()
NOT_IN_PROFILES = ("depth", "repeated", "exclude_own", "exclude", "gains")
"""Fields that are not part of profiles."""

PROFILES: Registry[Policy] = Registry("profile")
"""All decisions of one program or tradition, by name."""

for _name, _policy in {
    "papers": DEFAULT,
    # as without -c: means over the topics that a run has
    "trec_eval 9.0.8": Policy(average="retrieved", empty="zero"),
    "trec_eval 10": Policy(order="double", average="retrieved", empty="zero"),
    "NTCIREVAL": Policy(order="file"),
}.items():
    PROFILES.add(_name, _policy)


def profile_of(policy: Policy) -> str | None:
    """Profile that equals a policy in all fields but `NOT_IN_PROFILES`; None if there
    is none.
    """
    compared = replace(policy, **{name: getattr(DEFAULT, name) for name in NOT_IN_PROFILES})
    for name, profile in PROFILES.items():
        if profile == compared:
            return name
    return None
