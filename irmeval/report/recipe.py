"""The command that makes a result again."""

import shlex
from collections.abc import Container, Iterator
from typing import Any

from irmeval.collection import Collection
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Result
from irmeval.params import fields, written
from irmeval.policy import DEFAULT, PROFILES, Policy, profile_of
from irmeval.reading.matrix import Matrix
from irmeval.selection import Selection

QRELS, RUNS, MATRIX, TEAMS = "QRELS", "RUNS", "MATRIX", "TEAMS"
"""What stands for files, whose paths a browser does not tell."""


def command(
    experiment: Experiment[Any, Any],
    result: Result,
    source: Collection | Matrix | None,
    selection: Selection | None = None,
    *,
    teams: bool = False,
    table: str = "",
) -> str:
    """A line for the shell, in which `QRELS`, `RUNS`, `MATRIX` and `TEAMS` stand for files.

    Parameters
    ----------
    experiment, result : what was run and what came
    source : what it worked on, under its policy; None where that is nothing
    selection : by which runs and topics were chosen
    teams : whether a list says which run is of which team
    table : the name of the table it prints; every observation where there is none
    """
    words = ["python", "-m", "irmeval", experiment.name]
    if isinstance(source, Matrix) and experiment.matrix:
        words += ["--matrix", MATRIX]
    elif experiment.data:
        words += [QRELS, RUNS]
    words += [word for m in result.measures for word in ("-m", m)]
    words += _flags(result.params, type(result.params)())
    if isinstance(source, Collection) and experiment.data:
        words += _of_policy(source.policy)
        words += _flags(selection or Selection(), Selection(), fields(experiment.params))
        words += ["--team_list", TEAMS] if teams else []
    words += ["--table", table] if table else []
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """A word as a shell reads it; primes in double quotes, which are easier to read than the other way."""
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _of_policy(policy: Policy) -> Iterator[str]:
    """A profile by its name, else every decision that is not the usual one."""
    profile = profile_of(policy)
    if profile is None:
        yield from _flags(policy, DEFAULT)
    else:
        yield from ("--profile", profile) if PROFILES[profile] != DEFAULT else ()
        yield from _flags(policy, PROFILES[profile])


def _flags(values: Any, usual: Any, taken: Container[str] = ()) -> Iterator[str]:
    """A flag for each declared value that is not the usual one."""
    for name, field in fields(type(values)).items():
        value = getattr(values, name)
        if name not in taken and value != getattr(usual, name):
            text = ",".join(map(written, value)) if field.many else str(value)
            yield from (f"--{name}={text}",) if text.startswith("-") else (f"--{name}", text)
