"""Common variants of arguments: several measures after one flag, standard input as
``-``, runs before the judgments.
"""

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import chain, islice

from irmeval.core.written import EXPONENTIAL, split_path

Accepts = Callable[[str], bool]
"""Whether a word is another value of a flag."""
MEANT = {
    **dict.fromkeys(("dashboard", "ui", "run", "gui", "app"), "serve"),
    **dict.fromkeys(("eval", "score", "trec_eval", "ir_measures", "ir-measures"), "evaluate"),
    **dict.fromkeys(("sample_eval", "sample-eval"), "evaluate -m xinfAP -m infNDCG"),
    **dict.fromkeys(
        ("compare", "significance", "test", "bootstrap", "significance-test"), "matrix"
    ),
    **dict.fromkeys(("ttest", "t-test", "t_test", "paired-t-test"), "matrix --test t"),
    "wilcoxon": "matrix --test wilcoxon",
    "sign-test": "matrix --test sign",
    **dict.fromkeys(
        ("permutation", "randomization", "randomisation"), "matrix --test randomization"
    ),
    **dict.fromkeys(("anova", "tukey"), "variance"),
    **dict.fromkeys(
        ("kendall", "tau", "correlation", "correlations", "correlate", "spearman"), "agreement"
    ),
    **dict.fromkeys(("rank", "board", "table", "sort", "best"), "leaderboard"),
    **dict.fromkeys(("rrf", "merge", "combine", "fusion", "ensemble"), "fuse"),
    **dict.fromkeys(("validate", "lint", "verify", "check-run"), "check"),
    **dict.fromkeys(("sample", "subsample"), "reduce"),
    **dict.fromkeys(("diff", "pair", "per-query", "win-loss"), "two-runs"),
    **dict.fromkeys(("measures", "list", "metric", "list-metrics", "--list-metrics"), "metrics"),
    **dict.fromkeys(("stats", "stat", "info", "summary", "describe"), "collection"),
    **dict.fromkeys(("list metrics", "list measures"), "metrics"),
    "findings": "across --table findings",
    "version": "--version",
}
"""Names of commands in other programs, with our name and flags."""
NOT_HERE = {
    "plot": "charts are drawn by irmeval serve; --all writes tables and the data of figures",
    "pool": "irmeval curves QRELS RUNS --of depth, and irmeval judge-next for documents to judge",
    "decisions": "irmeval curves QRELS RUNS --watch pairs,decisions",
    "pools": "irmeval curves QRELS RUNS --of depth --watch mean,order,pairs,judged",
    "fewer-teams": "irmeval curves QRELS RUNS --of teams --watch mean,order,pairs,judged",
    "fewer-topics": "irmeval curves QRELS RUNS --of topics --by judgments=100,10 --watch pairs",
    "simulated-judges": "irmeval curves QRELS RUNS --of care --by judge=lenient,noisy",
    "binary-tertiary": "irmeval curves QRELS RUNS --by gains=flat,bompada2 --watch order",
    "tost": "no test of equivalence; irmeval two-runs has the interval of a difference",
    "sign": "irmeval what-if --pair A,B says how often a difference keeps its sign",
    "report": "--all of a command writes its tables and figures; the dashboard makes reports",
    "gdeval": f"irmeval evaluate -m ERR@20, and -m nDCG@20 with --gains {EXPONENTIAL}",
    "ndeval": "its measures need judgments by subtopic, which none here takes",
    "convert": "every command reads every format (irmeval formats); none converts runs",
    **dict.fromkeys(("index", "search", "retrieve", "download"), "irmeval evaluates runs only"),
}
"""Names of commands without one here, of other programs and of earlier versions, with
what there is.
"""
FLAGS = {
    # whole names alone: a guessed abbreviation would change its meaning with each new flag
    **dict.fromkeys(("--metric", "--metrics", "--measures", "--eval-metrics"), "--measure"),
    **dict.fromkeys(
        (
            *("--min-rel", "--rel-threshold", "--relevance-threshold", "--relevance-level"),
            *("--rel", "--rel-level", "--rel-lvl", "--threshold"),
        ),
        "--level",
    ),
    **{f"--{form}": f"--format {form}" for form in ("csv", "json", "latex", "markdown", "text")},
    "--md": "--format markdown",
    "--tex": "--format latex",
    **dict.fromkeys(
        ("--by-query", "--per-query", "--by-topic", "--query-level", "--all-queries"), "--per-topic"
    ),
    **dict.fromkeys(("--correction", "--adjust", "--multiple"), "--at-once"),
    **dict.fromkeys(("-r", "--run", "--run-file", "--run-files", "--results"), "--runs"),
    **dict.fromkeys(("--qrel", "--qrels-file", "--judgments"), "--qrels"),
    **dict.fromkeys(("--out", "--outfile", "--output-file", "--save", "--output-path"), "--output"),
    **dict.fromkeys(("--stat-test", "--significance", "--statistic"), "--test"),
    "--average-by": "--aggregate",
    **dict.fromkeys(("--precision", "--round", "--decimals", "--places"), "--digits"),
    **dict.fromkeys(("--max-p", "--significance-level", "--p-value"), "--alpha"),
    **dict.fromkeys(("--sort-by", "--order-by"), "--sort"),
}
"""Flags of other programs with ours, where a command has it."""
QRELS = {"--qrels", *(name for name, ours in FLAGS.items() if ours == "--qrels")}
RUNS = {"--runs", *(name for name, ours in FLAGS.items() if ours == "--runs")}
"""Flags of other programs for files."""
_CUTOFF = "the cut-off of a measure, as in -m nDCG@10"
_SILENT = "not needed: remarks go to standard error, numbers to standard output"
_PARALLEL = "not needed: all processors are used"
MEANINGS = {
    "--level": "a level of the measure, as in -m 'AP(rel=2)'",
    "--per-topic": "--per-topic of evaluate",
    "--measure": "the measures of evaluate and others, -m",
    "--at-once": "--at-once of leaderboard and matrix",
    "--test": "--test of leaderboard and matrix",
    "--aggregate": "--aggregate of evaluate",
    "--digits": "numbers of tables only",
    "--sort": "rows of tables only",
    **dict.fromkeys(("-k", "--k", "--cutoff", "--cut-off", "--top-k", "--at"), _CUTOFF),
    **dict.fromkeys(("-v", "--verbose", "--quiet", "--debug", "--silent"), _SILENT),
    **dict.fromkeys(
        ("-j", "--jobs", "--n-jobs", "--threads", "--workers", "--processes"), _PARALLEL
    ),
    **dict.fromkeys(("--list-metrics", "--list", "--list-measures"), "irmeval metrics"),
    **dict.fromkeys(("--mean", "--means"), "means are printed; --aggregate takes others"),
    "--dataset": "irds:NAME in place of QRELS",
    "--make-comparable": "--average judged: topics that a run lacks score 0",
    **dict.fromkeys(
        ("--plot", "--figure"), "irmeval serve, or --all for tables and data of figures"
    ),
    **dict.fromkeys(("--ttest", "--t-test"), "irmeval matrix --test t"),
    "-p": "decimals are --digits; p is the parameter of a measure, as in -m 'RBP(p=0.8)'",
    "--provider": "not needed: every measure is computed here",
    **dict.fromkeys(
        ("--norm", "--normalization"), "scores are scaled to 0 to 1 by combsum and combmnz"
    ),
    "--remove-unjudged": 'a prime of the measure, as in -m "AP\'"',
}
"""Flags of other programs, and ours where a command lacks them, with what to do."""
VALUES = {
    **dict.fromkeys(("ttest", "t-test", "student", "paired-t"), "t"),
    **dict.fromkeys(("permutation", "randomisation", "fisher"), "randomization"),
    **dict.fromkeys(("bh", "fdr"), "benjamini-hochberg"),
    **dict.fromkeys(("holm", "bonferroni", "fwer", "max-t"), "family-wise"),
    "md": "markdown",
    "tex": "latex",
    "table": "text",
    "trec_eval": "trec",
}
"""Values of flags in other programs with ours, where a flag has it."""
# a line of trec_eval has no command, and need not begin with a file
EVALUATE = ("-m", "-q", "-c", "-n", "-l", "-J", "-M")
"""Flags of trec_eval that may start a line without a command."""
TREC_EVAL = {
    "-q": "--per-topic of evaluate here",
    "-c": "--average judged here",
    "-l": "a level of the measure, as in -m 'AP(rel=2)', here",
    "-J": 'a prime of the measure, as in -m "AP\'", here',
    "-n": "--no-means of evaluate here",
    "-N": "not needed: no measure depends on the size of the collection",
    "-R": "--qrels-format here",
    "-T": "not needed: the format of a run is recognised",
}
"""Replacements of trec_eval's flags that a command lacks."""

