"""How the documentation is built: `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import generate  # noqa: E402

import irmeval  # noqa: E402

project = "irmeval"
version = release = irmeval.__version__
copyright = "irmeval contributors"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["myst.header"]  # a page made of another file begins where that begins
html_theme = "furo"
html_title = f"irmeval {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = html_show_sphinx = False
html_use_index = False  # it would have every flag of every command, which the search finds
smartquotes = False  # a prime is part of a measure's name
default_role = "py:obj"
add_module_names = False
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
napoleon_use_ivar = True
napoleon_use_rtype = False

generate.write(HERE / "made")


def setup(app: object) -> None:
    """Formulas without a script, and nothing from elsewhere."""
    generate.install(app)
