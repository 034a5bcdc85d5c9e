"""Reproduction on its page: the form that picks runs and their baselines, and the tables below the charts."""

from collections.abc import Callable

from irmeval.core.params import fields
from irmeval.experiments.results import Table
from irmeval.experiments.scores.reproduction import Params, Reproduction
from irmeval.ui.widgets import answer, experiment, form, results, session

RUNS, BASELINES = ("original", "reproduced"), ("original_baseline", "reproduced_baseline")


def settings() -> Params:
    """The two runs in the line below the sentence, their baselines and what is set seldom behind its button."""
    with answer.line():
        named = {name: _pick(name, width=experiment.WIDTH) for name in RUNS}
    with answer.settings() as said:
        named |= {name: _pick(name) for name in BASELINES}
        said += [f"{fields(Params)[name].param.label} {named[name]}" for name in BASELINES if named[name]]
        return form.params(Params, more=("persistence", "alpha"), said=said, **named)


def views(result: Reproduction) -> dict[str, Callable[[Reproduction], None]]:
    """All tables but the first, which every page shows."""

    def view(made: Table) -> Callable[[Reproduction], None]:
        return lambda _: results.table_of(made)

    return {made.title: view(made) for made in result.tables()[1:]}


def _pick(name: str, **more: int) -> str:
    """One of the runs; empty where none is picked."""
    param = fields(Params)[name].param
    label, runs = param.label[0].upper() + param.label[1:], session.loaded().collection.runs
    return form.choose(label, runs, None, key=name, placeholder=param.empty, help=param.help, **more) or ""
