"""Leads from each result: what else was found in it, in words made from its numbers, and the page that shows more."""

from itertools import pairwise

import numpy as np

import irmeval.experiments.leads_of_judges  # noqa: F401  registers the leads of judges
from irmeval.core.text import counted, percent, some_of, verb
from irmeval.experiments.agreement.binary_tertiary import BinaryTertiary
from irmeval.experiments.agreement.gains import GainMaps
from irmeval.experiments.agreement.measures import Agreement
from irmeval.experiments.agreement.rankings import Rankings
from irmeval.experiments.data.contents import Contents
from irmeval.experiments.incompleteness.curves import Incompleteness
from irmeval.experiments.incompleteness.decisions import ReducedDecisions
from irmeval.experiments.incompleteness.estimates import Estimated
from irmeval.experiments.incompleteness.fewer_topics import FewerTopics
from irmeval.experiments.incompleteness.leave_one_out import LeaveOneOut
from irmeval.experiments.incompleteness.pools import Pools
from irmeval.experiments.incompleteness.unjudged import Unjudged
from irmeval.experiments.leading import Lead, are, keeps, leads, worst_of
from irmeval.experiments.learn.parameters import Parameters
from irmeval.experiments.reliability.pair_orderings import Orderings
from irmeval.experiments.reliability.scorecard import Scorecard
from irmeval.experiments.reliability.stability import MinorityRates
from irmeval.experiments.reliability.swap import SwapRates
from irmeval.experiments.scores.leaderboard import LEVELS, Leaderboard
from irmeval.experiments.scores.reproduction import Reproduction
from irmeval.experiments.scores.sign import Signs
from irmeval.experiments.scores.topics import TopicScores
from irmeval.experiments.significance.anova import Variance
from irmeval.experiments.significance.every_pair import Significance
from irmeval.experiments.significance.size import Size

__all__ = ["Lead", "leads"]


@leads.register
def _(result: Contents) -> list[Lead]:
    n = len(result.collection.runs)
    if not n:
        return [Lead("Judgments alone: do judges agree?", "documents"), Lead("Is a run sound? Check it before it is added", "check")]
    return [
        Lead(f"Which of {n:,} runs is best?" if n > 1 else "How good is the run?", "leaderboard"),
        Lead("What if judgments disappear?", "curves"),
        Lead("Are the runs sound?" if n > 1 else "Is the run sound?", "check"),
    ]


@leads.register
def _(result: Leaderboard) -> list[Lead]:
    first, baseline, runs = result.measures[0], result.baseline, result.scores.runs
    p = result.p[0]
    if len(runs) == 1:
        return [Lead("How much of the run is unjudged?", "unjudged"), Lead("What does it score on fewer judgments?", "curves")]
    alike = [runs[r] for r in result.order() if p[r] >= LEVELS[0]]
    others = [runs[r] for r in result.order() if runs[r] != baseline]
    found = []
    if alike:
        pair = {"measure": first, "run_a": baseline, "run_b": alike[0]}
        found.append(Lead(f"{are(len(alike), 'run')} not significantly different from {baseline} ({result.method})", "matrix", pair))
    elif others and np.isfinite(p).any():
        pair = {"run_a": baseline, "run_b": others[0]}
        rest = "every other run" if len(others) > 1 else others[0]
        found.append(Lead(f"{baseline} differs significantly from {rest} ({result.method})", "two", pair))
    best = {m: runs[result.order(m)[0]] for m in result.measures}
    if other := next((m for m in result.measures if best[m] != best[first]), None):
        found.append(Lead(f"{first} and {other} put different runs first", "rankings", {"sorted_by": first, "against": other}))
    elif len(best) > 1:
        found.append(Lead(f"Every measure puts {best[first]} first: do they agree further down?", "metrics"))
    return [*found, Lead(f"Does {best[first]} stay first on fewer judgments?", "curves")]


@leads.register
def _(result: Signs) -> list[Lead]:
    left = int((result.sure[0] < result.params.sure).sum())
    if not left:
        every, which = ("Every sign", "which differences are") if result.sure.shape[1] > 1 else ("The sign", "is the difference")
        return [Lead(f"{every} is sure by {result.measures[0]}: {which} significant?", "matrix")]
    said = f"{counted(left, 'sign')} {verb(left, 'is', 'are')} not sure by {result.measures[0]}: what should be judged next?"
    return [Lead(said, "budget", {"budget_by": "sign"})]


