"""What can go wrong, as exceptions a person can act on."""

from importlib import import_module

from irmeval.core.words import one_line


class IrmevalError(Exception):
    """Root of every error that irmeval raises on purpose; its text is one line, fit to be shown.

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

    def __str__(self) -> str:
        return one_line(super().__str__())


class ReadError(IrmevalError):
    """A file that cannot be used as it is: where, what was expected, what came, and what to do.

    Attributes
    ----------
    file : its name, or ``qrels`` or that of a run where the data are no file
    line : from 1; None where the fault is in no single line
    expected, came, remedy : the parts of the message

    Examples
    --------
    >>> import irmeval
    >>> try:
    ...     irmeval.Collection.from_dicts({"1": {"a": 1}}, {"mine": {"1": {"a": float("nan")}}})
    ... except irmeval.ReadError as error:
    ...     print(error)
    mine: expected a score that is a number, came NaN. Give every document a score.
    """

    def __init__(self, file: str, line: int | None, expected: str, came: str, remedy: str = ""):
        self.file, self.line, self.expected, self.came, self.remedy = file, line, expected, came, remedy
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: expected {expected}, came {came}." + (f" {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.file, self.line, self.expected, self.came, self.remedy)


class UnknownName(IrmevalError):
    """A name that no registry holds; the message offers the nearest ones.

    Examples
    --------
    >>> import irmeval
    >>> irmeval.REDUCTIONS["stratifed"]
    Traceback (most recent call last):
    irmeval.core.errors.UnknownName: unknown reduction 'stratifed'; nearest: stratified.
    """


class ParamError(IrmevalError):
    """A parameter whose value is outside what it may be.

    Examples
    --------
    >>> import irmeval
    >>> irmeval.measure("RBP(p=1.5)")
    Traceback (most recent call last):
    irmeval.core.errors.ParamError: p: expected a value from 0.01 to 0.99, came '1.5'.
    """


class Cancelled(IrmevalError):
    """A long computation stopped because the user asked for it: raised by what an experiment tells its progress.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.experiments import EXPERIMENTS
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> def enough(done, total):
    ...     if done == 2:
    ...         raise irmeval.Cancelled
    >>> try:
    ...     EXPERIMENTS["incompleteness"](collection, ["AP"], progress=enough)
    ... except irmeval.Cancelled:
    ...     print("stopped")
    stopped
    """


class SchedulerError(IrmevalError):
    """A Dask scheduler that does not answer, or workers that cannot do what is asked of them."""


class MissingPackage(IrmevalError):
    """A package that is not installed, and that only some of irmeval needs."""


def require(package: str, extra: str) -> None:
    """Raise `MissingPackage` where a package is missing, and name the extra of irmeval that brings it."""
    try:
        import_module(package)
    except ModuleNotFoundError:
        raise MissingPackage(f'this needs the package {package}, which is not installed: pip install "irmeval[{extra}]"') from None
