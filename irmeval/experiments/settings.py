"""Parameters that several experiments have."""

from typing import Annotated

from irmeval.params import Param
from irmeval.stats.correlation import CORRELATIONS

Correlate = Annotated[
    str, Param("correlation", " ".join(f"{name}: {c.meaning}." for name, c in CORRELATIONS.items()), choices=tuple(CORRELATIONS))
]
