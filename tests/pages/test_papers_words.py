"""The sentence on a paper's findings: none, one and several hold."""

import pytest

from irmeval.papers.findings import AS_PUBLISHED, DIRECTION, DOES_NOT, HOLDS, UNDECIDED, UNLIKE
from irmeval.ui.pages.paper import tell_verdicts


@pytest.mark.parametrize(
    ("verdicts", "of", "said"),
    [
        ([HOLDS], 1, "Of 1 finding, 1 holds."),
        ([HOLDS, HOLDS, DOES_NOT], 3, "Of 3 findings, 2 hold and 1 does not hold."),
        (
            [HOLDS, DOES_NOT, DOES_NOT, UNDECIDED],
            4,
            "Of 4 findings, 1 holds, 2 do not hold and 1 is undecided.",
        ),
        ([HOLDS, UNDECIDED], 93, "1 holds and 1 is undecided."),
        ([HOLDS, DIRECTION, DIRECTION], 93, "1 holds and 2 lean the paper's way."),
        ([AS_PUBLISHED, UNLIKE], 93, "1 is as in the paper and 1 is not as in the paper."),
    ],
)
def test_verdicts_when_counted_then_verbs_agree_and_the_total_is_said_once_all_are_told(
    verdicts, of, said
):
    assert tell_verdicts(verdicts, of) == said
