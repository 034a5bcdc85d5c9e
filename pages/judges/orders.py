"""Orders: how soon each order of judging finds what is relevant and orders the runs rightly, and whether it is fair to a team left out."""

from irmeval.ui.pages import orders

orders.page()
