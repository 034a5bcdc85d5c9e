"""Common variants of arguments: several measures after one flag, standard input as
``-``, runs before the judgments.
"""

import os
import shlex
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.metrics import METRICS, Measure, distinct
from irmeval.metrics.base import REL
from irmeval.metrics.elsewhere import BY_LEVEL, EXPONENTIAL, REASONS
from irmeval.reading import files
from irmeval.reading.parsing import parse
from irmeval.reading.trec import Qrels, Run
from irmeval.workspace.base import split_path

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
    **dict.fromkeys(("measures", "list", "metric", "list-metrics"), "metrics"),
    **dict.fromkeys(("stats", "stat", "info", "summary", "describe"), "collection"),
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
    **dict.fromkeys(("--metric", "--metrics", "--measures", "--eval-metrics"), "--measure"),
    **dict.fromkeys(
        (
            *("--min-rel", "--rel-threshold", "--relevance-threshold", "--relevance-level"),
            *("--rel-level", "--rel-lvl", "--threshold"),
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
EVALUATE = ("-m", "-q", "-c", "-n", "-l", "-J", "-M")
"""Flags of trec_eval that may start a line without a command."""
TREC_EVAL = {
    "-q": "--per-topic of evaluate",
    "-c": "--average judged",
    "-l": "a level of the measure, as in -m 'AP(rel=2)',",
    "-J": 'a prime of the measure, as in -m "AP\'",',
    "-n": "--no-means of evaluate",
    "-N": "not needed: no measure depends on the size of the collection",
    "-R": "--qrels-format",
    "-T": "not needed: the format of a run is recognised",
}
"""Replacements of trec_eval's flags that a command lacks."""


def spread(arguments: Sequence[str], flags: Mapping[str, Accepts]) -> list[str]:
    """Give every value its own flag, if a flag accepts several.

    Examples
    --------
    >>> spread(["evaluate", "-m", "AP", "nDCG@10", "no.file"], {"-m": is_measure})
    ['evaluate', '-m', 'AP', '-m', 'nDCG@10', 'no.file']
    """
    spread: list[str] = []
    flag, begins = "", False
    for text in arguments:
        if text.startswith("-") and text != "-":
            flag, begins = text if text in flags else "", True
        elif begins:
            begins = False
        elif flag and flags[flag](text):
            spread.append(flag)
        else:
            flag = ""
        spread.append(text)
    return spread


def hyphenate(arguments: Sequence[str]) -> list[str]:
    """Spell the names of flags with hyphens: ``--per_team=best`` is ``--per-team=best``.

    Examples
    --------
    >>> hyphenate(["--team_list", "my_teams.csv", "--top_runs=2"])
    ['--team-list', 'my_teams.csv', '--top-runs=2']
    """
    plain = []
    for text in arguments:
        name, equals, value = text.partition("=")
        is_flag = name.startswith("--")
        plain.append(f"{name.replace('_', '-')}{equals}{value}" if is_flag else text)
    return plain


def translate(arguments: Sequence[str], known: Container[str]) -> list[str]:
    """Replace flags of other programs by ours, where a command has them.

    Examples
    --------
    >>> translate(["--json", "--metrics=AP"], {"--format", "--measure"})
    ['--format', 'json', '--measure', 'AP']
    """
    translated: list[str] = []
    for text in arguments:
        name, equals, value = text.partition("=")
        ours, *more = FLAGS.get(name.replace("_", "-"), "").split() or [""]
        if name.replace("_", "-") in known or ours not in known:
            translated.append(text)
            continue
        translated += [ours, *more, *([value] if equals else [])]
    return translated


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
    words = deque(arguments)
    judged: list[str] = []
    placed: list[str] = []
    while words:
        word = words.popleft()
        name, equals, value = word.partition("=")
        if not equals:
            value = words[0] if words else ""
        is_qrels = value and name in QRELS
        is_run = name in RUNS and _is_file(value) and ("--runs" not in known or judged)
        if not (is_qrels or is_run):
            placed.append(word)
            continue
        if not equals:
            words.popleft()
        (judged if is_qrels else placed).append(value)
    return [*judged, *placed]


def join_numbers(arguments: Sequence[str], lists: Container[str]) -> list[str]:
    """Join numbers that follow the value of a flag which takes several:
    ``--rates 100 50`` is ``--rates 100,50``.

    Examples
    --------
    >>> join_numbers(["--rates", "100", "50", "-m", "AP"], {"--rates"})
    ['--rates', '100,50', '-m', 'AP']
    """
    joined: list[str] = []
    values = 0  # of the flag before, counted from its own; none after any other word
    for text in arguments:
        is_number = text.replace(".", "", 1).isdecimal()
        if values > 1 and is_number:
            joined[-1] += f",{text}"
            continue
        joined.append(text)
        values = 1 if text in lists else 2 if values == 1 else 0
    return joined


def explain_flag(name: str) -> str:
    """What a flag of another program is here; empty if it is not known."""
    plain = name.replace("_", "-")
    ours = FLAGS.get(plain, plain)
    found = MEANINGS.get(plain) or MEANINGS.get(ours.split()[0], "")
    return f"{name}: {found}." if found else ""


def is_measure(text: str) -> bool:
    """Whether a text is meant as a measure, and no file has its name. A misspelled
    measure is one, so that the error reports it.
    """
    if _is_file(text):
        return False
    if _parses(text):
        return True
    name, mark, _ = text.lower().partition("@")
    return not set("/\\:") & set(text) and bool(
        mark or get_close_matches(name, map(str.lower, METRICS), cutoff=0.75)
    )


def _is_file(text: str) -> bool:
    # pathlib would raise an error for a very long text
    return not text or text == "-" or os.path.exists(text) or bool(split_path(text))


def _parses(text: str) -> bool:
    try:
        return bool(distinct([text]))
    except IrmevalError:
        return False


def sort_words(given: Any) -> None:
    """Separate judgments, runs and measures: measures may be bare words, and
    ``--qrels`` and ``--runs`` may give the files.
    """
    words = [given.named_qrels, given.qrels, *given.runs, *given.named_runs]
    words = [*filter(None, words)]
    measures = [*filter(_looks_like_measure, words)]
    given.measure = (*given.measure, *measures)
    given.qrels, *given.runs = [word for word in words if word not in measures] or [None]


def _looks_like_measure(word: str) -> bool:
    """Whether a word is a measure, or a misspelled one with a cut-off or parameters, and
    no file.
    """
    if _is_file(word):
        return False
    has_parameters = "/" not in word and not {"@", "("}.isdisjoint(word)
    is_elsewhere = any(word in names for names in REASONS.values())
    return has_parameters or is_elsewhere or _parses(word)


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
    lacks_command = _is_file(first) or _is_short_flag(first)
    if lacks_command:
        return ["evaluate", *words]
    return [*MEANT.get(first, first).split(), *rest]


def _is_short_flag(word: str) -> bool:
    """Whether it is a flag of trec_eval, perhaps with its value: ``-mmap``."""
    return word.startswith(EVALUATE) and not word.startswith("--")


def _is_command(word: str, commands: Container[str]) -> bool:
    # a look for the commands of other packages takes long, so not for a path or a flag
    is_path = not {"/", "\\", "."}.isdisjoint(word)
    return not is_path and not word.startswith("-") and word in commands


def adjust(measures: Iterable[Measure], given: Any) -> list[Measure]:
    """Apply the level of ``-l`` to measures without one, and condense them by
    ``-J``.
    """
    level = given.level or REL.default
    leveled = [_at_level(m, level) for m in measures]
    return [m.condensed for m in leveled] if given.judged_only else leveled


def _at_level(m: Measure, level: int) -> Measure:
    """A measure at a level of relevance, unless it has its own."""
    has_own = m.params["rel"] != REL.default or m.metric.name in BY_LEVEL
    return m if has_own else m.varied("rel", level)


def take_standard_input(given: Any) -> None:
    """Read ``-`` as standard input, in place of the judgments or of one run. Raises
    `ParamError` if it occurs twice, or if workers read the files.
    """
    paths = [str(given.qrels or ""), *map(str, given.runs or ())]
    times = paths.count("-")
    if not times:
        return
    if times > 1:
        raise ParamError(
            "-: standard input can be read once. Name a file for the judgments or for the run."
        )
    if given.scheduler:
        raise ParamError(
            "-: standard input cannot be read by the workers of a scheduler. Name a file."
        )
    paths[paths.index("-")] = files.STANDARD_INPUT
    given.qrels, *given.runs = paths


def suggest_order(given: Any, arguments: Sequence[str]) -> str:
    """The corrected command if runs and judgments are in the wrong order; else an empty
    text.
    """
    first = str(given.qrels or "")
    if first not in arguments:
        return ""
    found = _describe_no_judgments(first)
    if not found:
        return ""
    runs = map(str, given.runs or ())
    typed = [path for path in runs if path in arguments]
    return _with_judgments_first(first, found, typed, arguments)


def _describe_no_judgments(path: str) -> str:
    """What a path is that should be judgments; empty if it may be some."""
    if files.is_folder(path):
        return "a folder"
    return "a run" if _kind(path) == "run" else ""


def _with_judgments_first(
    first: str, found: str, runs: Sequence[str], arguments: Sequence[str]
) -> str:
    """The line with the only judgments among its runs in front; empty without."""
    judged = [path for path in runs if _kind(path) == "qrels"]
    if len(judged) != 1:
        return ""
    words = [word for word in arguments if word != judged[0]]
    words.insert(words.index(first), judged[0])
    return (
        f"{first} is {found}, {judged[0]} contains judgments, which must be first. Use:\n  irmeval"
        f" {shlex.join(words)}"
    )


def _kind(path: str) -> str:
    """Kind of the first text in a file, ``qrels`` or ``run``; empty for a folder, and
    if it cannot be read as either, or as several.
    """
    if path == files.STANDARD_INPUT or files.is_folder(path):
        return ""
    try:
        found = parse(*next(iter(files.unpack(path, files.read_bytes(path)))))
    except (IrmevalError, StopIteration):
        return ""
    return {Run: "run", Qrels: "qrels"}.get(type(found[0]), "")
