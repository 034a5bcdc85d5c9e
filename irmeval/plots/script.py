"""What draws figures in a browser."""


def plotly() -> str:
    """Plotly's own script, to stand in a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
