"""Figures as pages of their own and as parts of a page, with Plotly's script."""

from collections.abc import Mapping
from typing import Any

from irmeval.plots.theme import Figure


def mode_bar(name: str) -> dict[str, Any]:
    """Settings of Plotly's mode bar: its camera saves an SVG with this name, and nothing is sent to a cloud."""
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name, "scale": 2},
    }


def figure_page(figure: Figure, name: str) -> str:
    """A figure as one HTML file that needs no network."""
    return str(figure.to_html(config=mode_bar(name), include_plotlyjs=True, full_html=True))


def plotly() -> str:
    """Plotly's own script, for a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def figure_html(figure: Mapping[str, Any], name: str, height: int | str = "100%") -> str:
    """A figure, given as a dictionary, as HTML for a page that holds the script."""
    from plotly.io import to_html

    how = {"full_html": False, "include_plotlyjs": False, "validate": False, "default_height": height}
    return str(to_html(figure, config=mode_bar(name), div_id=name, **how))