_LONG_NAME = re.compile("^--[^=]*")
"""Name of a flag, without its value."""
_NAME = re.compile(r"(?!-)[^/\\.]+")
"""What may be the name of a command: no flag, and no path."""


def spread(arguments: Sequence[str], flags: Mapping[str, Accepts]) -> list[str]:
    """Give every value its own flag, if a flag accepts several.

    Examples
    --------
    >>> from irmeval.cli.meant import is_measure
    >>> spread(["evaluate", "-m", "AP", "nDCG@10", "no.file"], {"-m": is_measure})
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'no.file']
    """
    spread: list[str] = []
    for text in arguments:
        if _is_further_value(text, spread, flags):
            spread.append(spread[-2])
        spread.append(text)
    return spread


def _is_further_value(text: str, before: Sequence[str], flags: Mapping[str, Accepts]) -> bool:
    """Whether a word is one more value of the flag that the words before it end with."""
    flag = _flag_before(before, flags)
    if not flag or _is_flag(text):
        return False
    return flags[flag](text)


def _flag_before(words: Sequence[str], flags: Container[str]) -> str:
    """The flag whose value is the last word; empty if that is no value of these flags."""
    flag, value = ["", "", *words][-2:]
    if flag not in flags or _is_flag(value):
        return ""
    return flag


