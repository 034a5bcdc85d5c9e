"""The page of topics needed: from the variance here, or pooled with that of other collections that are loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from irmeval.experiments.significance.pooled_variance import variances_as_text
from irmeval.experiments.significance.size import Params
from irmeval.experiments.work import Progress
from irmeval.metrics import distinct
from irmeval.ui.pages.across import Chosen, offered
from irmeval.ui.widgets import answer, experiment, form, jobs, session

NAME = "size"
SELDOM = ("systems", "variance", "pooled_with", "judging", "depths", "budgets", "samples", "seed")


def page() -> None:
    """The whole page."""
    experiment.begin(NAME)
    with answer.settings() as said:
        params = form.params(Params, more=SELDOM, said=said)
    measures = experiment.measures(NAME)
    others = {} if session.matrix() or not session.loaded().collection.runs else {chosen.name: chosen for chosen in [*offered()][1:]}
    if others:
        with answer.line():
            help = "Other collections that you have loaded: the variance of scores is pooled over all of them, by degrees of freedom."
            picked = form.pick_some("Pooled with", [*others], "pooled", help, first=[])
        if picked:
            if (text := _variances([others[name] for name in picked], measures, params.variance)) is None:
                return
            params = replace(params, pooled_with="; ".join(filter(None, [params.pooled_with, text])))
    if result := experiment.run(NAME, measures, params):
        experiment.present(NAME, result)


def _variances(some: Sequence[Chosen], measures: Sequence[str], way: str) -> str | None:
    """Those of other collections, as a text; None while they are computed."""

    def work(progress: Progress) -> Iterator[str]:
        texts = []
        for done, chosen in enumerate(some):
            progress(done, len(some))
            texts.append(variances_as_text(chosen.read(), distinct(measures), way))
        yield "; ".join(texts)

    found: str | None = jobs.run("Variances of others", (tuple(chosen.key for chosen in some), tuple(measures), way), work)
    return found
