"""Size: how many topics a collection needs, and how deep to judge them so that it costs least."""

from irmeval.ui.pages import size

size.page()
