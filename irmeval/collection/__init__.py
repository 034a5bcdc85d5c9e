"""Qrels joined with runs once: one collection, wherever its runs lie."""

from irmeval.collection.base import Collection, read_collection

__all__ = ["Collection", "read_collection"]
