"""Where the dashboard's files are: at the top of a clone, or in a folder of the installed package with the same layout."""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "dashboard"

TOP = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
APP = TOP / "app.py"
"""The script that Streamlit runs; its settings are beside it, in ``.streamlit/config.toml``."""
PAGES = TOP / "pages"
SAMPLE = TOP / "sample_data"
"""The sample collection: ``qrels.txt.gz`` and ``runs``."""


@cache
def page_scripts() -> dict[str, Path]:
    """Address -> script of each page that has one; its stem is the address."""
    return {script.stem: script for script in sorted(PAGES.glob("*/*.py"))}
