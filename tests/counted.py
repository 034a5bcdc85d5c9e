"""Small collections of so many runs and topics, and the results of every experiment on
them.
"""

import re
from functools import cache

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.needs import Needs
from tests.cases import collection, drawn, tied_collection
from tests.small_work import params_of, source
from tests.watched import ASKED, CURVES, asked

MEASURES = ["AP", "AP'", "Q", "nDCG", "Bpref"]
GRADED = ["Q", "nDCG", "AP", "AP'", "Bpref"]
FEW = {
    "trials": 3,
    "samples": 20,
    "sets": 20,
    "mixtures": 20,
    "N": 40,
    "rates": (100.0, 50.0, 10.0),
    "levels": (100.0, 50.0, 10.0),
    "budgets": (20.0, 50.0),
    "systems": (2, 10),
    "shares": (10.0, 50.0),
}

FAULTS = {
    "a noun in the plural after 1": (
        r"\b1 (runs|pairs|topics|measures|documents|judgments|judges"
        r"|trials|teams|places|lists|swaps)\b"
    ),
    "a noun in the singular after a number": (
        r"\b(?!1 )\d+ (run|pair|topic|measure|document|judgment|trial|team|place)\b"
    ),
    "a verb in the plural after 1": (
        r"\b1 ((run|pair|topic|measure|document) )?(are|do|have|wait|change|differ)\b"
    ),
    "none or all of one": r"\b(none|all|each|1|0) of 1\b",
    "all 1 or all 2": r"\ball [12]\b",
    "a verb in the plural after none": (
        r"\b(none of \d+ [a-z]+|neither [a-z]+|no (?!two)[a-z]+)( of [a-z]+)?"
        r" (are|do|have|differ|reach)\b"
    ),
    "from a number to itself": r"\b(\d[\d.]*%) to \1",
    "none of which something is said": r"^0 \w+ (is|are)\b|\b0 significant\b|\(0%\)",
    "no number": r"\b(nan|inf)\b|\bNone\b(?! of)|\[\]|-0\.?0*\b(?![.\d])",
    "two units": r"%%|% %|% per cent|\b(\w{4,}) \1\b",
    "a number of too many digits": r"\d,\d{3},\d{3},\d{3}",
    "nothing that something is said of": r"\b0 (or less|topics?)\b|: \.",
    "two marks": r"(?<!al)[.,;]{2}|\(\)|  | [.,;:)](?!\d)",
    "one name kept back": r"\band 1 more\b",
    "never, of what was tried": r"\bnever\b(?! (judged|retrieved))",
    "a list without its and": r"(There are|known) .*, (?!.* and )\w+\.$",
}
"""What no sentence may have -> its pattern."""

ENDS = (
    r"(?:best|most) \((?:[a-zA-Z' ]* )?(?P<x>-?[\d.]+%?)\).* (?:worst|least|fewest)"
    r" \((?P<y>-?[\d.]+%?)\)",
    r"(?P<x>[\d.]+%) of cases by .*, (?P<y>[\d.]+%) by",
    r"from (?P<x>[\d.]+%?) \(\S+\) to (?P<y>[\d.]+%?) \(\S+\)",
    r"^(?P<x>[\d.]+) by .*, (?P<y>[\d.]+) by",
    r"takes (?P<x>[\d,]+) topics? by .*, (?P<y>[\d,]+) by",
    r"finds most: (?P<x>\d+%).* finds fewest, (?P<y>\d+%)",
    r"loses least \S+ with \S+ \((?P<x>\S+%)\), most with \S+ \((?P<y>\S+%)\)",
    r"is better than \S+ by \S+: (?P<x>[\d.]+) against (?P<y>[\d.]+)",
    r"is unjudged, most of .*: (?P<y>\S+%)",
    r"is (?P<x>\S+) instead of (?P<y>\S+), the",
    r"easiest \(mean (?P<x>[\d.]+)\).* hardest \((?P<y>[\d.]+)\)",
    r"^(?P<x>No). .* tau (?P<y>1\.00|0\.90);",
)
"""Sentences on two ends, that are not to be written with the same number."""


def ends_written_alike(text: str) -> list[str]:
    """What a sentence tells apart although both are written with the same number."""
    found = [match for pattern in ENDS if (match := re.search(pattern, text))]
    return [match[0] for match in found if match.groupdict().get("x") == match["y"]]


LONG = 25
"""Maximum number of words of a sentence."""


