"""A word of the glossary, and the registry of all of them."""

from dataclasses import dataclass

from irmeval.core.registry import Registry
from irmeval.core.text import slug


@dataclass(frozen=True)
class Term:
    """A word with its meaning.

    Attributes
    ----------
    name : as it is written in the middle of a sentence
    meaning : one or two sentences
    formula : in LaTeX; empty where there is none
    source : who introduced it, or says it best
    also : other ways to write it; its plural needs none
    """

    name: str
    meaning: str
    formula: str = ""
    source: str = ""
    also: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The term in an address: ``tau-ap``."""
        return slug(self.name)


TERMS: Registry[Term] = Registry("term")
"""The words, by what stands for them in an address."""


def add(name: str, meaning: str, formula: str = "", source: str = "", *also: str) -> None:
    """Put a word into the glossary; the arguments are the attributes of a `Term`."""
    term = Term(name, meaning, formula, source, also)
    TERMS.add(term.key, term)
