"""Limits per visitor and in all; each is an environment variable."""

from irmeval.core import limits

GIGABYTE = 1e9
QUOTAS = {
    (UPLOAD := "IRMEVAL_UPLOAD"): (8, "GB"),
    (UPLOAD_ALL := "IRMEVAL_UPLOAD_ALL"): (32, "GB"),
    (RUNS := "IRMEVAL_RUNS"): (2000, "runs"),
    (RUNS_ALL := "IRMEVAL_RUNS_ALL"): (20_000, "runs"),
    (JOBS := "IRMEVAL_JOBS"): (3, "jobs"),
    (JOBS_ALL := "IRMEVAL_JOBS_ALL"): (8, "jobs"),
    (CACHE := "IRMEVAL_CACHE"): (2, "GB"),
    (KEPT := "IRMEVAL_KEPT"): (4, "GB"),
    (KEPT_ALL := "IRMEVAL_KEPT_ALL"): (20, "GB"),
}
"""Default and unit of each limit, per visitor and in all: unpacked text and loaded
runs, concurrent jobs, files on disk. `CACHE` limits all shared results and collections
of the operator's files in memory.
"""


def limit(name: str) -> float:
    """Limit from the environment or its default, in bytes or as a number. Raises
    `ParamError` unless it is a number above 0.
    """
    default, unit = QUOTAS[name]
    number = limits.read_setting(name, default)
    if unit == "GB":
        return number * GIGABYTE
    return number


def room_left(name: str, of_all: str, others: int) -> tuple[int, str]:
    """Limit of one visitor if all others have `others` already, and its text."""
    quota, most, whose = name, limit(name), "for you"
    left = limit(of_all) - others
    if left < most:
        quota, most, whose = of_all, left, "left for you, beside what others have loaded"
    _, unit = QUOTAS[name]
    number = f"{max(int(most), 0):,}"
    if unit == "GB":
        number = f"{max(most, 0) / GIGABYTE:g}"
    return int(most), f"{number} {unit} {whose} on this server ({quota})"


def check() -> None:
    """Raise `ParamError` for the first bad limit in the environment."""
    for name in QUOTAS:
        limit(name)
