"""Exceptions with messages that a user can act on."""

from importlib import import_module
from typing import Any

from irmeval.core.text import one_line


class IrmevalError(Exception):
    """Base of all errors that irmeval raises on purpose. The message is one line.

    Attributes
    ----------
    brief : the message without a long list of what else is there

    Examples
    --------
    >>> import irmeval
    >>> for text in ("AP", "MAPP", "P"):
    ...     try:
    ...         irmeval.measure(text)
    ...     except irmeval.IrmevalError as error:
    ...         print(error)
    AP
    unknown metric 'MAPP'; nearest: AP, ...
    P needs its cut-off k, as in P@10.
    """

    def __init__(self, message: str = "", *, brief: str = ""):
        super().__init__(message)
        self.brief = brief or message

    def __str__(self) -> str:
        return one_line(super().__str__())


def reason_of(error: OSError | ValueError) -> str:
    """Why a path cannot be read, in words that follow ``found``."""
    if isinstance(error, IsADirectoryError):
        return "a folder"
    return (getattr(error, "strerror", None) or str(error)).lower()


REPEATED = "repeated"
"""Kind of a fault: lines that repeat others, of which a policy may keep one."""
NOT_A_NUMBER = "not a number"
"""Kind of a fault: a score that is NaN."""
UNKNOWN_FORMAT = "unknown format"
"""Kind of a fault: a text in no known format."""


class ReadError(IrmevalError):
    """A file cannot be used as it is. The message gives place, expectation, finding and
    remedy.

    Attributes
    ----------
    file : name of the file; ``qrels`` or the name of a run if the data come from no
        file
    line : number of the line, from 1; None if the fault is in no single line
    expected, came, remedy : the parts of the message
    kind : what is at fault, for those who decide on it; empty for most

    Examples
    --------
    >>> import irmeval
    >>> try:
    ...     irmeval.Collection.from_dicts({"1": {"a": 1}}, {"mine": {"1": {"a": float("nan")}}})
    ... except irmeval.ReadError as error:
    ...     print(error)
    mine: expected a score that is a number, found NaN. Give every document a score.
    """

    def __init__(
        self,
        file: str,
        line: int | None,
        expected: str,
        came: str,
        remedy: str = "",
        kind: str = "",
    ):
        self.file = file
        self.line = line
        self.expected = expected
        self.came = came
        self.remedy = remedy
        self.kind = kind
        where = file
        if line:
            where = f"{file}, line {line}"
        super().__init__(f"{where}: expected {expected}, found {came}. {remedy}".rstrip())

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.parts

    @property
    def parts(self) -> tuple[str, int | None, str, str, str, str]:
        """What the error is made of again."""
        return self.file, self.line, self.expected, self.came, self.remedy, self.kind

    def copy(self) -> "ReadError":
        """The same error without a traceback. Copied by hand, since Dask makes pickles
        keep tracebacks.
        """
        made: Any = self.__reduce__()
        copied: ReadError = made[0](*made[1])
        return copied


class TooLarge(ReadError):
    """A file, or what is packed in it, is larger than may be read."""


class OfOtherKind(ReadError):
    """A file is of a kind that no collection has, such as an image."""


class UnknownName(IrmevalError):
    """A name is not in a registry; the message offers the nearest names.

    Examples
    --------
    >>> import irmeval
    >>> irmeval.REDUCTIONS["stratifed"]
    Traceback (most recent call last):
    irmeval.core.errors.UnknownName: unknown reduction 'stratifed'; nearest: stratified.
    """


class ParamError(IrmevalError):
    """A parameter has a value that is not permitted.

    Examples
    --------
    >>> import irmeval
    >>> irmeval.measure("RBP(p=1.5)")
    Traceback (most recent call last):
    irmeval.core.errors.ParamError: p: expected a value from 0.01 to 0.99, found '1.5'.
    """


class Cancelled(IrmevalError):
    """The user stopped a long computation. Raised by the progress function of an
    experiment.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.experiments import EXPERIMENTS
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> def enough(done, total):
    ...     if done >= 2:
    ...         raise irmeval.Cancelled
    >>> try:
    ...     EXPERIMENTS["curves"](collection, ["AP"], progress=enough)
    ... except irmeval.Cancelled:
    ...     print("stopped")
    stopped
    """


class SchedulerError(IrmevalError):
    """A Dask scheduler does not answer, or its workers cannot do the work."""


class MissingPackage(IrmevalError):
    """An optional package is not installed."""


def require(package: str, extra: str) -> None:
    """Raise `MissingPackage` if a package is missing; the message gives the extra of
    irmeval that installs it.
    """
    try:
        import_module(package)
    except ModuleNotFoundError:
        raise MissingPackage(
            f"this needs the package {package}, which is not installed: pip install"
            f' "irmeval[{extra}]"'
        ) from None
