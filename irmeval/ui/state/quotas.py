"""Limits for one visitor and for all together; each is an environment variable."""

from typing import NamedTuple

from irmeval.core import limits


class Quota(NamedTuple):
    """Default and unit of a limit, and what it limits."""

    default: float
    unit: str
    on: str


GIGABYTE = 1e9
UPLOAD, UPLOAD_ALL = "IRMEVAL_UPLOAD", "IRMEVAL_UPLOAD_ALL"
RUNS, RUNS_ALL = "IRMEVAL_RUNS", "IRMEVAL_RUNS_ALL"
JOBS, JOBS_ALL = "IRMEVAL_JOBS", "IRMEVAL_JOBS_ALL"
CACHE = "IRMEVAL_CACHE"
KEPT, KEPT_ALL = "IRMEVAL_KEPT", "IRMEVAL_KEPT_ALL"
QUOTAS = {
    UPLOAD: Quota(8, "GB", "text that one visitor may have loaded, unpacked; of a run about half stays in memory"),
    UPLOAD_ALL: Quota(32, "GB", "the same of all visitors who are here"),
    RUNS: Quota(2000, "runs", "runs that one visitor may have loaded"),
    RUNS_ALL: Quota(20_000, "runs", "the same of all visitors who are here"),
    JOBS: Quota(3, "jobs", "computations of one visitor at once; further ones wait their turn"),
    JOBS_ALL: Quota(8, "jobs", "the same of all visitors"),
    CACHE: Quota(
        1, "GB", "what has been computed, for whoever asks for it next; again so much for collections that the server was started with"
    ),
    KEPT: Quota(4, "GB", "files kept on disk for one visitor"),
    KEPT_ALL: Quota(20, "GB", "files kept on disk for all visitors"),
}


def limit(name: str) -> float:
    """A limit from the environment, or else its default, in bytes or as a number. Raises `ParamError` unless it is a number above 0."""
    quota = QUOTAS[name]
    number = limits.read_setting(name, quota.default)
    return number * GIGABYTE if quota.unit == "GB" else number


def room(name: str, of_all: str, others: int) -> tuple[int, str]:
    """How much one visitor may have if all others have `others` already, and the limit in words."""
    own, left = limit(name), limit(of_all) - others
    quota, most = (name, own) if own <= left else (of_all, left)
    unit = QUOTAS[name].unit
    number = f"{max(most, 0) / GIGABYTE:g}" if unit == "GB" else f"{max(int(most), 0):,}"
    whose = "for you" if quota == name else "left for you, beside what others have loaded"
    return int(most), f"{number} {unit} {whose} on this server ({quota})"


def check() -> None:
    """Raise `ParamError` for the first bad limit in the environment."""
    for name in QUOTAS:
        limit(name)
