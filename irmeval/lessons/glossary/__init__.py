"""The glossary: meaning of every term in pages, captions and help texts.

>>> from irmeval.lessons.glossary import TERMS, terms_in
>>> TERMS["tau-ap"].name
'tau AP'
>>> [term.name for term in terms_in("Tau AP and the pool depth of condensed lists")]
['pool depth', 'condensed list', 'tau AP']
"""

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from irmeval.core.params import fields
from irmeval.core.registry import Registry
from irmeval.core.text import slug
from irmeval.experiments.base import Experiment
from irmeval.metrics import METRICS


@dataclass(frozen=True)
class Term:
    """A term with its meaning."""

    key: str
    """in a URL: ``tau-ap``"""
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


TERMS: Registry[Term] = Registry("term")
"""The terms of ``terms.toml`` by their keys, in the order of that file."""

for _name, _entry in tomllib.loads(
    (Path(__file__).parent / "terms.toml").read_text(encoding="utf-8")
).items():
    if "metric" in _entry:
        _entry = {
            part: getattr(METRICS[_entry["metric"]], part)
            for part in ("meaning", "formula", "source")
        }
    _term = Term(slug(_name), _name, **_entry | {"also": tuple(_entry.get("also", ()))})
    TERMS.add(_term.key, _term)


def terms_in(text: str) -> list[Term]:
    """The terms in a text, in the glossary's order. A part of a longer term does not
    count: "tau AP" does not contain "tau". Abbreviations, such as AP, must have the
    same capital letters; the first letter of a sentence may be one.
    """
    forms, pattern = _forms()

    def key_of(match: str) -> str | None:
        # as written first: AP is a term, and ap is none
        ways = (match, match.lower(), match[0].lower() + match[1:])
        return next(filter(None, map(forms.get, ways)), None)

    keys = {*map(key_of, pattern.findall(text))}
    return [term for key, term in TERMS.items() if key in keys]


def terms_of(experiment: Experiment[Any, Any]) -> list[Term]:
    """The terms in the record of an experiment, the help of its parameters, and the
    sentences and captions of its result.
    """
    record = [experiment.title, experiment.question, experiment.meaning]
    if experiment.measured:
        record.append("measure, prime")
    helps = [
        f"{field.param.label} {field.param.help}" for field in fields(experiment.params).values()
    ]
    # captions and sentences are literals of the module, so none can be forgotten
    source = Path(inspect.getfile(sys.modules[experiment.run.__module__]))
    return terms_in("\n".join([*record, *helps, *texts_in(source)]))


def find(text: str) -> list[Term]:
    """The terms whose name, meaning or source contains every word of a text."""
    words = text.lower().split()
    return [term for term in TERMS.values() if _has_all(term, words)]


def _has_all(term: Term, words: Sequence[str]) -> bool:
    """Whether every word, in lower case, is in a term."""
    told = " ".join((term.name, *term.also, term.meaning, term.source)).lower()
    return all(word in told for word in words)


@cache
def texts_in(script: Path) -> tuple[str, ...]:
    """The string literals of a script, without docstrings of functions and classes."""
    nodes = [*ast.walk(ast.parse(script.read_text(encoding="utf-8")))]
    kinds = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
    unsaid = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, kinds) and isinstance(node.body[0], ast.Expr)
    }
    return tuple(
        n.value
        for n in nodes
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in unsaid
    )


def _spelled(form: str) -> str:
    """A form of a term in lower case; an abbreviation or a letter as it is."""
    is_abbreviation = len(form) == 1 or form[1:] != form[1:].lower()
    if is_abbreviation:
        return form
    return form.lower()


@cache
def _forms() -> tuple[dict[str, str], re.Pattern[str]]:
    """Form of a term, in lower case unless it is an abbreviation -> its key; and a
    pattern of all forms, the longest first.
    """
    forms: dict[str, str] = {}
    for key, term in TERMS.items():
        for form in map(_spelled, (term.name, *term.also)):
            forms |= {form: key, f"{form}s": key}
    # so that "tau AP" is found before "tau"
    longest_first = sorted(forms, key=len, reverse=True)
    return forms, re.compile(
        rf"(?<![\w'-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE
    )
