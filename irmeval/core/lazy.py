"""Imports at first use. A slow library is loaded when one of its names is first used, so
the package loads none of them; a package's own names are imported when they are asked
for.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "bz2",
    "csv",
    "difflib",
    "distance",
    "fractions",
    "hierarchy",
    "html",
    "interpolate",
    "lzma",
    "optimize",
    "pa",
    "pc",
    "pd",
    "pq",
    "shutil",
    "special",
    "stats",
    "tarfile",
    "yaml",
    "zipfile",
]

if TYPE_CHECKING:
    import bz2
    import difflib
    import fractions
    import html
    import lzma
    import shutil
    import tarfile
    import zipfile

    import pandas as pd
    import pyarrow as pa
    import yaml
    from pyarrow import compute as pc
    from pyarrow import csv
    from pyarrow import parquet as pq
    from scipy import interpolate, optimize, special, stats
    from scipy.cluster import hierarchy
    from scipy.spatial import distance
else:

    class Lazy:
        """Proxy of a library that is imported on first use."""

        def __init__(self, name: str):
            self._name = name

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):  # Python asks any object for such names
                raise AttributeError(name)
            value = getattr(import_module(self._name), name)
            setattr(self, name, value)  # which is then found without asking here
            return value

    pd, pa, pc, csv, yaml = map(
        Lazy, ("pandas", "pyarrow", "pyarrow.compute", "pyarrow.csv", "yaml")
    )
    pq = Lazy("pyarrow.parquet")
    interpolate, optimize, special, stats = (
        Lazy(f"scipy.{name}") for name in ("interpolate", "optimize", "special", "stats")
    )
    distance, hierarchy = map(Lazy, ("scipy.spatial.distance", "scipy.cluster.hierarchy"))
    # of Python's own, what few commands need
    bz2, lzma, tarfile, zipfile = map(Lazy, ("bz2", "lzma", "tarfile", "zipfile"))
    difflib, fractions, html, shutil = map(Lazy, ("difflib", "fractions", "html", "shutil"))


def late(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: name -> the module that has it."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return find
