"""What every command does before it runs, and what it says of files that it cannot
read.
"""

from collections.abc import Sequence

from irmeval.cli import given_data, meant, outputs
from irmeval.cli.program import Given
from irmeval.core.errors import ReadError
from irmeval.core.limits import keep_freed_memory
from irmeval.reading.exclusions import read_exclusions


def prepare(given: Given) -> None:
    """Check what is given, in the order in which a user would want to know."""
    # before files are checked: bare words may be measures, and a list of exhibits needs no files
    given.command.normalize(given)
    given_data.check_files(given)
    meant.take_standard_input(given)
    outputs.check(given)
    given.exclude = given.exclude and read_exclusions(given.exclude)
    given_data.open_workspace(given)
    if given.writes:  # a server gives it back
        keep_freed_memory()


def refusal(error: ReadError, given: Given, words: Sequence[str]) -> str:
    """What is said of files that cannot be read: the error, or the order that was
    meant.
    """
    return meant.suggest_order(given, words) or given_data.refusal_text(error)
