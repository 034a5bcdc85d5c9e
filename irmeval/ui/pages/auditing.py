"""The page that audits judges: on a collection with further judges, or on scores that
several judges gave.
"""

import re

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.team_names import kinds_text
from irmeval.core.tables import escape_markdown
from irmeval.reading.score_matrix import Matrix
from irmeval.ui.pages import choose_judge
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form, refusals

NAME = "audit"
SELDOM = ("samples", "trials", "level", "team_rule", "kinds", "seed")
REFERENCE = re.compile(
    r"nist|official|original|human|person|assessor|manual|gold|qrels|trec", re.IGNORECASE
)
"""Names of those who are likely to be the reference."""


def page(view: View) -> None:
    """The whole page."""
    experiment.show_question(NAME)
    source: Collection | Matrix
    if view.matrix:
        source = _pick_scores(view)
    else:
        refusals.require_lists(view)
        with choose_judge.add_other_judge(view) as (source, _):
            # only its widgets are needed: an audit adds no text to their line
            pass
    kinds = kinds_text(
        {run: kind for run, kind in view.dataset.kinds.items() if run in {*source.runs}}
    )
    decided = {}
    if isinstance(source, Collection):
        decided = {"team_rule": view.rules.team_rule}
    params = experiment.settings(view, NAME, f"{NAME}_", seldom=SELDOM, kinds=kinds, **decided)
    if result := experiment.run(view, NAME, experiment.measures_for(view, NAME), params, on=source):
        experiment.present(view, NAME, result, on=source)


def _pick_scores(view: View) -> Matrix:
    """The scores of several judges, by one measure, the reference first. The page stops
    until there are two.
    """
    dataset = view.dataset
    measures = [*dict.fromkeys(matrix.measure for matrix in dataset.matrices)]
    several = {measure: found for measure in measures if (found := dataset.judged_scores(measure))}
    if not several:
        st.write(
            escape_markdown(
                f"The scores of {', '.join(dataset.score_judges)} are loaded. Drop those of another"
                " judge, of the same runs."
            )
        )
        choose_judge.draw_uploader(view)
        choose_judge.show_refused()
        answer.stop_page()
    with answer.controls():
        measure = next(iter(several))
        if len(several) > 1:
            measure = form.choose(
                "Measure",
                [*several],
                key="audit_scores",
                help="Scores to compare.",
                width=form.LIST_WIDTH,
            )
        judges = several[measure].judges
        # files come in any order: a name may tell who is human or official
        usual = next((place for place, judge in enumerate(judges) if REFERENCE.search(judge)), 0)
        help = "The judge to compare the others with."
        reference = form.choose(
            "Reference", judges, usual, key="audit_reference", help=help, width=form.LIST_WIDTH
        )
    with answer.settings("More judges"):
        choose_judge.draw_uploader(view)
    choose_judge.show_refused()
    found = dataset.judged_scores(measure, reference)
    assert found
    return found
