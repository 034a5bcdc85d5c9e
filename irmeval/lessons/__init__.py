"""Lessons: each makes one point, with a question, a figure, numbers that are computed,
a formula and a source; one file of text each.

>>> from irmeval import lessons
>>> lessons.names()[:2]
('pool', 'ap_by_hand')
>>> lesson = lessons.load("ideal_rbp")
>>> lesson.question
'The only relevant document is at rank 1. What is the RBP of this list, with p = 0.95?'
>>> answer = lessons.answer(lesson)
>>> answer.holds, answer.numbers["rbp_1"]
(True, 0.05...)
"""

from irmeval.core import registry
from irmeval.lessons.answers import Answer, answer, answer_of, check_right, sample_collection
from irmeval.lessons.claims import Claim
from irmeval.lessons.reading import (
    FOLDER,
    OTHERS,
    Lesson,
    Number,
    add_folder,
    files,
    load,
    names,
    parse,
)

registry.load("irmeval.lessons", OTHERS, taken=files(), register=add_folder)

__all__ = [
    "FOLDER",
    "Answer",
    "Claim",
    "Lesson",
    "Number",
    "answer",
    "answer_of",
    "check_right",
    "load",
    "names",
    "parse",
    "sample_collection",
]