@leads.register
def _(result: Estimated) -> list[Lead]:
    lowest, tau = result.params.rates[-1], result.tau[:, -1].mean(axis=-1)
    kept = f"Kendall's tau is {tau[0]:.2f} by {result.measures[0]} on {lowest:g}% of the judgments: see its curve"
    found = [Lead(kept, "curves")] if np.isfinite(tau[0]) else []
    return [*found, Lead("Which documents should be judged next?", "budget")]


@leads.register
def _(result: Size) -> list[Lead]:
    return [
        Lead(f"Which pairs of runs differ significantly on the {counted(max(result.topics), 'topic')} here?", "power"),
        Lead("What if the pool had been shallower?", "pools"),
    ]


@leads.register
def _(result: Reproduction) -> list[Lead]:
    original, reproduced = result.pairs[0]
    pair = {"run_a": original, "run_b": reproduced}
    return [
        Lead(f"On which topics do {original} and {reproduced} differ?", "two", pair),
        Lead(f"Is {reproduced} sound?", "check", {"candidate": reproduced}),
    ]


@leads.register
def _(result: TopicScores) -> list[Lead]:
    name = result.scores.names[0]
    return [Lead(f"Would other topics say the same by {name}?", "stability"), Lead("Which runs differ?", "matrix", {"measure": name})]


@leads.register
def _(result: Incompleteness) -> list[Lead]:
    rate, tau, n = result.params.rates[-1], result.tau[:, -1].mean(axis=-1), len(result.measures)
    if len(result.runs) < 2:
        return [Lead("What if the pool had been shallower?", "pools"), Lead("How much of the run is unjudged?", "unjudged")]
    if not np.isfinite(tau).any() or rate == 100:
        return [Lead("Which runs differ on all judgments?", "matrix"), Lead("What if the pool had been shallower?", "pools")]
    sound = f"Which of {n} measures is" if n > 1 else f"Is {result.measures[0]}"
    return [
        Lead(f"{keeps(result.measures, tau, result.correlation)}: which differences are still significant?", "decisions"),
        Lead("Judgments are rarely missing at random: what about a shallower pool?", "pools"),
        Lead(f"{sound} sound by other criteria too?", "scorecard"),
    ]


@leads.register
def _(result: ReducedDecisions) -> list[Lead]:
    rate, before, after = result.params.rates[-1], result.full.sum(axis=-1), result.reduced[:, -1].sum(axis=-1).mean(axis=-1)
    worst, how = int(np.argmax(before - after)), result.params.tested_by
    name, lost, all_found = result.measures[worst], round(float(before[worst] - after[worst])), int(before[worst])
    some = f"{lost:,} fewer significant {verb(lost, 'difference', 'differences')}" if lost > 0 else "no fewer significant differences"
    fewer = f"{name} finds {some} at {rate:g}% ({how}): how large must a difference be?"
    which = f"{name} finds {counted(all_found, 'significant difference')} on all judgments ({how}): which?"
    none = f"{name} finds no significant difference on all judgments ({how}): how large must one be?"
    return [
        *([Lead(fewer, "power"), Lead(which, "matrix", {"measure": name})] if all_found else [Lead(none, "power")]),
        Lead("Does a different judge reach the same decisions?", "systems"),
    ]


@leads.register
def _(result: Pools) -> list[Lead]:
    relevant = float(result.left[1, -1].mean())
    tau = result.tau[:, -1].mean(axis=-1)
    gone = f"{percent(1 - relevant)} of" if relevant > 0 else "All"
    lost = f"{gone} the relevant documents are gone" if relevant < 1 else "No relevant document is gone"
    found = [Lead(f"{lost}: what is unjudged?", "unjudged")]
    if len(result.runs) < 2:
        return [*found, Lead("What if judgments were missing at random?", "curves")]
    kept = keeps(result.measures, tau, "tau") if np.isfinite(tau).any() else "All runs tie"
    return [
        *found,
        Lead(f"{kept}: does the same happen with random samples?", "curves"),
        Lead("Do the same runs still differ significantly?", "decisions"),
    ]


@leads.register
def _(result: LeaveOneOut) -> list[Lead]:
    lost = np.where(np.isfinite(result.lost[0]), result.lost[0], -np.inf)
    run, most = result.runs[int(lost.argmax())], float(lost.max())
    told = f"{f'{run} loses most' if len(result.runs) > 1 else f'{run} would lose'} ({most:.1%})"
    found = [Lead(f"{told}: can it be trusted?", "check", {"candidate": run})] if 0 < most < np.inf else []
    return [*found, Lead(f"How much of {'each' if len(result.runs) > 1 else 'the'} run is unjudged?", "unjudged")]


