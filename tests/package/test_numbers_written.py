"""Numbers in texts of lessons, exercises, the glossary, papers and correlations are
written as pages write those that they compute: with the leading zero.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from irmeval import lessons
from irmeval.lessons import exercises
from irmeval.lessons.glossary import TERMS
from irmeval.papers import PAPERS
from irmeval.stats.correlation import CORRELATIONS
from irmeval.ui.pages.bench import EXAMPLES

WITHOUT_ZERO = re.compile(r"(?<![\w)}\]:%])\.\d")
FORM = re.compile(r"[|+#,]*\.\d[fg%]\|?")
"""A format such as ``.2f``, which nobody reads."""

TEXTS: dict[str, Callable[[], Any]] = {
    "lessons": lambda: [lessons.load(name) for name in lessons.names()],
    "exercises": lambda: [exercises.load(name) for name in exercises.names()],
    "glossary": lambda: TERMS.values(),
    "papers": lambda: PAPERS.values(),
    "correlations": lambda: CORRELATIONS.values(),
    "examples of the lab": lambda: EXAMPLES.values(),
}


def texts_in(value: Any) -> Iterator[str]:
    """All texts in records, mappings and sequences of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from texts_in([*value, *value.values()])
    elif is_dataclass(value):
        yield from texts_in([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, list | tuple | type({}.values())):
        for item in value:
            yield from texts_in(item)


@pytest.mark.parametrize("of", TEXTS)
def test_texts_when_they_have_numbers_then_each_has_its_leading_zero(of):
    texts = [*texts_in(list(TEXTS[of]()))]
    assert any(re.search(r"0\.\d", text) for text in texts)
    assert [text for text in texts if WITHOUT_ZERO.search(text) and not FORM.fullmatch(text)] == []
