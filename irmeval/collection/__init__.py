"""Qrels joined with runs once: one collection, wherever its runs lie."""

from irmeval.collection.base import Collection
from irmeval.collection.build import read_collection
from irmeval.reading.design import Design, proportional

__all__ = ["Collection", "Design", "proportional", "read_collection"]
