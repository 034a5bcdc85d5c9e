"""What draws figures in a browser."""

from collections.abc import Mapping
from typing import Any


def plotly() -> str:
    """Plotly's own script, to stand in a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def part(figure: Mapping[str, Any], name: str, config: Mapping[str, Any], height: int | str = "100%") -> str:
    """A figure, as the dictionary it is made of, as part of a page in which that script stands."""
    from plotly.io import to_html

    how = {"full_html": False, "include_plotlyjs": False, "validate": False, "default_height": height}
    return str(to_html(figure, config=config, div_id=name, **how))
