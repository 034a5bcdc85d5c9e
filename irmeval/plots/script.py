"""Plotly's script and figures as parts of a page."""

from collections.abc import Mapping
from typing import Any


def plotly() -> str:
    """Plotly's own script, for a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def part(figure: Mapping[str, Any], name: str, config: Mapping[str, Any], height: int | str = "100%") -> str:
    """A figure, given as a dictionary, as HTML for a page that holds the script."""
    from plotly.io import to_html

    how = {"full_html": False, "include_plotlyjs": False, "validate": False, "default_height": height}
    return str(to_html(figure, config=config, div_id=name, **how))
