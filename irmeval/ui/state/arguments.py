"""The files that the operator names on the command line."""

import argparse
import sys
from functools import cache
from pathlib import Path

from irmeval.core.errors import ReadError
from irmeval.reading.trec import AUTO, FORMATS


def named_files() -> argparse.Namespace:
    """Arguments of ``streamlit run app.py -- --qrels Q --runs FOLDER ...``. Only the operator can name paths of the server."""
    return _parsed(tuple(sys.argv[1:]))


@cache
def _parsed(words: tuple[str, ...]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="streamlit run app.py --")
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--runs", type=Path, nargs="+", default=[])
    parser.add_argument("--watch", action="store_true")
    parser.add_argument("--qrels-format", choices=(AUTO, *FORMATS), default=AUTO)
    found, _ = parser.parse_known_args(words)
    if bool(found.qrels) != bool(found.runs):
        raise ReadError("streamlit run app.py --", None, "both --qrels FILE and --runs FOLDER", "one of them")
    return found
