"""Terms of the glossary, and their registry."""

from dataclasses import dataclass

from irmeval.core.registry import Registry
from irmeval.core.text import slug


@dataclass(frozen=True)
class Term:
    """A term with its meaning."""

    name: str
    """as in the middle of a sentence"""
    meaning: str
    """one or two sentences"""
    formula: str = ""
    """in LaTeX"""
    source: str = ""
    """who introduced it, or explains it best"""
    also: tuple[str, ...] = ()
    """other forms, except for the plural"""

    @property
    def key(self) -> str:
        """The term in an address: ``tau-ap``."""
        return slug(self.name)


TERMS: Registry[Term] = Registry("term")
"""The terms, by their keys."""


def add(name: str, meaning: str, formula: str = "", source: str = "", *also: str) -> None:
    """Add a term to the glossary; the arguments are the fields of a `Term`."""
    term = Term(name, meaning, formula, source, also)
    TERMS.add(term.key, term)
