"""Reproduction: similarity of a reproduced run and its original."""

from functools import partial

from irmeval.core.params import fields
from irmeval.core.text import capitalize
from irmeval.experiments.runs.reproduction import Params
from irmeval.ui.widgets import answer, experiment, form, output, session


def pick_run(name: str, **look: int) -> str:
    """Draw the choice of one of the runs; empty if none is picked."""
    param = fields(Params)[name].param
    label, runs = capitalize(param.label), session.loaded().collection.runs
    return (
        form.choose(label, runs, None, key=name, placeholder=param.empty, help=param.help, **look)
        or ""
    )


experiment.show_question("reproduction")
with answer.controls():
    runs = {name: pick_run(name, width=form.LIST_WIDTH) for name in ("original", "reproduced")}
with answer.settings() as in_force:
    baselines = {name: pick_run(name) for name in ("original_baseline", "reproduced_baseline")}
    in_force += [
        f"{fields(Params)[name].param.label} {run}" for name, run in baselines.items() if run
    ]
    params = form.params(
        Params,
        seldom=("down_to", "persistence", "samples", "alpha", "seed"),
        in_force=in_force,
        **runs,
        **baselines,
    )
if result := experiment.run("reproduction", form.measures(), params):
    more = {table.title: partial(output.result_table, table) for table in result.tables()[1:]}
    experiment.present("reproduction", result, more)
