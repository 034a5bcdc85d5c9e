"""Where judgments are simulated, every headline says so first, and every next step that
names the judge.
"""

import re

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import OTHERS
from tests.small_work import MEASURES, every, small, tied

SAID = "noisy is a simulated judge. "
JUDGE = "simulated:noisy,0.3,1"


def results_with_noisy(experiment):
    """The result where the second judge is simulated; None for an experiment that takes
    no other judge.
    """
    c = tied(12, 6).with_judgments("noisy", JUDGE)
    params = small(experiment)
    if experiment.judged:
        return experiment(c.panel.judges, None, params)
    by = {name: "noisy" for name in ("driver", "cheap") if hasattr(params, name)}
    return experiment(c, MEASURES[:1], params, **by) if by or OTHERS in experiment.takes else None


@every
def test_headline_when_the_other_judge_is_simulated_then_says_so_first_and_next_steps_too(
    experiment,
):
    if experiment.name == "curves":
        found = experiment(tied(12, 6), MEASURES[:1], of="care", trials=1)
        assert found.headline().startswith("By simulated judges wrong ")
    elif result := results_with_noisy(experiment):
        assert "noisy (simulated)" in result.verdict().claim or result.headline().startswith(SAID)
        for step in result.next_steps():
            assert not re.search(r"(?<!simulated judge )noisy", step.question)


def test_note_when_a_simulated_judge_evaluates_then_says_so_of_every_result():
    c = tied(12, 6).with_judgments("noisy", JUDGE).judged_by("noisy")
    for name in ("leaderboard", "matrix", "curves"):
        assert EXPERIMENTS[name](c, MEASURES[:1], small(EXPERIMENTS[name])).note.startswith(
            SAID.strip()
        )
    assert irmeval.evaluate(c, ["AP"]).note == SAID.strip()
    assert irmeval.evaluate(tied(12, 6).with_judgments("noisy", JUDGE), ["AP"]).note == ""
