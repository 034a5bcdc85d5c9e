"""The types of calls of experiments, for editors and type checkers: ``python -m
tests.typed > irmeval/experiments/__init__.pyi``.
"""

import subprocess
import sys
from collections.abc import Iterator

from irmeval.core.params import Field, fields
from irmeval.experiments import EXPERIMENTS

HEAD = '''"""Made by `python -m tests.typed > irmeval/experiments/__init__.pyi`; a test compares \
this file with that output."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

from irmeval.collection import Collection
from irmeval.core.registry import Registry
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Chart, Result, Table
from irmeval.experiments.work import Progress, Store, Work
from irmeval.judges import Judges
from irmeval.reading.score_matrix import Matrix
'''
SHARED = """
class _Shared(TypedDict, total=False):
    only: Sequence[str]
    team: Mapping[str, str] | None
    store: Store | None
    progress: Progress | None
"""
CALL = """
class _{name}Values(_Shared, total=False):
    {values}

class _{name}(Experiment[{params}, {result}]):
    def __call__(
        self, source: Source = None, measures: Measures = None, params: {params} | Values = None, \
**values: Unpack[_{name}Values]
    ) -> {result}: ...
"""
FOUND = """
class _Experiments(Registry[Experiment[Any, Any]]):
{overloads}
    @overload
    def __getitem__(self, name: str) -> Experiment[Any, Any]: ...

EXPERIMENTS: _Experiments

__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "Table", "Work"]
"""


def _path(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _type(field: Field) -> str:
    one = "float | str" if field.param.rate else field.kind.__name__
    many = f"{one} | Iterable[{one}]" if field.is_list else one
    return f"{many} | None" if field.default is None else many


def _lines() -> Iterator[str]:
    own = {
        name: one
        for name, one in EXPERIMENTS.items()
        if one.params.__module__.startswith("irmeval.")
    }
    yield HEAD
    yield "\n".join(
        sorted(
            {
                f"import {kind.__module__}"
                for one in own.values()
                for kind in (one.params, one.result_type)
            }
        )
    )
    yield (
        "Source = Collection | Matrix | Judges | None\nMeasures = str | Iterable[str] |"
        " None\nValues = Mapping[str, Any] | None" + SHARED
    )
    for name, one in own.items():
        values = (
            "\n    ".join(f"{field.name}: {_type(field)}" for field in fields(one.params).values())
            or "..."
        )
        yield CALL.format(
            name=_class(name),
            params=_path(one.params),
            result=_path(one.result_type),
            values=values,
        )
    overloads = [
        f"    @overload\n    def __getitem__(self, name: Literal[{name!r}]) -> _{_class(name)}: ..."
        for name in own
    ]
    yield FOUND.format(overloads="\n".join(overloads))


def stub() -> str:
    """The text of the file."""
    text = "\n".join(_lines())
    for how in (["check", "--fix", "--quiet", "--select", "I"], ["format", "--quiet"]):
        words = [
            sys.executable,
            "-m",
            "ruff",
            *how,
            "--stdin-filename",
            "irmeval/experiments/__init__.pyi",
            "-",
        ]
        text = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    sys.stdout.write(stub())
