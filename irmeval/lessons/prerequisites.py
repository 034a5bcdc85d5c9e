"""What a lesson needs: the words that earlier lessons explain, and that it uses.

>>> from irmeval import lessons
>>> from irmeval.lessons.prerequisites import needed
>>> needed([lessons.load(name) for name in lessons.names()[:3]])
[[], ['P', 'run', 'topic'], ['AP', 'run']]
"""

import re
from collections.abc import Iterable, Sequence

from irmeval.lessons.glossary import terms_in
from irmeval.lessons.reading import Lesson


def needed(course: Sequence[Lesson]) -> list[list[str]]:
    """For each lesson, in order, the words that it uses and an earlier one adds."""
    before, found = set[str](), list[list[str]]()
    for lesson in course:
        texts = (lesson.question, *lesson.choices, lesson.look, lesson.punch, lesson.work)
        # only words that were explained: what no lesson adds, nobody can be sent back to
        used = words_in(" ".join(texts), before)
        found.append(sorted((used & before) - {*lesson.adds}, key=str.lower))
        before |= {*lesson.adds}
    return found


def words_in(text: str, others: Iterable[str]) -> set[str]:
    """The terms of the glossary in a text, and those of some other words."""
    return {term.name for term in terms_in(text)} | {
        word for word in others if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    }
