"""A collection that several experiments are tried on."""

import pytest

import irmeval
from tests.cases import drawn, tied_collection


@pytest.fixture(scope="session")
def c() -> irmeval.Collection:
    """Twelve topics and six runs, with ties, drawn from a seed."""
    return tied_collection(*drawn(3, topics=12, runs=6))