def _is_flag(word: str) -> bool:
    """Whether it begins as a flag does; a hyphen alone is standard input."""
    return word.startswith("-") and word != "-"


def hyphenate(arguments: Sequence[str]) -> list[str]:
    """Spell the names of flags with hyphens: ``--per_team=best`` is ``--per-team=best``.

    Examples
    --------
    >>> hyphenate(["--team_list", "my_teams.csv", "--top_runs=2"])
    ['--team-list', 'my_teams.csv', '--top-runs=2']
    """
    return [_LONG_NAME.sub(_hyphens, text) for text in arguments]


def _hyphens(name: re.Match[str]) -> str:
    return name[0].replace("_", "-")


def translate(arguments: Sequence[str], known: Container[str]) -> list[str]:
    """Replace flags of other programs by ours, where a command has them.

    Examples
    --------
    >>> translate(["--json", "--metrics=AP"], {"--format", "--measure"})
    ['--format', 'json', '--measure', 'AP']
    """
    return [*chain.from_iterable(_translate(text, known) for text in arguments)]


def _translate(text: str, known: Container[str]) -> list[str]:
    name, _, value = text.partition("=")
    ours, *its_value = FLAGS.get(name, "").split(" ")
    # a name that two programs use for two things is ours where we have it
    if name in known or ours not in known:
        return [text]
    return [*filter(None, [ours, *its_value, value])]


