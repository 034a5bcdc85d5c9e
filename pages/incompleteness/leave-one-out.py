"""Leave one out: documents that only one team retrieved are taken from the pool."""

from irmeval.ui.widgets import experiment, session

experiment.page(
    "leave-one-out",
    # teams of runs are set in the sidebar, and by the CSV on the page Selection
    decided={"team_rule": session.selection().team_rule},
)
