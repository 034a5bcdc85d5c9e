"""Answers to lessons: votes for each choice, and the score over all lessons.

>>> describe([12, 5, 0])
'Votes: A 12, B 5, C 0.'
>>> score({"ideal_rbp": [12, 5, 0]}, {"ideal_rbp": 1}, 11)
'Score: 1 of 1 lesson right by most votes; 71% of 17 votes right. 10 lessons to go.'
"""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from irmeval.core.text import count_noun


def winner(votes: Sequence[int]) -> int:
    """Choice with the most votes, from 1; 0 for a tie."""
    most = max(votes, default=0)
    return votes.index(most) + 1 if votes.count(most) == 1 else 0


def is_right(votes: Sequence[int], right: int) -> bool:
    """Whether most votes are for the right choice; a tie, and a question without a
    right choice (0), are not.
    """
    return right > 0 and winner(votes) == right


def describe(votes: Sequence[int], when: str = "Votes") -> str:
    """A sentence on the votes for each choice, or on the only vote; empty without
    votes.
    """
    if sum(votes) == 1 and when == "Votes":
        return f"Your answer: {ascii_uppercase[winner(votes) - 1]}."
    return (
        f"{when}: {', '.join(f'{ascii_uppercase[i]} {n:,}' for i, n in enumerate(votes))}."
        if sum(votes)
        else ""
    )


def score(votes: Mapping[str, Sequence[int]], right: Mapping[str, int], lessons: int) -> str:
    """Sentences on the number of correct lessons; empty if none was answered.

    Parameters
    ----------
    votes : lesson -> votes for each choice
    right : lesson -> right choice, from 1; 0 if there is none, so that nobody could be
        right, and it does not count. Lessons whose answer is not known yet are missing.
    lessons : how many there are
    """
    voted = [name for name in right if sum(votes.get(name, ()))]
    answered = [name for name in voted if right[name]]
    if not answered:
        return ""
    correct = sum(is_right(votes[name], right[name]) for name in answered)
    text = f"Score: {correct} of {count_noun(len(answered), 'lesson')} right"
    if (total := sum(sum(votes[name]) for name in answered)) > len(answered):
        hits = sum(votes[name][right[name] - 1] for name in answered)
        text += f" by most votes; {hits / total:.0%} of {count_noun(total, 'vote')} right"
    left = lessons - len(voted)
    return (
        f"{text}. {count_noun(left, 'lesson')} to go."
        if left > 0
        else f"{text}. That was the last lesson."
    )