def long_sentences(text: str) -> list[str]:
    """Those with too many words to be grasped at once."""
    return [
        sentence for sentence in re.split(r"(?<=[.?!])\s", text) if len(sentence.split()) > LONG
    ]


UNJUDGED = "judge-next"
"""The experiment that refuses to work where every document is judged."""


def measures_of(name: str) -> list[str]:
    """Measures with which an experiment, or one of `ASKED`, works."""
    graded = needs_of(name).graded or name == "parameters"
    return GRADED if graded else MEASURES


def needs_of(name: str) -> Needs:
    """What an experiment, or one of `ASKED`, needs."""
    return asked(name).needs if name in ASKED else EXPERIMENTS[name].needs


def is_enough(name: str, runs: int, topics: int) -> bool:
    """Whether an experiment works on so many runs, and topics with a score."""
    needs = needs_of(name)
    if needs.alone and runs == 1:
        return True
    return runs >= needs.runs and topics >= needs.topics


def made(runs: int, topics: int):
    """Runs of which each finds one document later than the one before it, some of whose
    documents are not judged.
    """
    found = {
        f"r{r}": {
            str(t): [*[f"u{r}"] * (r > 1), *"nnnn"[: (r + t) % 3], "a", "b"] for t in range(topics)
        }
        for r in range(runs)
    }
    found = {
        run: {t: list(dict.fromkeys(ids)) for t, ids in lists.items()}
        for run, lists in found.items()
    }
    return collection({str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, found)


def tied(runs: int, topics: int):
    """Runs that are all the same, and ideal."""
    return collection(
        {str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, lists("abn", runs, topics)
    )


def ungraded(runs: int, topics: int):
    """The same runs where nothing is relevant."""
    return collection(
        {str(t): {"a": 0, "b": 0, "n": 0} for t in range(topics)}, lists("abn", runs, topics)
    )


def unfound(runs: int, topics: int):
    """Runs that find nothing relevant, so that every score is 0."""
    return collection(
        {str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)}, lists("nu", runs, topics)
    )


def unjudged(runs: int, topics: int):
    """Runs of as many teams that found the same documents, none of which is judged."""
    return collection(
        {str(t): {"a": 2, "b": 1, "n": 0} for t in range(topics)},
        lists("uv", runs, topics, "abcdefg"),
    )


def teams(runs: int, topics: int):
    """Runs of as many teams, each of which found something on its own, relevant or
    unjudged.
    """
    found = {
        f"{'abcdefg'[r]}1": {str(t): ["abcdefg"[(r + t) % 7], f"u{r}", "h"] for t in range(topics)}
        for r in range(runs)
    }
    return collection(
        {str(t): {**dict.fromkeys("aceg", 1), **dict.fromkeys("bdfh", 0)} for t in range(topics)},
        found,
    )


def many(runs: int, topics: int):
    """Runs of random lists with many tied scores, some of whose documents are not
    judged.
    """
    return tied_collection(*drawn(3, topics=topics, runs=runs))


def lists(documents: str, runs: int, topics: int, team: str = "rrrrrrr"):
    """The same list for every run and topic."""
    return {f"{team[r]}{r}": {str(t): [*documents] for t in range(topics)} for r in range(runs)}


@cache
def alone(made_by, runs: int, topics: int):
    """A collection with one judge."""
    return made_by(runs, topics)


def work(name: str, made_by, runs: int, topics: int, measures: int, trials: int = FEW["trials"]):
    """The result of an experiment, or of one of `ASKED` of *Curves*."""
    experiment = experiment_of(name)
    shape = (made_by, runs, topics) if experiment.data or experiment.judged else None
    return result_of(
        name,
        shape,
        max(measures, 2) if experiment.judged else 0,
        measures if experiment.measured else 0,
        trials,
    )


@cache
def result_of(name: str, shape, number: int, measures: int, trials: int):
    """The result on what the experiment takes of all that: what it does not look at
    makes no other one.
    """
    experiment = experiment_of(name)
    of = source(experiment, alone(*shape) if shape else None, number)
    params = (
        asked(name, trials=trials)
        if name in ASKED
        else params_of(experiment, FEW | {"trials": trials})
    )
    return experiment(of, measures_of(name)[:measures] or None, params)


def experiment_of(name: str):
    """The experiment with this name, or of one of `ASKED`."""
    return CURVES if name in ASKED else EXPERIMENTS[name]
