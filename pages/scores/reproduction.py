"""Reproduction: how close a reproduced run comes to its original."""

from irmeval.ui.pages import reproduction
from irmeval.ui.widgets import experiment, form

experiment.begin("reproduction")
params = reproduction.settings()
if result := experiment.run("reproduction", form.measures(), params):
    pick = experiment.Pick("Topics by", "measure", "The measure whose topics are shown.")
    experiment.present("reproduction", result, pick=pick, views=reproduction.views(result))
