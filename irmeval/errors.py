"""What can go wrong, as exceptions a person can act on."""

from importlib import import_module

from irmeval.words import one_line


class IrmevalError(Exception):
    """Root of every error that irmeval raises on purpose; its text is one line, fit to be shown."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class ReadError(IrmevalError):
    """A file that cannot be used as it is: where, what was expected, what came, and what to do."""

    def __init__(self, file: str, line: int | None, expected: str, came: str, remedy: str = ""):
        self.file, self.line, self.expected, self.came, self.remedy = file, line, expected, came, remedy
        where = f"{file}, line {line}" if line else file
        super().__init__(f"{where}: expected {expected}, came {came}." + (f" {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.file, self.line, self.expected, self.came, self.remedy)


class UnknownName(IrmevalError):
    """A name that no registry holds; the message offers the nearest ones."""


class ParamError(IrmevalError):
    """A parameter whose value is outside what it may be."""


class Cancelled(IrmevalError):
    """A long computation stopped because the user asked for it."""


class MissingPackage(IrmevalError):
    """A package that is not installed, and that only some of irmeval needs."""


def require(package: str, extra: str) -> None:
    """Raise `MissingPackage` where a package is missing, and name the extra of irmeval that brings it."""
    try:
        import_module(package)
    except ModuleNotFoundError:
        raise MissingPackage(f'this needs the package {package}, which is not installed: pip install "irmeval[{extra}]"') from None
