"""Leads from the results on judges."""

import numpy as np

from irmeval.core.text import counted, verb
from irmeval.experiments.judges.budget import Budget
from irmeval.experiments.judges.documents import JudgeAgreement
from irmeval.experiments.judges.holes import Holes
from irmeval.experiments.judges.judgments_needed import JudgmentsNeeded
from irmeval.experiments.judges.order_fairness import OrderFairness
from irmeval.experiments.judges.orders import Orders
from irmeval.experiments.judges.simulated import SimulatedJudges
from irmeval.experiments.judges.systems import Systems
from irmeval.experiments.leading import Lead, are, leads


@leads.register
def _(result: JudgeAgreement) -> list[Lead]:
    n = result.n[0].sum(axis=0)
    apart = int(n.sum() - np.trace(n))
    said = f"They grade {counted(apart, 'document')} differently" if apart else "They grade all documents alike"
    return [
        Lead(f"{said}: do they order runs alike?", "systems"),
        Lead("What about documents that only one has judged?", "holes"),
        Lead("Which document should be judged next?", "budget"),
    ]


@leads.register
def _(result: Systems) -> list[Lead]:
    d, (a, b) = result.decisions[0], result.judges[:2]
    changed = d.first_only + d.second_only + d.opposed
    run = int(np.argmax(np.abs(result.places[0, 0] - result.places[1, 0])))
    moved = int(abs(result.places[0, 0, run] - result.places[1, 0, run]))
    told = f"{counted(changed, 'pair')} {verb(changed, 'is', 'are')} decided differently by {a} and {b} ({result.params.tested_by})"
    alike = f"{a} and {b} decide every pair alike ({result.params.tested_by}): do they agree on documents?"
    found = [Lead(f"{told}: on which documents do they disagree?" if changed else alike, "documents")]
    if moved:
        found.append(Lead(f"{result.runs[run]} moves most ({counted(moved, 'place')})", "check", {"candidate": result.runs[run]}))
    return [*found, Lead(f"Can {b} fill in what {a} has not judged?", "holes")]


@leads.register
def _(result: Holes) -> list[Lead]:
    left = result.unjudged - result.covered
    found = [Lead(f"Does {result.other} agree with {result.panel.judges.names[0]}?", "documents")]
    if left:
        found.insert(0, Lead(f"{are(left, 'document')} still unjudged: which first?", "budget"))
    return [*found, Lead(f"Which runs does {result.other} favour?", "systems")]


@leads.register
def _(result: Budget) -> list[Lead]:
    found = [
        Lead(f"{are(len(result.values), 'document')} unjudged: in which runs?", "unjudged"),
        Lead(f"Could a different judge fill {verb(len(result.values), 'it', 'them')} in?", "holes"),
        Lead("In which order would most have been found?", "orders"),
    ]
    if result.pair:
        pair = {"run_a": result.pair.a, "run_b": result.pair.b}
        found.insert(0, Lead(f"{result.pair.a} and {result.pair.b} as they are now", "two", pair))
    return found


@leads.register
def _(result: Orders) -> list[Lead]:
    best = result.orders[int(result.share[:, 0].mean(axis=-1).argmax())]
    found = [Lead(f"Do runs still differ significantly on what {best} judges first?", "decisions", {"method": best})]
    return [*found, Lead("Which documents should be judged now?", "budget")]


@leads.register
def _(result: OrderFairness) -> list[Lead]:
    return [Lead("What does each team find on its own?", "pools", {"kind": "One team left out"})]


@leads.register
def _(result: SimulatedJudges) -> list[Lead]:
    tau = result.tau[0, :, -1].mean(axis=-1)
    falls = np.isfinite(tau).any() and np.nanmin(tau) < 1
    text = f"Tau falls to {np.nanmin(tau):.2f}: which decisions change?" if falls else "Which decisions change?"
    return [Lead(text, "systems"), Lead("Do real judges agree?", "documents")]


@leads.register
def _(result: JudgmentsNeeded) -> list[Lead]:
    return [Lead("What do estimates from samples make of the truth?", "estimates")]
