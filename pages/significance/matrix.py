"""Matrix: every run against every other, and any two of them topic by topic."""

from irmeval.experiments.significance.every_pair import Params
from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import answer, experiment, form, session

experiment.begin("significance")
names = experiment.measures("significance") or [session.scored().collection.name]
with answer.settings() as said:
    params = form.params(Params, said=said)
with answer.line():
    name = form.choose("Measure", names, key="measure", help="The measure by which the runs are compared.", width=experiment.WIDTH)
if result := experiment.run("significance", [name], params, title="Matrix"):
    experiment.present("significance", result, draw=lambda found: run_pairs.look(found, name), notes={"measure": name})
