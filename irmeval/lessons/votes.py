"""Answers to lessons: votes for each choice, and the score over all lessons.

>>> describe([12, 5, 0])
'Votes: A 12, B 5, C 0.'
>>> score({"ideal_rbp": [12, 5, 0]}, {"ideal_rbp": 1}, 11)
'Score: 1 of 1 lesson right by most votes; 71% of 17 votes right. 10 lessons to go.'
"""

from collections.abc import Mapping, Sequence
from itertools import starmap
from string import ascii_uppercase

from irmeval.core.text import count_noun


def winner(votes: Sequence[int]) -> int:
    """Choice with the most votes, from 1; 0 for a tie."""
    most = max(votes, default=0)
    if votes.count(most) != 1:
        return 0
    return votes.index(most) + 1


def is_right(votes: Sequence[int], right: int) -> bool:
    """Whether most votes are for the right choice; a tie, and a question without a
    right choice (0), are not.
    """
    return right > 0 and winner(votes) == right


def describe(votes: Sequence[int], when: str = "Votes") -> str:
    """A sentence on the votes for each choice, or on the only vote; empty without
    votes.
    """
    if not any(votes):
        return ""
    if sum(votes) == 1 and when == "Votes":
        return f"Your answer: {ascii_uppercase[winner(votes) - 1]}."
    counts = map("{} {:,}".format, ascii_uppercase, votes)
    return f"{when}: {', '.join(counts)}."


def score(votes: Mapping[str, Sequence[int]], right: Mapping[str, int], lessons: int) -> str:
    """Sentences on the number of correct lessons; empty if none was answered.

    Parameters
    ----------
    votes : lesson -> votes for each choice
    right : lesson -> right choice, from 1; 0 if there is none, so that nobody could be
        right, and it does not count. Lessons whose answer is not known yet are missing.
    lessons : how many there are
    """
    voted = {name: votes[name] for name in right.keys() & votes.keys() if sum(votes[name])}
    answered = [(of_lesson, right[name]) for name, of_lesson in voted.items() if right[name]]
    if not answered:
        return ""
    correct = sum(starmap(is_right, answered))
    text = f"Score: {correct} of {count_noun(len(answered), 'lesson')} right"
    total = sum(sum(of_lesson) for of_lesson, _ in answered)
    # of one vote each, the share of votes is that of lessons
    if total > len(answered):
        hits = sum(of_lesson[choice - 1] for of_lesson, choice in answered)
        text += f" by most votes; {hits / total:.0%} of {count_noun(total, 'vote')} right"
    left = lessons - len(voted)
    if left <= 0:
        return f"{text}. That was the last lesson."
    return f"{text}. {count_noun(left, 'lesson')} to go."
