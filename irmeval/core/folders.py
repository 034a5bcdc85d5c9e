"""Location of the dashboard's files: the top of a clone, or a folder of the installed
package with the same layout.
"""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "dashboard"

TOP = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
APP = TOP / "app.py"
"""The script that Streamlit runs. Its settings are in ``.streamlit/config.toml`` in the
same folder.
"""
PAGES = TOP / "pages"
SAMPLE = TOP / "sample_data"
"""The sample collection: ``qrels.txt.gz`` and ``runs``."""


@cache
def page_scripts() -> dict[str, Path]:
    """Map of URL path to the script of each page that has one; the path is the file's
    stem.
    """
    return {script.stem: script for script in sorted(PAGES.glob("*/*.py"))}
