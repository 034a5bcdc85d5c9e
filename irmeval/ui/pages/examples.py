"""The lists from which the lab can start: what each shows, and what to try with it."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from irmeval.experiments.learn.lab import Params


class Example(NamedTuple):
    """A list that shows something, with the measures that it is about."""

    title: str
    params: Params
    measures: list[str]
    look: str
    """what to look at, and what to try next"""


EXAMPLES = {
    name: Example(**entry | {"params": Params(**entry["params"])})
    for name, entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""Name -> the example in ``examples.toml``, in its order."""
