"""What is wrong with a command line whatever its files hold, refused before any is
opened.
"""

from dataclasses import replace

from irmeval.cli import flags, given_data, meant, outputs
from irmeval.cli.program import Given
from irmeval.collection.base import DEFAULT_JUDGE
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.limits import keep_freed_memory
from irmeval.core.params import fields
from irmeval.core.registry import check_known
from irmeval.core.text import shorten
from irmeval.core.written import split_path
from irmeval.judges.base import check_judge_name
from irmeval.judges.simulation import SIMULATED, Simulation
from irmeval.metrics import distinct
from irmeval.reading.exclusions import read_exclusions
from irmeval.reading.policy import PROFILES, Policy
from irmeval.scoring.selection import Selection


def prepare(given: Given) -> None:
    """Check what is given, in the order in which a user would want to know, and open
    what a command line names in place of values.
    """
    # before files are checked: bare words may be measures, and a list of exhibits needs no files
    given.command.normalize(given)
    given_data.check_files(given)
    meant.take_standard_input(given)
    outputs.check(given)
    _check(given)
    # only from here on is a file opened
    if given.exclude:
        given.exclude = read_exclusions(given.exclude)
    given_data.open_workspace(given)
    if given.writes:  # a server gives it back
        keep_freed_memory()


def _check(given: Given) -> None:
    """Raise `ParamError` for a value that no file makes right."""
    distinct(given.measure or ())
    if given.scheduler:
        parallel.Cluster(given.scheduler)  # it connects on use
    _check_judges(given)
    if given.without_runs is not None:
        _check_collection(given)
    given.check(given)


def _check_collection(given: Given) -> None:
    """Raise `ParamError` for a decision of a policy or a rule of a selection that there
    is not, and for a judge who is not on the line.
    """
    check_policy(given)
    Selection(**flags.given_values(given, fields(Selection)))
    # a workspace has judges of its own
    if split_path(str(given.qrels)) is None:
        _check_named(given)


def check_policy(given: Given) -> None:
    """Raise `ParamError` for a decision of a policy that there is not."""
    values = flags.given_values(given, fields(Policy))
    values.pop("exclude", None)  # a file
    replace(PROFILES["papers"], **values)


def _check_judges(given: Given) -> None:
    """Raise `ParamError` for a judge who is given twice, without a name or without a
    value, and for one who cannot be simulated.
    """
    given_data.scores_of(given)
    given_data.maps_of(given)
    given_data.levels_of(given)
    for name, judged in given_data.others_of(given).items():
        check_judge_name(name)
        if judged.startswith(SIMULATED):
            Simulation.parsed(judged)


def judges_of(given: Given) -> list[str]:
    """Names of the judges of a collection that is read from files, that of QRELS
    first.
    """
    others = given_data.others_of(given)
    if not others:
        return [DEFAULT_JUDGE]
    return [given.first or DEFAULT_JUDGE, *others]


def _check_named(given: Given) -> None:
    """Raise `ParamError` for a map, a level or a choice of an unknown judge, and for a
    judge with the name of the first.
    """
    first, *others = judges_of(given)
    for name in {**given_data.maps_of(given), **given_data.levels_of(given)}:
        check_known(name, others, "unknown judge")
    if first in others:
        remedy = "Give the other judge a different name."
        raise ParamError(f"judge: {shorten(first)} exists already. {remedy}")
    if given.judge:
        check_known(given.judge, [first, *others], "unknown judge")
