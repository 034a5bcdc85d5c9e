"""What sentences and next steps claim to be most, least, up, down, kept or lost, held
against the tables of the same result.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from irmeval.experiments.results import table_named
from tests.small_work import sentences_of

Found = re.Match[str]
ALPHA = 0.05
PLACES = "first", "second", "third", "fourth", "fifth"


class Claim(NamedTuple):
    """A pattern of a sentence of an experiment, and whether it is so."""

    experiment: str
    pattern: str
    holds: Callable[[Any, Found], bool]


def of(result: Any, name: str) -> pd.DataFrame:
    """A table of a result."""
    return table_named(result, name).make()


def number(text: str) -> float:
    """A number of a sentence, a share from its per cent."""
    value = float(text.rstrip("%").replace(",", ""))
    return value / 100 if text.endswith("%") else value


def near(text: str, value: float) -> bool:
    """Whether a number of a sentence is a value, rounded."""
    digits = len(text.rstrip("%").partition(".")[2]) + 2 * text.endswith("%")
    return abs(number(text) - value) <= 0.5000001 * 10.0**-digits


def by_rank(means: pd.Series) -> pd.Series:
    """Ranks by means, the highest first."""
    return (-means.round(12)).rank(method="min")


def moves(result: Any, found: Found) -> bool:
    """*Rankings*: from which rank to which a run moves, and that none moves farther."""
    ranks = of(result, "ranks").set_index("run")
    before, after = (ranks[found[part]] for part in ("a", "b"))
    run, moved = found["run"], (before - after).abs()
    told = number(found["from"]), number(found["to"])
    climbs = found["way"] == "climbs"
    return bool(
        told == (before[run], after[run])
        and climbs == (told[0] > told[1])
        and moved[run] == moved.max()
    )


def most_places(result: Any, found: Found) -> bool:
    """*Rankings*: how many places the runs move that move most."""
    ranks = of(result, "ranks").set_index("run")
    return number(found["n"]) == (ranks[found["a"]] - ranks[found["b"]]).abs().max()


def agree_most(result: Any, found: Found) -> bool:
    """*Agreement*: the two measures that agree most, and how well."""
    values = of(result, "list").iloc[:, 2]
    return near(found["t"], values.max())


def gains_keep(result: Any, found: Found) -> bool:
    """*Gains*: tau by the measure under the two maps, on fewer judgments."""
    kept = of(result, "kept").query("measure == @found['m']").groupby("gains")["tau"].mean()
    first, other = kept[found["a"]], kept[found["b"]]
    better = first > other or found["how"] == "about as well"
    return near(found["x"], first) and near(found["y"], other) and bool(better)


def contradicted(result: Any, found: Found) -> bool:
    """*Stability*: the least and the highest minority rate."""
    rates = of(result, "measures").set_index("measure")["minority rate at 10% ties"].dropna()
    name, value = found["m"], found["n"]
    return near(value, rates[name]) and rates[name] == rates.min()


def needs(result: Any, found: Found) -> bool:
    """*Swap*: the smallest required difference."""
    needed = of(result, "measures").set_index("measure")["required difference"].dropna()
    return near(found["n"], needed.min()) and needed[found["m"]] == needed.min()


def most_robust(result: Any, found: Found) -> bool:
    """*Scorecard*: the measure with the best mean rank, and the number of measures."""
    ranks = of(result, "scorecard").set_index("measure")["mean rank"]
    return ranks[found["m"]] == ranks.min() and number(found["n"]) == len(ranks)


def least_alike(result: Any, found: Found) -> bool:
    """*Pair orderings*: the lowest tau by the first measure, and the answer."""
    table = of(result, "orderings").query("measure == @found['m']")
    yes = found["answer"] == "Yes"
    return near(found["t"], table["tau"].min()) and yes == (table["tau"].min() > 0.9)


def explains(result: Any, found: Found) -> bool:
    """*Variance*: shares of runs and topics."""
    table = of(result, "variance").query("measure == @found['m']").set_index("factor")
    shares = table["share of variance"]
    return near(found["r"], shares["runs"]) and near(found["t"], shares["topics"])


def takes(result: Any, found: Found) -> bool:
    """*Topics needed*: the fewest topics at the smallest difference."""
    table = of(result, "summary")
    table = table[table["difference"] == table["difference"].min()].set_index("measure")
    needed = table["t test"].dropna()
    return number(found["n"]) == needed.min() == needed[found["m"]]


def top_unjudged(result: Any, found: Found) -> bool:
    """*Unjudged*: the share of the top 10, over runs."""
    judged = of(result, "runs").set_index("run")["judged@10"].drop("mean of all runs")
    return near(found["n"], 1 - judged.mean())


def fewest_judged(result: Any, found: Found) -> bool:
    """*Unjudged*: the run with the fewest judged documents."""
    judged = of(result, "runs").set_index("run")["judged@10"].drop("mean of all runs")
    return near(found["n"], 1 - judged[found["run"]]) and judged[found["run"]] == judged.min()


def moved_by_parameter(result: Any, found: Found) -> bool:
    """*Parameters*: how many runs move at a value, and tau there."""
    runs = of(result, f"runs-{found['m']}")
    table = of(result, "values").query("measure == @found['m']")
    tau = table.set_index(table.columns[1])["tau"][found["v"]]
    return number(found["n"]) == (runs["places up"] != 0).sum() and near(found["t"], tau)


def least_tau(result: Any, found: Found) -> bool:
    """*Parameters*: the measure whose order changes most."""
    least = of(result, "values").groupby("measure")["tau"].min().fillna(1)  # all runs tie
    return bool(least[found["m"]] == least.min()) and near(found["t"], least.min())


def loses(result: Any, found: Found) -> bool:
    """*Order fairness*: the orders that cost runs least and most."""
    lost = of(result, "summary").query("measure == @found['m']")
    lost = lost[lost["budget"] == lost["budget"].iloc[0]].set_index("order")["mean lost"]
    return bool(lost[found["a"]] == lost.min() and lost[found["b"]] == lost.max())


def best_run(result: Any, found: Found) -> bool:
    """*Leaderboard*: the best run, its mean, and how many others are worse at once."""
    board = of(result, "compared")
    best, *others = board.to_dict("records")
    mean = max(board[found["m"]])
    worse = sum(row["mark"] == "▼▼" for row in others)
    return (
        best["run"] == found["a"] == result.baseline
        and near(found["mean"], mean)
        and len(found["a"].split()) == 1
        and worse == counted(found["n"], len(others))
    )


def counted(text: str, of_all: int) -> int:
    """A number of runs or pairs in words: ``all 3``, ``none of 5``, ``2 of 5``."""
    first = text.split()[0]
    words = {"all": of_all, "both": of_all, "the": of_all, "none": 0, "no": 0, "neither": 0}
    return words[first] if first in words else int(number(first))


def tied_runs(result: Any, found: Found) -> bool:
    """*Leaderboard*: how many runs share the highest mean."""
    means = of(result, "compared")[found["m"]].round(12)
    said = counted(found["n"].lower(), len(means))
    return said == (means == means.max()).sum() and near(found["mean"], means.max())


def pair_means(result: Any, found: Found) -> bool:
    """*Two runs*: the better run, both means, and p of the pair."""
    row = of(result, "measures").set_index("measure").loc[found["m"]]
    high, low = row[f"mean {found['a']}"], row[f"mean {found['b']}"]
    return (
        high > low
        and near(found["high"], high)
        and near(found["low"], low)
        and is_p(found["p"], row["p alone"])
        and p_value(row["p alone"]) < ALPHA
    )


def p_value(text: str) -> float:
    """A p as text; the bound where it is below one."""
    return float(text.removeprefix("< "))


def is_p(said: str, text: str) -> bool:
    """Whether a p of a sentence, with three digits, is that of a table."""
    if said.startswith("<"):
        return p_value(text) <= p_value(said)
    return near(said, p_value(text))


def pair_alike(result: Any, found: Found) -> bool:
    """*Two runs*: p of a pair that does not differ."""
    row = of(result, "measures").set_index("measure").loc[found["m"]]
    return is_p(found["p"], row["p alone"]) and p_value(row["p alone"]) >= ALPHA


def pairs_that_differ(result: Any, found: Found) -> bool:
    """*Matrix*: pairs that differ, alone and at once."""
    row = of(result, "power").set_index("measure").loc[found["m"]]
    alone, at_once = (counted(found[name], int(row["pairs"])) for name in ("n", "both"))
    return bool(alone == row["told apart"] and at_once == row["at once"])


def most_power(result: Any, found: Found) -> bool:
    """*Power*: the measures that find the most and the fewest differences."""
    power = of(result, "power").set_index("measure")["power"]
    most, fewest = power[found["m"]], power[found["other"]]
    return bool(
        most == power.max()
        and fewest == power.min()
        and near(found["high"], most)
        and near(found["low"], fewest)
    )


def reproduced(result: Any, found: Found) -> bool:
    """*Reproduction*: yes or no, and both means."""
    row = of(result, "measures").query("measure == @found['m']").iloc[0]
    answer = "No" if row["p_value"] < ALPHA else "Yes"
    return (
        found["answer"] == answer
        and near(found["here"], row["mean_reproduced"])
        and near(found["there"], row["mean_original"])
    )


def spread(result: Any, found: Found) -> bool:
    """*Topics*: both deviations of means."""
    topics, runs = (of(result, name)["mean"].std(ddof=0) for name in ("topics", "runs"))
    return near(found["topics"], topics) and near(found["runs"], runs)


def contents(result: Any, found: Found) -> bool:
    """*Collection*: topics, runs and judgments."""
    held = of(result, "counts").set_index("of")["number"]
    kinds = ("topics", "runs", "judged documents")
    return all(
        number(text) == held[kind]
        for text, kind in zip(found.group("t", "r", "j"), kinds, strict=True)
    )


def orders_by_judge(result: Any, found: Found) -> bool:
    """*Audit*: tau of all runs and of the ten best, and the answer."""
    row = of(result, "summary").iloc[0]
    taus = [(found["t"], row["tau, all"])]
    if found["best"]:
        taus.append((found["best"], row["tau, best 10"]))
    answer = found["answer"].lower()
    return answer == row["may rank"] and all(near(*tau) for tau in taus)


def winner(result: Any, found: Found) -> bool:
    """*Audit*: the place by the reference of the run that the judge puts first."""
    runs = of(result, "circularity")
    first = runs[["measure", "judge"]] == runs[["measure", "judge"]].iloc[0]
    shown = runs[first.all(axis=1)].set_index("run")
    judge, reference = (shown[name] for name in ("by the judge", f"by {result.reference}"))
    best = by_rank(judge) == 1
    place = by_rank(reference)[best[best].index].max()
    return bool(place == PLACES.index(found["place"]) + 1)


def alike(result: Any, found: Found) -> bool:
    """*Systems*: tau of the two orders, and pairs decided in opposite directions."""
    measure = found["m"]
    tau = of(result, "summary").set_index("measure")["tau_b"][measure]
    opposed = of(result, "decisions").set_index("measure")["opposed"][measure]
    told = 0 if found["n"] == "no" else number(found["n"])
    return near(found["t"], tau) and told == opposed and (found["answer"] == "Yes") == (tau >= 0.9)


def same_grades(result: Any, found: Found) -> bool:
    """*Judges*: documents that two judges gave the same grade, of all."""
    table = of(result, "grades")
    first = table[
        (table["judge a"] == table["judge a"][0]) & (table["judge b"] == table["judge b"][0])
    ]
    n = first["documents"]
    same = n[first["grade of a"] == first["grade of b"]].sum() / n.sum()
    return near(found["n"], same) and number(found["all"]) == n.sum()


def finds_most(result: Any, found: Found) -> bool:
    """*Orders*: the order that finds most at a budget, and what it finds."""
    table = of(result, "summary")
    at = table[table["budget"] == result.params.budgets[result.spoken_of]]
    at = at.groupby("order")["found"].first()
    name = next(order for order in at.index if order.lower() == found["o"].lower())
    return near(found["n"], at[name]) and at[name] == at.max()


def holes_best(result: Any, found: Found) -> bool:
    """*Holes*: the highest tau at the lowest rate, of the ways of the first measure."""
    table = of(result, "summary")
    last = table.groupby("way", sort=False).last()["tau"]
    # of another measure, unfilled Bpref alone stands beside
    here = [w.name for w in result.ways if w.base == result.ways[0].base or w.name == "Bpref"]
    return near(found["t"], last[here].max())


def lowest_curve(column: str) -> Callable[[Any, Found], bool]:
    """*Curves*: the measure with the lowest value at the last level, and that value."""

    def holds(result: Any, found: Found) -> bool:
        last = of(result, "summary").groupby("measure").last()[column]
        return bool(last[found["m"]] == last.min()) and near(found["v"], last.min())

    return holds


def estimated(result: Any, found: Found) -> bool:
    """*Estimates*: what the estimator gives for the best run, and what is true."""
    rows = of(result, "scores")
    rows = rows[rows["measure"] == found["m"]].set_index("run")
    row, told = rows.loc[found["run"]], ("estimate", "low", "high", "score")
    is_best = row["score"] == rows["score"].max() and row["estimator"] == found["e"]
    return bool(is_best) and all(near(found[name], row[name]) for name in told if found[name])


def lost(result: Any, found: Found) -> bool:
    """*Leave one out*: what runs lose on average, and the one that loses most."""
    row = of(result, "measures").set_index("measure").loc[found["m"]]
    told = near(found["n"], row["mean lost"]) and near(found["most"], row["most lost"])
    return bool(told and row["by"] == found["run"])


def judged_further(result: Any, found: Found) -> bool:
    """*What if*: what a run scores, and would score."""
    rows = of(result, "runs")
    row = rows[(rows["run"] == found["run"]) & (rows["measure"] == found["m"])].iloc[0]
    would = {"v": "bound_low", "high": "bound_high"} if found["high"] else {"v": "holes_mean"}
    told = would | {"raw": "score"}
    return all(near(found[group], row[column]) for group, column in told.items())


def residual_falls(result: Any, found: Found) -> bool:
    """*Judge next*: how far a list of documents lowers the residual."""
    removed, listed = of(result, "list")["value"].sum(), len(of(result, "list"))
    before, after = number(found["before"]), number(found["after"])
    return (
        abs(before - after - removed) < 1.1e-4
        and abs(number(found["share"]) - removed / before) < 0.006
        and counted(found["n"], len(result.values)) == listed
    )


def comes_first(result: Any, found: Found) -> bool:
    """*Judge next*: the document that is to be judged first, and why."""
    first = of(result, "list").iloc[0]
    return (found["d"], found["t"], found["why"]) == tuple(first[["document", "topic", "why"]])


def favours(result: Any, found: Found) -> bool:
    """*Judge next*: the run that each document would favour."""
    why = of(result, "list")["why"]
    told = {found["a"]: found["n"], found["b"]: found["other"]}
    differ = (number(found["p"]) < ALPHA) == (found["how"] == "differ")
    return differ and all(
        counted(n, len(why)) == why.str.endswith(f"for {run}").sum() for run, n in told.items()
    )


def first_by_sign(result: Any, found: Found) -> bool:
    """*Judge next*: the run that is expected to be better, as its pair is told."""
    pair = [(row, sign) for row, sign in ((result.pair.a, 1), (result.pair.b, -1))]
    better = [run for run, sign in pair if sign * result.pair.difference > 0]
    return [found["a"]] == better and {found["a"], found["b"]} == {*result.pair[:2]}


def settles(result: Any, found: Found) -> bool:
    """*Judge next*: the fewest documents that are expected to settle a sign."""
    n = 1 if found["n"] is None else int(number(found["n"]))
    sure = result.open.sure
    return bool(sure[n] >= 1 - ALPHA > sure[:n].max())


def settled_already(result: Any, _: Found) -> bool:
    """*Judge next*: that no document is needed."""
    return bool(result.open.sure[0] >= 1 - ALPHA)


def settled_by_all(result: Any, _: Found) -> bool:
    """*Judge next*: that all documents are needed."""
    return bool((result.open.sure[:-1] < 1 - ALPHA).all() and result.open.sure[-1] >= 1 - ALPHA)


def in_doubt(result: Any, found: Found) -> bool:
    """*Judge next*: how many pairs are in doubt, of all of the runs."""
    runs = len(result.runs)
    left = result.open.pairs - result.open.settled
    of_all = runs * (runs - 1) // 2
    return (counted(found["n"], of_all), int(found["all"])) == (left, of_all)


def spread_evenly(result: Any, found: Found) -> bool:
    """*Judge next*: topics with as many documents as others, or one more or less, where
    a topic has as many.
    """
    by_topic = of(result, "topics")["documents"]
    is_all = len(of(result, "list")) == len(result.values)
    return len(by_topic) == int(found["t"]) and (is_all or np.ptp(by_topic) <= 1)


def disputed(result: Any, found: Found) -> bool:
    """*Judge next*: documents on which other judges disagree, of those that they have
    graded.
    """
    values = of(result, "list")["value"]
    return (counted(found["n"], len(values)), int(found["all"])) == (
        (values > 0).sum(),
        len(values),
    )


def sampled(result: Any, found: Found) -> bool:
    """*How many judgments*: how many to make of how many documents, for which width."""
    strata = of(result, "strata")
    to_judge = strata["to judge"].sum()
    told = number(found["n"]), number(found["all"])
    return (
        told == (to_judge, strata["documents"].sum())
        and to_judge == len(of(result, "list"))
        and float(found["w"]) <= result.params.half_width
    )


def drawn_from(result: Any, found: Found) -> bool:
    """*How many judgments*: the share of each stratum that is drawn."""
    drawn = of(result, "strata").set_index("stratum")["drawn"]
    told = re.findall(r"(\d+%) of stratum (\w+)", found["shares"])
    return [name for _, name in told] == [*drawn.index] and all(
        near(share, drawn[name]) for share, name in told
    )


def ranks_that_change(result: Any, found: Found) -> bool:
    """*Rankings*: how many runs change rank."""
    up = of(result, "ranks").iloc[:, -1]
    return bool(counted(found["n"].lower(), len(up)) == (up != 0).sum())


def moved_farthest(result: Any, found: Found) -> bool:
    """*Parameters*: the run that moves most, how far, in which direction, and to which
    rank.
    """
    runs = of(result, f"runs-{result.measures[result._least[0]]}").set_index("run")
    up = runs["places up"]
    sign = 1 if found["way"] == "up" else -1
    return bool(
        up[found["run"]] == sign * number(found["n"])
        and up.abs().max() == number(found["n"])
        and runs["rank now"][found["run"]] == number(found["to"])
    )


def calm_measures(result: Any, found: Found) -> bool:
    """*Parameters*: the measures by which tau stays above .9."""
    least = of(result, "values").groupby("measure")["tau"].min().dropna()
    return {*re.split(", | and ", found["names"])} == {*least.index[least > 0.9]}


def places_lost(result: Any, found: Found) -> bool:
    """*Order fairness*: the most places that a run loses with each order."""
    table = of(result, "summary")
    first = table[(table["measure"] == str(result.measures[0]))]
    first = first[first["budget"] == first["budget"].iloc[0]].set_index("order")
    told = dict(re.findall(r"(\S+) (\d+)", found["orders"]))
    return told == first["most places lost"].astype(int).astype(str).to_dict()


def lowest_tau(result: Any, found: Found) -> bool:
    """*Agreement*: the lowest tau."""
    return near(found["t"], of(result, "list").iloc[:, 2].min())


def worse_alone(result: Any, found: Found) -> bool:
    """*Leaderboard*: runs that are worse than the best, tested pair by pair."""
    marks = of(result, "compared")["mark"]
    worse = marks.str.contains("▼").sum()
    one = found["be"] == "is"
    return bool(counted(found["n"], len(marks) - 1) == worse and one == (worse <= 1))


def orders_then(result: Any, found: Found) -> bool:
    """*Orders*: the taus of two orders at the budget that is told."""
    table = of(result, "summary").query("measure == @found['m']")
    at = table[table["budget"] == result.params.budgets[result.spoken_of]].set_index("order")["tau"]
    return all(near(found[t], at[found[o]]) for t, o in (("t", "o"), ("u", "q")))


def decided_by_both(result: Any, found: Found) -> bool:
    """*Systems*: pairs that both judges, or one of them, tell apart."""
    row = of(result, "decisions").iloc[0]
    told = {
        who: int(n)
        for n, who in re.findall(
            r"(\d+) (?:differs? )?(in the same direction by both|by \S+ alone)", found["n"]
        )
    }
    in_table = {"in the same direction by both": row["same way by both"]} | {
        column: row[column] for column in row.index if str(column).endswith(" alone")
    }
    return told == {who: n for who, n in in_table.items() if n}


def not_from_the_best(result: Any, found: Found) -> bool:
    """*Variance*: the best run, and how many others do not differ from it."""
    groups = of(result, "groups")
    alike = groups["not different from the best"].astype(bool)
    best = groups["run"].iloc[0]
    return best == found["run"] and counted(found["n"], len(groups)) == alike.sum() - 1


def halves(result: Any, found: Found) -> bool:
    """*Top-heaviness*: the first and the last rank at which a measure has lost half."""
    scores = of(result, "scores")
    first = scores[scores["R"] == scores["R"].iloc[0]]
    ranks = {}
    for measure, rows in first.groupby("measure", sort=False):
        lost = [row["rank"] for row in rows.to_dict("records") if row["share"] <= 0.5]
        ranks[measure] = min(lost, default=len(rows) + 1)
    told = {found["m"]: found["x"]} | ({found["o"]: found["y"]} if found["o"] else {})
    is_last = not found["o"] or ranks[found["o"]] == max(ranks.values())
    return (
        {name: str(ranks[name]) for name in told} == told
        and ranks[found["m"]] == min(ranks.values())
        and is_last
    )


def changes_most(result: Any, found: Found) -> bool:
    """*Lab*: the measure whose condensed score is farthest from its raw one."""
    gaps = {}
    for row in of(result, "scores").dropna(subset=["condensed"]).to_dict("records"):
        gaps[row["measure"]] = row["condensed"] - row["raw"]
    is_most = all(abs(gaps[found["m"]]) >= abs(gap) for gap in gaps.values())
    return is_most and near(found["d"], gaps[found["m"]])


def rises_seldom(result: Any, found: Found) -> bool:
    """*Swap property*: the measure that rises after the fewest swaps, and its share."""
    rows = of(result, "measures").to_dict("records")
    shares = {}
    for row in rows:
        shares[row["measure"]] = row["rises"] / (row["rises"] + row["stays"] + row["falls"])
    swaps = rows[0]["rises"] + rows[0]["stays"] + rows[0]["falls"]
    return (
        near(found["n"], shares[found["m"]])
        and shares[found["m"]] == min(shares.values())
        and number(found["all"]) == swaps
    )


def always_rises(result: Any, found: Found) -> bool:
    """*Swap property*: that every measure rises after each swap."""
    rows = of(result, "measures").to_dict("records")
    return all(row["rises"] == number(found["all"]) for row in rows)


def lowest_ideal(result: Any, found: Found) -> bool:
    """*Ideal lists*: the lowest score of one, and the measures that give each 1."""
    scores = of(result, "scores").to_dict("records")
    lowest = min(scores, key=lambda row: row["score"])
    below = {row["measure"] for row in scores if row["score"] < 1 - 1e-9}
    measures = {row["measure"] for row in scores}
    return (
        near(found["v"], lowest["score"])
        and found["m"] in below
        and counted(found["n"], len(measures)) == len(measures - below)
    )


def estimated_best(result: Any, found: Found) -> bool:
    """*Own sample*: the run with the highest estimate, and that no other has it."""
    rows = of(result, "estimates").query("measure == @found['m']").to_dict("records")
    estimates = {row["run"]: row["estimate"] for row in rows if np.isfinite(row["estimate"])}
    best = estimates.pop(found["run"])
    return near(found["v"], best) and all(best > other for other in estimates.values())


def tied_estimates(result: Any, found: Found) -> bool:
    """*Own sample*: how many runs share the highest estimate."""
    estimates = of(result, "estimates").query("measure == @found['m']")["estimate"].round(9)
    alike = (estimates == estimates.max()).sum()
    return counted(found["n"].lower(), len(estimates)) == alike > 1


def all_lose(result: Any, found: Found) -> bool:
    """*Leave one out*: that runs lose alike."""
    row = of(result, "measures").set_index("measure").loc[found["m"]]
    return near(found["n"], row["mean lost"]) and near(found["n"], row["most lost"])


def fewest_and_most_lost(result: Any, found: Found) -> bool:
    """*Order fairness*: the least and the most that an order costs."""
    lost = of(result, "summary").query("measure == @found['m']")
    lost = lost[lost["budget"] == lost["budget"].iloc[0]]["mean lost"].dropna()
    return near(found["x"], lost.min()) and near(found["y"], lost.max())


def at_last_level(column: str) -> Callable[[Any, Found], bool]:
    """*Curves*: the mean over trials at the last level, by the only measure."""

    def holds(result: Any, found: Found) -> bool:
        rows = of(result, "trials").to_dict("records")
        last = [row for row in rows if row["level"] == rows[-1]["level"]]
        values = [row[column] for row in last if row["measure"] == found["m"]]
        return near(found["v"], sum(values) / len(values))

    return holds


def share_of_full(result: Any, found: Found) -> bool:
    """*Curves*: the lowest share that the mean of a measure has of its full value."""
    shares = {}
    for row in of(result, "summary").to_dict("records"):
        shares.setdefault(row["measure"], []).append(row["mean"])
    lost = {name: means[-1] / means[0] for name, means in shares.items()}
    return near(found["v"], lost[found["m"]]) and lost[found["m"]] <= min(lost.values()) + 1e-9


CLAIMS = [
    Claim(
        "curves",
        r"(?P<m>\S+) keeps the order(?: of the runs)? with tau (?P<v>-?[\d.]+\d)\.",
        at_last_level("tau"),
    ),
    Claim(
        "curves",
        r"(?:\. |, )(?P<m>\S+) finds (?P<v>\S+%) of [\d,]+ pairs significant",
        at_last_level("power"),
    ),
    Claim(
        "curves",
        r"(?P<m>\S+) keeps (?P<v>\S+%) of the decisions",
        at_last_level("accuracy"),
    ),
    Claim(
        "curves",
        r"mean (?P<m>\S+) (?:falls to|is) (?P<v>\d+%) of its full value",
        share_of_full,
    ),
    Claim(
        "top-heaviness",
        r"^(?P<m>\S+) halves the worth of rank 1 at rank (?P<x>\d+)"
        r"(?:, (?P<o>\S+) at rank (?P<y>\d+))?\.",
        halves,
    ),
    Claim(
        "lab",
        r"^Without the \S+ unjudged documents?, (?P<m>\S+) changes most: by (?P<d>[-+]\S+\d)\.",
        changes_most,
    ),
    Claim(
        "swap-property",
        r"^No: (?P<m>\S+) rises after only (?P<n>\S+%) of (?P<all>[\d,]+) swaps",
        rises_seldom,
    ),
    Claim(
        "swap-property",
        r"^Yes: by .*, the score rises after each of (?P<all>[\d,]+) swaps\.",
        always_rises,
    ),
    Claim(
        "ideal-lists",
        r"^As little as (?P<v>[\d.]+) by (?P<m>\S+), with \d+ relevant documents?;"
        r" (?P<n>.*) gives? it 1",
        lowest_ideal,
    ),
    Claim(
        "own-sample",
        r"^(?P<run>\S+) is best by (?P<m>\S+): about (?P<v>[\d.]+) on all",
        estimated_best,
    ),
    Claim("own-sample", r"^(?P<n>.*) runs tie as best by (?P<m>\S+): about", tied_estimates),
    Claim(
        "leave-one-out",
        r"^Without its own team, every run loses (?P<n>\S+%) of its (?P<m>\S+)\.",
        all_lose,
    ),
    Claim(
        "order-fairness",
        r"without its team loses (?P<x>\S+%) to (?P<y>\S+%) of its (?P<m>\S+)\.",
        fewest_and_most_lost,
    ),
    Claim(
        "estimates",
        r"^On \S+ of the judgments, (?P<e>\S+) gives (?P<run>\S+) (?P<estimate>[\d.]+)"
        r"(?: \((?P<low>[\d.]+) to (?P<high>[\d.]+)\))?; its (?P<m>\S+) on all is"
        r" (?P<score>[\d.]+)\.",
        estimated,
    ),
    Claim(
        "leave-one-out",
        r"^Without its own team, a run loses (?P<n>\S+%) of its (?P<m>\S+) on average,"
        r" (?P<run>\S+) most: (?P<most>\S+%)\.",
        lost,
    ),
    Claim(
        "what-if",
        r"^If judged further, (?P<run>\S+) would score (?P<v>[\d.]+)(?: to (?P<high>[\d.]+))? by"
        r" (?P<m>\S+) in place of (?P<raw>[\d.]+)\.",
        judged_further,
    ),
    Claim(
        "curves",
        r" (?P<m>\S+) keeps the order of the runs worst \(tau (?P<v>-?[\d.]+)\)\.",
        lowest_curve("tau"),
    ),
    Claim(
        "rankings",
        r"^(?P<run>\S+) (?P<way>climbs|falls) most from (?P<a>\S+) to (?P<b>\S+):"
        r" rank (?P<from>\d+) to (?P<to>\d+)\.",
        moves,
    ),
    Claim(
        "rankings",
        r"move most from (?P<a>\S+) to (?P<b>\S+): (?P<n>\d+) places?\.",
        most_places,
    ),
    Claim("agreement", r"agree (most \(|with )Kendall's tau (?P<t>-?[\d.]+\d)", agree_most),
    Claim(
        "gains",
        r"(?P<a>\w+) gains keep the order by (?P<m>\S+) (?P<how>better|about as well)"
        r" \((?P<x>\S+)\) (than|as) (?P<b>\w+) \((?P<y>\S+)\)\.",
        gains_keep,
    ),
    Claim("stability", r"in (?P<n>\S+%) of cases by (?P<m>[^\s,]+?)[,.]", contradicted),
    Claim("swap", r"^(?P<n>[\d.]+) by (?P<m>[^\s,:]+)[,:]", needs),
    Claim(
        "scorecard",
        r"mean rank over \d+ criteria, (?P<m>\S+) is the most robust of (?P<n>\d+) measures",
        most_robust,
    ),
    Claim(
        "pair-orderings",
        r"^(?P<answer>Yes|No): by (?P<m>\S+), .* are the least alike \(tau (?P<t>\S+)\)",
        least_alike,
    ),
    Claim(
        "variance",
        r"^Runs explain (?P<r>\d+%) of the variance by (?P<m>\S+), topics (?P<t>\d+%);",
        explains,
    ),
    Claim(
        "topics-needed",
        r"takes (?P<n>[\d,]+) topics? by (?P<m>[^\s,]+?)(, |\. |\.$)",
        takes,
    ),
    Claim("unjudged", r"^On average (?P<n>[\d.]+%) of the top 10 is unjudged", top_unjudged),
    Claim(
        "unjudged",
        r"is unjudged, most of (?P<run>\S+): (?P<n>[\d.]+%)\.",
        fewest_judged,
    ),
    Claim(
        "parameters",
        r"^With \S+ = (?P<v>\S+), (?P<m>\S+) moves (?P<n>\d+) of \d+ runs:"
        r" tau (?P<t>-?[\d.]+\d) with",
        moved_by_parameter,
    ),
    Claim(
        "parameters",
        r"(?P<m>\S+) depends most on it \(tau (?P<t>-?[\d.]+) at",
        least_tau,
    ),
    Claim(
        "order-fairness",
        r"loses least (?P<m>\S+) with (?P<a>\S+) \(\S+\), most with (?P<b>\S+) \(\S+\)\.",
        loses,
    ),
    Claim(
        "leaderboard",
        r"^(?P<a>\S+) is best by (?P<m>\S+) \((?P<mean>[\d.]+)\), better than"
        r" (?P<n>.*?) ?other run",
        best_run,
    ),
    Claim(
        "leaderboard",
        r"^(?P<n>\S+) (?:of \d+ )?runs tie as best by (?P<m>\S+), with (?P<mean>[\d.]+)\. ",
        tied_runs,
    ),
    Claim(
        "two-runs",
        r"^(?P<a>\S+) is better than (?P<b>\S+) by (?P<m>\S+): (?P<high>[\d.]+) against"
        r" (?P<low>[\d.]+) \(p (?:= )?(?P<p>.*?)\)",
        pair_means,
    ),
    Claim("two-runs", r"do not differ by (?P<m>\S+) \(p (?:= )?(?P<p>.*?)\)", pair_alike),
    Claim(
        "matrix",
        r"^By (?P<m>\S+), (?P<n>.*) pairs? of runs differs? tested pair by pair,"
        r" (?P<both>\S+) with all pairs tested together",
        pairs_that_differ,
    ),
    Claim(
        "power",
        r"^(?P<m>\S+) finds most: (?P<high>\S+) of .*; (?P<other>\S+) finds fewest, (?P<low>\S+)\.",
        most_power,
    ),
    Claim(
        "reproduction",
        r"^(?P<answer>Yes|No)\b.*: mean (?P<m>\S+) is (?P<here>[\d.]+) instead of"
        r" (?P<there>[\d.]+) \(p",
        reproduced,
    ),
    Claim(
        "topics",
        r"standard deviation (?P<topics>[\d.]+) over topics, (?P<runs>[\d.]+) over runs",
        spread,
    ),
    Claim(
        "collection",
        r"^(?P<t>[\d,]+) topics?, (?P<r>[\d,]+) runs? of .* and (?P<j>[\d,]+) judgments? ",
        contents,
    ),
    Claim(
        "audit",
        r"^(?P<answer>Yes|No|In part)\. .* orders the runs with tau (?P<t>-?[\d.]+\d)"
        r"(, the ten best with (?P<best>-?[\d.]+\d))?; 0\.9 is required\.",
        orders_by_judge,
    ),
    Claim(
        "systems",
        r"^(?P<answer>Yes|Not fully): by (?P<m>\S+), .* runs? with tau (?P<t>-?[\d.]+\d);"
        r" (?P<n>no|[\d,]+) pairs? (is|are) decided",
        alike,
    ),
    Claim(
        "judges", r" give the same grade to (?P<n>\d+%) of (?P<all>[\d,]+) documents?;", same_grades
    ),
    Claim(
        "orders",
        r"^(?P<o>\S+) finds (?P<n>\d+%) of the relevant documents at (?P<b>\d+%) of the pool,",
        finds_most,
    ),
    Claim(
        "judge-next",
        r"Judging (?P<n>.*) unjudged documents? in the top \d+ lowers the residual by"
        r" (?P<share>\d+%)\. .* falls from (?P<before>[\d.]+\d) to (?P<after>[\d.]+\d)\.",
        residual_falls,
    ),
    Claim(
        "judge-next",
        r"Judge first: document (?P<d>\S+) of topic (?P<t>\S+) \((?P<why>.*)\)\.$",
        comes_first,
    ),
    Claim(
        "judge-next",
        r"the two (?P<how>differ|do not differ) significantly: difference \S+, p = (?P<p>[\d.]+) .*"
        r" If relevant, (?P<n>\S+) favours? (?P<a>\S+) and (?P<other>\S+) favours? (?P<b>\S+)\.",
        favours,
    ),
    Claim(
        "judge-next",
        r"^(?P<a>\S+) is expected to be better than (?P<b>\S+) by \S+\.",
        first_by_sign,
    ),
    Claim(
        "judge-next",
        r"The first (?:(?P<n>[\d,]+) )?of them (?:is|are) expected to settle that\.",
        settles,
    ),
    Claim("judge-next", r"not expected to turn that: judging can stop", settled_already),
    Claim("judge-next", r"Judging (all of them|it) is expected to settle that\.", settled_by_all),
    Claim(
        "judge-next",
        r"(?P<n>\d+) of (?P<all>\d+) pairs of runs (?:is|are) in doubt\.",
        in_doubt,
    ),
    Claim("judge-next", r"They are spread evenly over (?P<t>\d+) topics\.", spread_evenly),
    Claim(
        "judge-next",
        r"^The other judges disagree on (?P<n>\S+) of (?P<all>\d+) unjudged documents\.",
        disputed,
    ),
    Claim(
        "judgments-needed",
        r"^(?P<n>[\d,]+) judgments? of (?P<all>[\d,]+) documents? (is|are) expected to give an"
        r" interval of ± (?P<w>[\d.]+\d)\.",
        sampled,
    ),
    Claim("judgments-needed", r" Judge (?P<shares>\d+% of stratum .*?)\.", drawn_from),
    Claim("rankings", r"\. (?P<n>[^.]*) runs changes? rank\.", ranks_that_change),
    Claim(
        "parameters",
        r"; (?P<run>\S+) moves (?:most, )?(?P<n>\d+) (?P<way>up|down) to rank (?P<to>\d+)\.",
        moved_farthest,
    ),
    Claim("parameters", r"; by (?P<names>[^;]*), tau stays above 0\.9\.", calm_measures),
    Claim("order-fairness", r"Places lost at most: (?P<orders>.*?)\.", places_lost),
    Claim("agreement", r" least \((?P<t>-?[\d.]+\d)\)", lowest_tau),
    Claim(
        "leaderboard",
        r"Tested pair by pair, (?P<n>\S+) (?P<be>is|are) worse\.",
        worse_alone,
    ),
    Claim(
        "orders",
        r" (?P<m>\S+) then orders the runs with tau (?P<t>\S+) \((?P<o>\S+)\) and (?P<u>\S+)"
        r" \((?P<q>\S+)\)\.",
        orders_then,
    ),
    Claim(
        "systems",
        r"Of \d+ pairs, tested pair by pair, (?P<n>\d+ differs? .*?)\.$",
        decided_by_both,
    ),
    Claim(
        "variance",
        r"; (?P<n>\d+) runs? (?:does|do) not differ from (?P<run>\S+)\.",
        not_from_the_best,
    ),
    Claim("holes", r"keeps? the order (best|equally well) \(tau (?P<t>-?[\d.]+\d)\)", holes_best),
    Claim("audit", r"Its winner is (?P<place>\w+) by ", winner),
]


def check(name: str, result: Any) -> tuple[list[str], list[str]]:
    """The patterns that sentences of a result match, and those sentences that are not
    so.
    """
    met, wrong = [], []
    for claim in CLAIMS:
        if claim.experiment != name:
            continue
        for text in sentences_of(result):
            if found := re.search(claim.pattern, text):
                met.append(claim.pattern)
                wrong += [] if claim.holds(result, found) else [text]
    return met, wrong
