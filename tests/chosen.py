"""What next steps have chosen: the run, pair or measure that they name, held against the
tables of the same result.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from tests.claims import by_rank, of

Settings = dict[str, Any]


class Chosen(NamedTuple):
    """Next steps of an experiment to a page, and whether they name the right things."""

    experiment: str
    page: str
    holds: Callable[[Any, Settings, str], bool]
    """of a result, the settings of the step and its question"""


def pair_in(settings: Settings) -> set[str]:
    """The two runs that a step names."""
    return {settings["run_a"], settings["run_b"]}


def by_first(result: Any, name: str) -> pd.DataFrame:
    """The rows by the first measure of a table of runs, by run."""
    table = of(result, name)
    return table[table["measure"] == str(result.measures[0])].set_index("run")


def least_judged(result: Any, settings: Settings, _: str) -> bool:
    """*Unjudged*: the run with the fewest judged documents at the top, of which some
    lack a judgment.
    """
    judged = of(result, "runs").set_index("run")["judged@10"].drop("mean of all runs")
    return bool(judged[settings["candidate"]] == judged.min() < 1)


def all_judged(result: Any, *_: Any) -> bool:
    """*Unjudged*: every top 10 is judged."""
    return bool((of(result, "runs")["judged@10"] == 1).all())


def loses_most(result: Any, settings: Settings, _: str) -> bool:
    """*Leave one out*: the run that loses most by the first measure."""
    lost = by_first(result, "runs")["lost"]
    return bool(lost[settings["candidate"]] == lost.max() > 0)


def least_sure(result: Any, settings: Settings, _: str) -> bool:
    """*What if*: the first of the pairs whose sign may turn."""
    first = of(result, "unsure-pairs").iloc[0]
    return tuple(settings["pair"]) == (first["run a"], first["run b"])


def agree_least(result: Any, settings: Settings, _: str) -> bool:
    """*Agreement*: the two measures that agree least."""
    listed = of(result, "list").dropna(subset="tau_b")
    least = listed[listed["tau_b"] == listed["tau_b"].min()]
    pairs = [{row["measure_a"], row["measure_b"]} for row in least.to_dict("records")]
    return {str(settings["sorted_by"]), str(settings["against"])} in pairs


def depends_most(result: Any, _: Settings, question: str) -> bool:
    """*Parameters*: the measure of the lowest tau."""
    tau = of(result, "values").groupby("measure")["tau"].min()
    name = question.removeprefix("How does ").removesuffix(" score a list?")
    return bool(tau.isna().all() or tau[name] == tau.min())


def moves_most(result: Any, run: str) -> bool:
    """*Rankings*: the run that changes its rank most between the two measures."""
    jumps = of(result, "ranks").set_index("run").iloc[:, -1].abs()
    return bool(jumps[run] == jumps.max() > 0)


def moves_beside_the_best(result: Any, settings: Settings, _: str) -> bool:
    """*Rankings*: the run that moves most, beside the best other one."""
    ranks = of(result, "ranks").set_index("run")[str(result.measures[result.by])]
    others = ranks.drop(settings["run_a"])
    return moves_most(result, settings["run_a"]) and bool(ranks[settings["run_b"]] == others.min())


def mean_ranks(result: Any) -> pd.Series:
    """*Scorecard*: mean ranks of measures."""
    return of(result, "scorecard").set_index("measure")["mean rank"]


def robust_and_not(result: Any, settings: Settings, _: str) -> bool:
    """*Scorecard*: the measures with the best and the worst mean rank."""
    ranks = mean_ranks(result)
    best, worst = ranks[str(settings["sorted_by"])], ranks[str(settings["against"])]
    return bool(best == ranks.min() < worst == ranks.max())


def most_robust(result: Any, settings: Settings, _: str) -> bool:
    """*Scorecard*: the measure with the best mean rank."""
    ranks = mean_ranks(result)
    return bool(ranks[settings["in_detail"]] == ranks.min())


def most_of_pairs(column: str) -> Callable[[Any, Settings, str], bool]:
    """The pair of runs with the most in a column of the table of pairs."""

    def holds(result: Any, settings: Settings, _: str) -> bool:
        pairs = of(result, "pairs")
        most = pairs[pairs[column] == pairs[column].max()]
        runs = [{row["run a"], row["run b"]} for row in most.to_dict("records")]
        return pair_in(settings) in runs

    return holds


def tells_swaps(result: Any, *_: Any) -> bool:
    """*Swap*: a step to a pair exactly where a pair is swapped."""
    to_pair = any(step.page == "two-runs" for step in result.next_steps())
    return to_pair == (of(result, "pairs")["swap rate"].max() > 0)


def two_best(result: Any, settings: Settings, _: str) -> bool:
    """*Variance*: the two runs with the highest means."""
    groups = of(result, "groups")
    ranks = by_rank(groups.set_index("run").iloc[:, 0])
    return bool(sorted(ranks)[:2] == sorted(ranks[run] for run in pair_in(settings)))


def finds_most(result: Any, settings: Settings, _: str) -> bool:
    """*Orders*: the order that finds most at the first budget."""
    table = of(result, "summary")
    found = table[table["budget"] == table["budget"].iloc[0]].groupby("order")["found"].first()
    return bool(found[settings["method"]] == found.max())


def judged_differently(result: Any, settings: Settings, _: str) -> bool:
    """*Systems*: the run that gains or loses most places."""
    moved = by_first(result, "runs")["places gained"].abs()
    return bool(moved[settings["candidate"]] == moved.max() > 0)


def others_on_the_board(result: Any) -> pd.DataFrame:
    """*Leaderboard*: runs that have been compared with the baseline, best first."""
    board = of(result, "compared")
    return board[(board["run"] != result.baseline) & (board["difference"].notna())]


def first_alike(result: Any, settings: Settings, _: str) -> bool:
    """*Leaderboard*: the baseline, and the best run that does not differ from it."""
    board = others_on_the_board(result)
    alike = board[board["mark"].str.len() < 2]["run"]
    return bool(settings["run_a"] == result.baseline and settings["run_b"] == alike.iloc[0])


def runner_up(result: Any, settings: Settings, question: str) -> bool:
    """*Leaderboard*: the baseline, and the best other run, from which it differs, and in
    which direction.
    """
    board = others_on_the_board(result)
    is_ahead = board["difference"].iloc[0] < 0
    return bool(
        settings["run_a"] == result.baseline
        and settings["run_b"] == board["run"].iloc[0]
        and (board["mark"].str.len() == 2).all()
        and question == f"How far {'ahead' if is_ahead else 'behind'} is it?"
    )


def other_best(result: Any, settings: Settings, _: str) -> bool:
    """*Leaderboard*: a measure by which no run is best that is by the first."""
    means = of(result, "means").set_index("run")
    one, other = (by_rank(means[str(settings[key])]) for key in ("sorted_by", "against"))
    return not {*one.index[one == 1]} & {*other.index[other == 1]}


def same_best(result: Any, *_: Any) -> bool:
    """*Leaderboard*: some run is best both by the first measure and by each other one."""
    means = of(result, "means").set_index("run")
    ranks = [by_rank(means[str(measure)]) for measure in result.measures]
    first, *others = [{*rank.index[rank == 1]} for rank in ranks if rank.notna().any()]
    return all(first & other for other in others)


def neighbours(result: Any, settings: Settings, _: str) -> bool:
    """*Matrix*: the best neighbours that do not differ at once, or the two best."""
    pairs = of(result, "pairs").query("measure == @result.names[0]")
    differ = {
        frozenset((row["run_a"], row["run_b"])): not row["low_at_once"] <= 0 <= row["high_at_once"]
        for row in pairs.to_dict("records")
    }
    order = [result.runs[r] for r in result.order(result.names[0])]
    beside = [frozenset(two) for two in pairwise(order)]
    alike = [two for two in beside if not differ[two]]
    return bool(frozenset(pair_in(settings)) == [*alike, beside[0]][0])


def best_and_next(result: Any, settings: Settings, _: str) -> bool:
    """*Reproduction*: the original run and the one that is to reproduce it."""
    row = of(result, "measures").iloc[0]
    return (settings["run_a"], settings["run_b"]) == (row["original"], row["reproduced"])


def reproduced(result: Any, settings: Settings, _: str) -> bool:
    """*Reproduction*: the run that is to reproduce another."""
    return bool(settings["candidate"] == of(result, "measures")["reproduced"].iloc[0])


CHOSEN = [
    Chosen("unjudged", "check", least_judged),
    Chosen("unjudged", "curves", all_judged),
    Chosen("leave-one-out", "check", loses_most),
    Chosen("what-if", "what-if", least_sure),
    Chosen("agreement", "rankings", agree_least),
    Chosen("parameters", "lab", depends_most),
    Chosen("rankings", "two-runs", moves_beside_the_best),
    Chosen(
        "rankings", "check", lambda result, of_step, _: moves_most(result, of_step["candidate"])
    ),
    Chosen("scorecard", "leaderboard", most_robust),
    Chosen("scorecard", "rankings", robust_and_not),
    Chosen("stability", "two-runs", most_of_pairs("minority rate")),
    Chosen("swap", "two-runs", most_of_pairs("swap rate")),
    Chosen("swap", "power", tells_swaps),
    Chosen("variance", "matrix", two_best),
    Chosen("orders", "curves", finds_most),
    Chosen("systems", "check", judged_differently),
    Chosen("leaderboard", "matrix", first_alike),
    Chosen("leaderboard", "two-runs", runner_up),
    Chosen("leaderboard", "rankings", other_best),
    Chosen("leaderboard", "agreement", same_best),
    Chosen("matrix", "two-runs", neighbours),
    Chosen("reproduction", "two-runs", best_and_next),
    Chosen("reproduction", "check", reproduced),
]


def check(name: str, result: Any) -> tuple[set[str], list[str]]:
    """The pages to which steps of a result go that have chosen something, and the
    questions of those that have chosen wrongly.
    """
    met, wrong = set(), []
    for chosen in CHOSEN:
        for step in result.next_steps() if chosen.experiment == name else []:
            if step.page != chosen.page:
                continue
            met.add(step.page)
            if not chosen.holds(result, dict(step.settings), step.question):
                wrong.append(step.question)
    return met, wrong
