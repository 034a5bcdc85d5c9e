"""The flags of ``irmeval serve``."""

from collections.abc import Iterator

from irmeval.cli.flags import format_flag
from irmeval.cli.program import FILE, Flag, Given, command
from irmeval.ui.server.serve import serve


def _serve(given: Given) -> str:
    names = "qrels", "runs", "port", "host", "allow_hosts", "keep", "scheduler", "watch", "qrels_format", "run_format"
    serve(**{name: getattr(given, name) for name in names})
    return ""


DOES = "open the dashboard in the browser, on the sample or on your files"


@command("serve", _serve, DOES, "--qrels qrels.txt --runs runs/", writes=False)
def _declare() -> Iterator[Flag]:
    yield Flag("--qrels", type=FILE, metavar="FILE", help="load these judgments, with the runs of --runs")
    yield Flag("--runs", type=FILE, metavar="RUN", accepts=bool, help="run files, or folders of them; several, or repeatable")
    yield format_flag()
    yield format_flag("run")
    yield Flag("--port", type=int, metavar="N", help="default 8501, or the next that is free")
    yield Flag("--host", metavar="HOST", help="who can reach it: 127.0.0.1, this machine alone (default); 0.0.0.0, everybody")
    text = "a host name under which a proxy is reached; repeatable"
    yield Flag("--allow-host", dest="allow_hosts", multiple=True, metavar="NAME", help=text)
    text = "days that visitors' data stay on disk after their last use (default 30; off where others can reach the dashboard)"
    yield Flag("--keep", metavar="off|DAYS", help=text)
    yield Flag("--watch", is_flag=True, help="show new and changed files of --runs automatically, within seconds")