@leads.register
def _(result: FewerTopics) -> list[Lead]:
    if not result.pairs:
        return []
    most, how = float(result.power[0].mean(axis=-1)[0, -1]), result.params.tested_by
    least = f"at most {percent(most)} of the pairs" if most else "no pair"
    found = [Lead(f"{result.measures[0]} finds {least} significantly different ({how}): how large must a difference be?", "power")]
    return [*found, Lead("Are they the same pairs?", "decisions")] if most else found


@leads.register
def _(result: Unjudged) -> list[Lead]:
    top = result.counts[3]
    least = int(top.argmin())
    if top.mean() == 1:
        found = [Lead("Every top 10 is judged: what if the pool had been shallower?", "pools")]
    else:
        found = [Lead(f"{percent(1 - top.mean())} of the top 10 is unjudged: can a different judge fill it in?", "holes")]
    if top[least] < 1:
        run, alone = result.runs[least], len(result.runs) == 1
        told = f"{run} has the fewest judged documents in its top 10 ({percent(top[least])}): is it sound?"
        found.append(Lead(f"Is {run} sound?" if alone or top[least] == top.max() else told, "check", {"candidate": run}))
    if n := len(result.to_judge):
        found.append(Lead(f"{counted(n, 'unjudged document')} near the top: which first?", "budget"))
    return found


@leads.register
def _(result: Significance) -> list[Lead]:
    name, order = result.names[0], result.order(result.names[0])
    undecided = ~result.significant[0]
    pair = next(((a, b) for a, b in pairwise(order) if undecided[result.square[a, b]]), (order[0], order[1]))
    a, b = (result.runs[r] for r in pair)
    settings = {"run_a": a, "run_b": b}
    n, pairs, how = int(undecided.sum()), undecided.size, result.params.tested_by
    told = (
        f"By {name} {'every pair differs' if pairs > 1 else 'the two runs differ'} significantly ({how})"
        if not n
        else f"The two runs do not differ significantly by {name} ({how})"
        if pairs == 1
        else f"No pair differs significantly by {name} ({how})"
        if n == pairs
        else f"{n:,} of {pairs:,} pairs {verb(n, 'does', 'do')} not differ significantly by {name} ({how})"
    )
    near = (
        f"{a} and {b} do not differ significantly ({how}): by other measures?"
        if n
        else f"{a} and {b} are the two best: by other measures too?"
    )
    weak, least = worst_of(result.names, result.power)
    share = f"{percent(least)} of the pairs" if least else "no pair"
    power = f"{weak} finds {share} significantly different ({how}): how large must a difference be?"
    return [
        Lead(told, "matrix", {"measure": name, **settings}),
        Lead(near, "two", settings),
        Lead(power if pairs > 1 else "How large must a difference be?", "power"),
        Lead("What is left of this on fewer judgments?", "decisions"),
    ]


@leads.register
def _(result: Variance) -> list[Lead]:
    best = result.runs[result.order[0]]
    rivals = [result.runs[r] for r in result.order[1:]]
    alike = len(result.top) - 1
    told = f"{are(alike, 'run')} not significantly different from {best}" if alike else f"{best} differs significantly from all others"
    pair = {"measure": result.names[0], "run_a": best, "run_b": rivals[0]} if rivals else {}
    return [Lead(f"{told} (Tukey's HSD): by a different test too?", "matrix", pair), Lead("Would other topics say the same?", "stability")]


@leads.register
def _(result: MinorityRates) -> list[Lead]:
    names = result.scores.names
    first = result.of_pairs(names[0], result.params.fuzziness[0]).iloc[0]
    a, b, worst = first["run a"], first["run b"], names[result.order[-1]]
    steady = len(names) == 1 or not np.nanmax(result.at_ties, initial=0) > np.nanmin(result.at_ties, initial=1)
    least = "How large must a difference be?" if steady else f"{worst} is the least steady: how large must a difference be?"
    told = f"Sets of topics disagree most about {a} and {b}" if result.scores.pairs > 1 else f"On which topics do {a} and {b} differ?"
    return [Lead(told, "two", {"run_a": a, "run_b": b}), Lead(least, "swap")]


@leads.register
def _(result: SwapRates) -> list[Lead]:
    first = result.of_pairs(result.scores.names[0]).iloc[0]
    pair, rate = {"run_a": first["run a"], "run_b": first["run b"]}, float(first["swap rate"])
    often = f"{'most often' if result.scores.pairs > 1 else 'places'} ({percent(rate)})"
    swapped = [Lead(f"{first['run a']} and {first['run b']} swap {often}", "two", pair)] if rate > 0 else []
    return [*swapped, Lead("Which of these differences does a test find significant?", "power")]


