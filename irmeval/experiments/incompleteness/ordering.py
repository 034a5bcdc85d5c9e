"""Shared parts of experiments on orders of judging: parameters, and the first judgments
of an order.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import Param, checked, fields, param
from irmeval.core.registry import check_known
from irmeval.core.text import verb
from irmeval.experiments.settings import Seed
from irmeval.experiments.trials import Realised
from irmeval.reductions.base import random_generator
from irmeval.reductions.judging_orders import Beta, FusedBy, K, Memory, Persistence, Variant
from irmeval.reductions.pooling import (
    LEAST,
    ORDERS,
    Topic,
    cut_order,
    follow_order,
    number_of,
    pool_topics,
    share_of,
)
from irmeval.reductions.teams import PoolDepth

UNITS = "per cent", "documents"
"""Units of budgets."""
DEPTH = "by-depth"
"""Order by rank, the reference for others."""
CHANCE = "at-random"
"""Random order, the reference for others."""

Budgets = Annotated[
    tuple[float, ...],
    Param(
        "budgets",
        "How much of each topic's pool is judged.",
        low=0.1,
        high=1_000_000,
        rate=True,
        otherwise="at least 1 document",
        offers=(1, 2, 5, 10, 15, 20, 30, 35, 40, 50, 60, 75, 90, 100),
    ),
]


@checked
class Ordering:
    """Parameters of the orders of judging, and the unit of budgets."""

    unit: str = param(
        "budgets in",
        "Per cent of each topic's pool, or documents of each topic.",
        choices=UNITS,
        default=UNITS[0],
    )
    seed: Seed = 1
    pool: PoolDepth = 100
    # at a tenth of the pool, MM-NS finds .34 of what is relevant on Robust 2003, by-depth .29
    # (Losada et al. 2017)
    memory: Memory = 0.0
    beta: Beta = 0.1
    p: Persistence = 0.8
    variant: Variant = "C"
    by: FusedBy = "reciprocal-rank"
    # as in Cormack, Clarke & Büttcher 2009
    k: K = 60
    unit_said = ""
    """Text of the unit, which is given with the budgets."""

    def __post_init__(self) -> None:
        # of some experiments, a record that extends this one has the budgets
        budgets = getattr(self, "budgets", (1.0,))
        least, most = min(budgets), max(budgets)
        if self.unit == UNITS[0] and most > 100:
            raise ParamError(
                f"budgets: expected at most 100 per cent, found {most:g}. Or set unit={UNITS[1]!r}."
            )
        if self.unit == UNITS[1] and least < 1:
            raise ParamError(
                f"budgets: expected at least 1 document, found {least}. Or set unit={UNITS[0]!r}."
            )

    def realise(self, budget: float, judged: float, pool: int, topics: int) -> Realised:
        """A budget with its realised share: so many documents of all pools."""
        if self.unit == UNITS[0]:
            return Realised(budget, 100 * judged / max(pool, 1), LEAST)
        unit = self._with_unit("", budget)
        return Realised(
            budget,
            judged / max(topics, 1),
            "pools have no more documents",
            unit,
            pool / max(topics, 1),
        )

    def at_budget(self, budget: Realised) -> str:
        """A budget in words, within a sentence."""
        of_pool = " of the pool" if self.unit == UNITS[0] else ""
        return f"{budget.amount}{of_pool}{budget.beside}"

    @property
    def budgets_said(self) -> str:
        """Text of budgets with their unit, for `say`."""
        budgets = vars(self)["budgets"]
        return self._with_unit(fields(type(self))["budgets"].say(budgets), max(budgets))

    def _with_unit(self, text: str, most: float) -> str:
        if self.unit == UNITS[0]:
            return f"{text}% of the pool"
        return f"{text} {verb(int(most), 'document', 'documents')} a topic"

    @property
    def axis(self) -> dict[str, str]:
        """Options of the axis of budgets in charts."""
        if self.unit == UNITS[0]:
            return {"xtitle": "judged, of the pool"}
        return {"xtitle": "documents judged of a topic", "suffix": ""}

    def share(self, budget: float, collection: Collection) -> float:
        """Approximate share of the judgments within a budget."""
        whole = 100.0
        if self.unit == UNITS[1]:
            whole = max(collection.grade.size / len(collection.topics), 1)
        return min(budget / whole, 1.0)


STORED = tuple(fields(Ordering))
"""Names of these parameters. Scores on the judgments of an order depend on all of
them.
"""


def pools(
    collection: Collection, params: Ordering, trial: int, of_runs: np.ndarray | None = None
) -> list[Topic]:
    """Pools of a trial, the same for all orders; `of_runs`, bool [run], selects the
    runs that form them.
    """
    return pool_topics(
        collection, params.pool, rng=random_generator(params.seed, trial), of_runs=of_runs
    )


def judged_first(
    collection: Collection,
    params: Ordering,
    order: str,
    budgets: Sequence[float],
    topics: Sequence[Topic],
    seen: np.ndarray,
) -> np.ndarray:
    """Grades [budget, J] of the first documents of an order, which learns from the
    grades `seen`, int [J].
    """
    own = {name: getattr(params, name) for name in fields(ORDERS[order].follow) if name in STORED}
    count = share_of if params.unit == UNITS[0] else number_of
    return cut_order(
        collection,
        topics,
        follow_order(order, topics, seen, max(budgets), count, **own),
        budgets,
        count,
    )


def grades_by(collection: Collection, name: str) -> np.ndarray:
    """Grades of a judge for the documents that the first judge has judged [J], -1 if
    there is none. Raises `UnknownName`.
    """
    if not name:
        return collection.grade
    check_known(name, collection.judges, "unknown judge")
    if collection.panel is None:
        return collection.grade
    judges = collection.panel.judges
    return judges.scoring(judges.number(name))[judges.pooled[0]]
