"""The arguments and flags of ``irmeval serve``."""

from collections.abc import Iterator

import click

from irmeval.cli.flags import format_flag, given_values
from irmeval.cli.program import FILE, FILES, Flag, Given, argument, command
from irmeval.ui.server.serve import ServeOptions, serve


def _serve(given: Given) -> str:
    serve(ServeOptions(**given_values(given, ServeOptions._fields)))
    return ""


DOES = "open the dashboard, with the sample or your files"


@command("serve", _serve, DOES, FILES, writes=False)
def _declare() -> Iterator[click.Parameter]:
    yield argument("qrels", "a qrels file, to open in place of the sample", required=False)
    yield argument("runs", "run files, or folders of them", metavar="RUN", nargs=-1)
    yield format_flag()
    yield format_flag("run")
    yield Flag("--port", type=int, metavar="N", help="default 8501, or the next free one")
    yield Flag(
        "--host",
        metavar="HOST",
        help="address to listen on: 127.0.0.1, this machine only (default); 0.0.0.0, all networks",
    )
    text = "host name of a proxy; repeatable"
    yield Flag("--allow-host", dest="allow_hosts", multiple=True, metavar="NAME", help=text)
    text = (
        "days that visitors' data stay on disk after the last use (default 30; off if others can"
        " reach the dashboard)"
    )
    yield Flag("--keep", metavar="off|DAYS", help=text)
    yield Flag("--lessons", type=FILE, metavar="FOLDER", help="folder with lessons of your own")
    yield Flag("--watch", is_flag=True, help="show new and changed files of RUN within seconds")