def place_files(arguments: Sequence[str], known: Container[str]) -> list[str]:
    """Place files that flags of other programs name where a command expects them, if it
    has no such flags: ``--qrels Q --runs R`` is ``Q R``.

    Examples
    --------
    >>> place_files(["-m", "AP", "--qrels=Q"], {"-m"})
    ['Q', '-m', 'AP']
    """
    if "--qrels" in known:
        return [*arguments]
    words = chain.from_iterable(map(_apart, arguments))
    judged: list[str] = []
    others: list[str] = []
    for word in words:
        if word in QRELS:
            judged += islice(words, 1)  # the value of the flag
        else:
            others.append(word)
    if "--runs" in known and not judged:  # that flag of ours takes the names of some runs
        return others
    pairs = zip(others, [*others[1:], "--"], strict=False)  # of no words, none
    return [*judged, *(word for word, value in pairs if not _names_files(word, value, known))]


def _names_files(word: str, value: str, known: Container[str]) -> bool:
    """Whether a word is a flag for run files. One that the command knows may also take
    names of runs, as ``--run`` of check does.
    """
    if word not in RUNS:
        return False
    return word not in known or is_file(value)


def _apart(word: str) -> list[str]:
    """A flag for files, and its value after an equals sign; another word as it is."""
    name, equals, value = word.partition("=")
    if equals and name in QRELS | RUNS:
        return [name, value]
    return [word]


def join_numbers(arguments: Sequence[str], lists: Container[str]) -> list[str]:
    """Join numbers that follow the value of a flag which takes several:
    ``--rates 100 50`` is ``--rates 100,50``.

    Examples
    --------
    >>> join_numbers(["--rates", "100", "50", "-m", "AP"], {"--rates"})
    ['--rates', '100,50', '-m', 'AP']
    """
    joined: list[str] = []
    for text in arguments:
        is_number = text.replace(".", "", 1).isdecimal()
        if is_number and _flag_before(joined, lists):
            joined[-1] += f",{text}"
        else:
            joined.append(text)
    return joined


def explain_flag(name: str) -> str:
    """What a flag of another program is here; empty if it is not known."""
    if name in TREC_EVAL:
        return f"{name} of trec_eval is {TREC_EVAL[name]}."
    ours, *_ = FLAGS.get(name, name).split(" ")
    meaning = MEANINGS.get(name, MEANINGS.get(ours))
    if meaning is None:
        return ""
    return f"{name}: {meaning}."


def complete_line(words: Sequence[str], commands: Container[str]) -> list[str]:
    """Normalise the words of a command line: insert `evaluate` before files or flags of
    trec_eval without a command; replace another program's name of a command; and
    replace ``help`` by ``--help``.
    """
    if not words or _is_command(words[0], commands):
        return [*words]
    first, *rest = words
    if first == "help":
        return [*complete_line(rest[:1], commands), "--help"]
    if is_file(first) or _is_short_flag(first):
        return ["evaluate", *words]
    # first, since the first word may be a habit of its own, as `list` of `list metrics`
    phrase = " ".join(words[:2])
    if phrase in MEANT:
        return [*MEANT[phrase].split(), *words[2:]]
    return [*MEANT.get(first, first).split(), *rest]


def _is_short_flag(word: str) -> bool:
    """Whether it is a flag of trec_eval, perhaps with its value: ``-mmap``."""
    return word.startswith(EVALUATE) and not word.startswith("--")


def _is_command(word: str, commands: Container[str]) -> bool:
    # a look for the commands of other packages takes long, so not for a path or a flag
    if not _NAME.fullmatch(word):
        return False
    return word in commands


def is_file(text: str) -> bool:
    """Whether a word is a file: standard input, a path, or a collection of a workspace."""
    # an empty word is refused as a file; `Path` would take it for the current folder
    if text in ("", "-"):
        return True
    # pathlib would raise an error for a very long text
    return os.path.exists(text) or split_path(text) is not None
