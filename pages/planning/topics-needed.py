"""Topics needed: number of topics that a collection needs, and the pool depth with the
least cost.
"""

from dataclasses import replace

from irmeval.ui.pages import compare_collections, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("topics-needed")
    seldom = (
        "systems",
        "variance",
        "pooled_with",
        "judging",
        "depths",
        "budgets",
        "samples",
        "seed",
    )
    params, measures = (
        experiment.settings(view, "topics-needed", seldom=seldom),
        experiment.measures_for(view, "topics-needed"),
    )
    # the first is open
    others = (
        {chosen.name: chosen for chosen in [*compare_collections.offered_collections(view)][1:]}
        if view.has_runs
        else {}
    )
    if others:
        with answer.controls():
            help = (
                "Other collections that you have loaded: the variance of scores is pooled over all"
                " of them, by degrees of freedom."
            )
            picked = form.pick_some("Pooled with", [*others], "pooled", help, first=[])
        if picked:
            chosen = [others[name] for name in picked]
            variances = compare_collections.variances_of(chosen, measures, params.variance)
            # still computed: without them the numbers would be of this collection alone
            if variances is None:
                answer.stop_page()
            params = replace(
                params, pooled_with="; ".join(filter(None, [params.pooled_with, variances]))
            )
    if result := experiment.run(view, "topics-needed", measures, params):
        experiment.present(view, "topics-needed", result)


draw(frame.view())
