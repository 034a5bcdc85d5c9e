"""Reproduction: similarity of a reproduced run and its original."""

from collections.abc import Sequence
from functools import partial

from irmeval.core.params import fields
from irmeval.core.text import capitalize
from irmeval.experiments.runs.reproduction import Params
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, output


def pick_run(runs: Sequence[str], name: str, **look: int) -> str:
    """Draw the choice of one of the runs; empty if none is picked."""
    param = fields(Params)[name].param
    label = capitalize(param.label)
    return (
        form.choose(label, runs, None, key=name, placeholder=param.empty, help=param.help, **look)
        or ""
    )


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("reproduction")
    loaded = view.selected().collection.runs
    with answer.controls():
        look = {"width": form.LIST_WIDTH}
        runs = {name: pick_run(loaded, name, **look) for name in ("original", "reproduced")}
    with answer.settings() as in_force:
        named = "original_baseline", "reproduced_baseline"
        baselines = {name: pick_run(loaded, name) for name in named}
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
    if result := experiment.run(view, "reproduction", form.measures(view), params):
        more = {table.title: partial(output.result_table, table) for table in result.tables()[1:]}
        experiment.present(view, "reproduction", result, more)


draw(frame.view())
