"""Collections: qrels joined with runs, which may be on other machines."""

from irmeval.collection.base import Collection, check_collection
from irmeval.collection.build import read_collection
from irmeval.reading.design import Design, proportional

__all__ = ["Collection", "Design", "check_collection", "proportional", "read_collection"]
