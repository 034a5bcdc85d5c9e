"""``irmeval serve``: run the dashboard from any folder, as ``streamlit run app.py``
does in a clone.
"""

import os
import socket
import threading
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from irmeval.core import parallel, terminal
from irmeval.core.errors import ParamError, ReadError, reason_of, require
from irmeval.core.folders import APP
from irmeval.reading.files import unreadable
from irmeval.reading.foreign import IRDS
from irmeval.reading.formats import AUTO, check_format
from irmeval.ui.state import home, hosts


class ServeOptions(NamedTuple):
    """What the dashboard is run with, by the names of the command's flags."""

    qrels: str | None = None
    runs: Sequence[str] = ()
    port: int | None = None
    host: str | None = None
    allow_hosts: Iterable[str] = ()
    """host names besides those of its address"""
    keep: str | None = None
    """days that data of visitors are kept, or ``off``"""
    scheduler: str = ""
    """its workers hold the runs"""
    watch: bool = False
    """whether new and changed runs appear by themselves"""
    qrels_format: str = AUTO
    run_format: str = AUTO
    """these are as in `irmeval.read_collection`"""
    lessons: str | None = None
    """folder with more of them"""


def serve(options: ServeOptions) -> None:
    """Run the dashboard until it is stopped.

    Raises `ReadError` for missing files and faulty lessons, `ParamError` for an address
    that cannot be used, `MissingPackage` without Streamlit.
    """
    require("streamlit", "app")
    require("plotly", "app")
    files = _files(options.qrels, options.runs)
    if options.watch:
        _check_watch(options.qrels, options.scheduler)
        files.append("--watch")
    for kind, form in ("qrels", options.qrels_format), ("run", options.run_format):
        if check_format(form, kind) != AUTO:
            files += [f"--{kind}-format", form]
    allowed = hosts.allowed_names() | hosts.names_in(",".join(options.allow_hosts))
    os.environ[hosts.ALLOW] = ",".join(sorted(allowed))
    if options.keep is not None:
        home.read_days(options.keep)
        os.environ[home.KEEP] = options.keep
    if options.scheduler:
        parallel.cluster(options.scheduler)  # raises now if it is no address
        require("distributed", "cluster")
        os.environ[parallel.SCHEDULER] = options.scheduler
    if options.lessons:
        _check_lessons(options.lessons)
    flags = _flags(options.host, options.port)
    from click import Abort
    from streamlit.web.cli import main

    try:
        with terminal.original_streams():
            main(
                ["run", *flags, str(APP), "--", *files],
                prog_name="streamlit",
                standalone_mode=False,
            )
    except Abort:  # Ctrl-C, as passed to Streamlit
        # errors of threads that are still starting no longer matter
        threading.excepthook = lambda error: None
        raise KeyboardInterrupt from None


def _check_lessons(folder: str) -> None:
    """Serve a folder of lessons too. Raises `ReadError` if the right choice of one does not
    follow from what it says.
    """
    from irmeval.lessons.answers import answer
    from irmeval.lessons.reading import load, serve_folder

    for name in serve_folder(os.path.abspath(folder)):
        answer(load(name))


def _flags(host: str | None, port: int | None) -> list[str]:
    """Streamlit's flags for an address; its own where none is given. Raises `ParamError`
    if it cannot be used.
    """
    flags = []
    if host:
        flags += ["--server.address", host]
    if port is not None:
        flags += ["--server.port", str(port)]
    if flags:
        _check_address(host or "127.0.0.1", port)
    return flags


def _files(qrels: str | None, runs: Sequence[str]) -> list[str]:
    """Arguments of the dashboard for its files."""
    if not qrels:
        return []
    if not runs:
        raise ReadError("serve", None, "both QRELS and RUN", "QRELS alone")
    for name in (qrels, *runs):
        is_there = name.startswith(IRDS) or os.path.exists(name)
        if not is_there:
            raise unreadable(name or "''")
    words = ["--qrels", qrels]
    for name in runs:
        words += ["--runs", name]
    return words


def _check_watch(qrels: str | None, scheduler: str) -> None:
    """Raise `ParamError` if there is nothing to watch, or if workers of a scheduler
    hold the runs.
    """
    if not qrels:
        raise ParamError("watch: expected QRELS and RUN, found neither.")
    if scheduler:
        raise ParamError(
            "watch: runs on the workers of a scheduler cannot be watched. Leave out --scheduler or"
            " --watch."
        )


def _check_address(host: str, port: int | None) -> None:
    """Reject an address that cannot be bound. Streamlit would only log it, and exit
    with another status.
    """
    where, family = host, socket.AF_INET
    if port is not None:
        where = f"{host}, port {port}"
    if ":" in host:
        family = socket.AF_INET6
    try:
        number = port or 0
        # for such a port Python leaves a socket open
        if not 0 <= number <= 65535:
            raise ValueError("a port is a number from 0 to 65535")
        with socket.create_server((host, number), family=family):
            pass
    except (OSError, ValueError) as error:
        reason = reason_of(error).split(" (")[0].rstrip(".")
        raise ParamError(f"{where}: cannot listen on this address: {reason}.") from None