@leads.register
def _(result: Orderings) -> list[Lead]:
    n = result.scores.pairs
    return [Lead(f"Which of {n:,} pairs of runs differ significantly?" if n > 1 else "Do the two runs differ significantly?", "matrix")]


@leads.register
def _(result: Scorecard) -> list[Lead]:
    best, worst = result.measures[result.order[0]], result.measures[result.order[-1]]
    if np.isclose(result.rank[result.order[0]], result.rank[result.order[-1]]):
        return [
            Lead(f"Which run is best by {best}?", "leaderboard", {"in_detail": best}),
            Lead("Who is best by other measures?", "metrics"),
        ]
    criterion = next((column.name for column, row in zip(result.columns, result.best, strict=True) if not row[result.order[0]]), "")
    found = [Lead(f"{best} does best: which run is best by it?", "leaderboard", {"in_detail": best})]
    if criterion:
        found.append(Lead(f"{best} is not first in {criterion}: what happens as judgments disappear?", "curves"))
    if best != worst:
        pair = {"sorted_by": best, "against": worst}
        found.append(Lead(f"{best} does best and {worst} worst: do they order the runs alike?", "rankings", pair))
    return found


@leads.register
def _(result: Agreement) -> list[Lead]:
    between = np.where(np.eye(len(result.measures), dtype=bool), np.nan, result.values)
    if not np.isfinite(between).any():
        return [Lead("Pick more measures: which are there?", "catalogue"), Lead("Who is best?", "leaderboard")]
    a, b = (result.measures[i] for i in np.unravel_index(int(np.nanargmin(between)), between.shape))
    least = " agree least" if np.nanmin(between) < np.nanmax(between) else ""
    told = f"{a} and {b}{least}: which runs do they rank differently?"
    if np.isclose(np.nanmin(between), 1):
        told = f"{some_of(len(between), len(between), 'measure').capitalize()} order the runs alike: by how much do their scores differ?"
    return [
        Lead(told, "rankings", {"sorted_by": a, "against": b}),
        Lead(f"Which of {counted(len(result.measures), 'measure')} is the most robust?", "scorecard"),
    ]


@leads.register
def _(result: Rankings) -> list[Lead]:
    x, y = (result.measures[m] for m in (result.by, result.against))
    found = []
    if len(result.farthest):
        run, best = int(result.farthest[0]), int(result.order[0])
        rival, name = int(result.order[1]) if run == best and len(result.order) > 1 else best, result.scores.runs[run]
        pair = {"run_a": name, "run_b": result.scores.runs[rival], "measure": y}
        up = "up" if result.jumps[run] > 0 else "down"
        found.append(Lead(f"{name} moves {counted(abs(int(result.jumps[run])), 'place')} {up} by {y}: on which topics?", "two", pair))
        found.append(Lead(f"Is {name} sound?", "check", {"candidate": name}))
    else:
        found.append(Lead(f"No run changes its place by {y}" if x != y else f"Do other measures agree with {x}?", "metrics"))
    return [*found, Lead("Are the differences significant?", "matrix", {"measure": x})]


@leads.register
def _(result: GainMaps) -> list[Lead]:
    if result.top < 2 or not np.isfinite(result.tau).any():
        return [Lead("Do the measures agree?", "metrics"), Lead("What does a parameter change?", "parameters")]
    m, g = np.unravel_index(int(np.nanargmin(result.tau)), result.tau.shape)
    name, tau = result.measures[m], float(result.tau[m, g])
    most = f"{name} depends most on gains (tau {tau:.2f}): on other parameters too?"
    return [
        Lead("Does any other parameter change the order?" if np.isclose(tau, 1) else most, "parameters"),
        Lead("Do measures differ more than that?", "metrics"),
        Lead(f"How large must a difference in {name} be?", "swap"),
    ]


@leads.register
def _(result: BinaryTertiary) -> list[Lead]:
    return [Lead("Which measures keep their order as judgments disappear?", "curves")]


@leads.register
def _(result: Parameters) -> list[Lead]:
    name, least = worst_of(result.measures, np.nan_to_num(result.tau, nan=1.0).min(axis=1))
    how = "depends on it most" if len(result.measures) > 1 else "depends on it"
    differ = f"{name} {how} (tau {least:.2f}): do measures differ as much from each other?"
    return [
        Lead("Do measures differ from each other?" if np.isclose(least, 1) else differ, "metrics"),
        Lead(f"What does {name} do, rank by rank?", "lab"),
    ]
