"""Curves: what happens to scores, orders and decisions as something disappears."""

from irmeval.ui.pages import watching

watching.draw()
