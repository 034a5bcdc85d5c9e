"""Keys of widgets: each belongs to its page, and a value that a widget cannot have
gives way to a valid one.
"""

from collections import Counter
from typing import NamedTuple
from urllib.parse import parse_qs

import pytest
from streamlit import util
from streamlit.testing.v1 import AppTest

from irmeval.core.params import Field, Param
from irmeval.experiments import EXPERIMENTS
from irmeval.papers import PAPERS
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.keys import RUNS, SHARED
from irmeval.ui.state.tab_state import NOTHING
from irmeval.ui.widgets import inputs, menu
from tests.dashboard import dashboard, fine, links, named

FEW = {"measures": ["AP", "Q", "nDCG"], "topics_only": "901-905", "random_runs": "5"}
LESS = "trials=2&seed=3"
ADDRESSES = {
    "collection": "",
    "check": "candidate=aurora2&view=Ties",
    "selection": "find=a&find_by=regex&find_team=aurora",
    "leaderboard": (
        "baseline=krill&test=sign&at_once=benjamini-hochberg&samples=20&seed=2&in_detail=Q&columns=interval&view=Table"
    ),
    "topics": "measure=Q&drawn=strip&view=Method",
    "two-runs": (
        "test=wilcoxon&samples=20&alpha=0.02&at_once=benjamini-hochberg&seed=2&run_a=krill&run_b=ember1&measure=Q"
        "&view=Topics"
    ),
    "reproduction": (
        "original=krill&reproduced=ember1&original_baseline=delta-t&reproduced_baseline=fjord-rank&down_to=10&persistence=0.8"
        "&alpha=0.02&measure=Q&view=Table"
    ),
    "curves": (
        f"{LESS}&levels=100&levels=50&method=uniform&rounding=ceil&correlation=tau_a&gold=AP&also=the+pairs+that+differ+significantly"
        "&test=sign&alpha=0.02&pairs=5&view=Reduced+qrels&reduced_level=100.0"
    ),
    "estimates": f"{LESS}&rates=100&rates=50&method=weighted&level=90.0&axis=judgments&view=Table",
    "leave-one-out": "view=Table",
    "unjudged": "ranks=1&ranks=10&p=0.8&view=Condensed+runs&condensed=krill",
    "matrix": (
        "measure=Q&test=sign&samples=20&alpha=0.02&at_once=benjamini-hochberg&seed=2&run_a=krill&run_b=ember1&only=e"
    ),
    "power": "test=sign&samples=20&alpha=0.02&at_once=benjamini-hochberg&seed=2&view=Every+test",
    "variance": "shards=2&holds_for=these+topics&alpha=0.02&seed=2&view=Table",
    "topics-needed": (
        "alpha=0.02&beta=0.1&differences=0.1&systems=3"
        "&variance=one-way&judging=uniform&budgets=50&budgets=100&samples=20&seed=2"
        "&view=Table"
    ),
    "stability": (
        "size=2&replacement=with&sets=20&seed=2&fuzziness=0.01&fuzziness=0.1&view=Run+pairs&measure=Q&f=0.1"
    ),
    "swap": (
        "swap_threshold=4.0&swap_size=2&swap_trials=20&swap_seed=2&view=Run+pairs&measure=Q&pair_size=2&pair_sets=20&pair_samples=20"
        "&pair-orderings_measure=Q&pair_view=Table"
    ),
    "scorecard": f"{LESS}&rate=20.0&samples=20&sets=20&rounding=ceil&view=Table",
    "agreement": (
        "correlation=tau_a&alpha=0.02&agreement_compare=true&agreement_differs=alpha&agreement_b_alpha=0.03"
        "&agreement_tables=Table+B"
    ),
    "rankings": "sorted_by=Q&against=AP&lines=ranks&points=topics&view=Table",
    "gains": (
        "gains_own=1%3A1%2C2%3A5%2C3%3A9&gains_size=2&gains_sets=20&gains_seed=2&measure=nDCG&view=Table"
    ),
    "audit": "other=Simulated&audit_samples=20&audit_trials=2&audit_seed=2&view=Table",
    "what-if": "draws=20&seed=2&view=Table",
    "judges": (
        "other=Simulated&errs=strict&share=20&judge_seed=4&biased=krill&relevant_from=2&judges_samples=20&judges_level=90.0&judges_seed=2&view=Table"
    ),
    "systems": (
        "other=Simulated&systems_test=sign&systems_samples=20&systems_mixtures=20&systems_level=90.0&measure=Q&view=Table"
    ),
    "holes": (
        "other=Simulated&holes_rates=100&holes_rates=50&holes_trials=2&holes_axis=judgments&measure=Q&view=Table"
    ),
    "judge-next": "budget=9&p=0.8&grade=2&view=Method",
    "judgments-needed": "half_width=0.1&seed=2&view=Method",
    "orders": "orders_trials=1&orders_budgets=20&measure=Q&view=Table",
    "exercises": "exercise=bpref_zero&list=0-1&rest=-",
    "lessons": "",
    "lab": ("example=RBP+of+an+ideal+list&a=2&b=3&c=4&d=5&list=3-2-1-0&rest=1&view=Method"),
    "top-heaviness": (
        "R=2&R=8&last=9&N=50&scale=share+of+rank+1&view=Table&ideal_p=0.5&ideal_R=1&ideal_R=2&ideal_view=Method"
    ),
    "parameters": "parameter=log+base+a&at-base=10&view=Table",
    "catalogue": "search=gain&family=cumulated&property=graded&metric=nDCG&view=All+columns",
    "glossary": "word=pool",
    "swap-property": "R=1&N=9&view=Table",
    "report": "",
    "findings": "as_chosen=false&as_published=true",
    "across": "",
    "bompada-2007": "exhibit=Fig.+3%3A+Binary+and+tertiary+nDCG&view=Method",
}
"""Page -> what its address can say, without the page's name before those of its own
widgets.
"""
LEFT = (
    [],
    ["x"],
    [1.5],
    1.5,
    "x",
    7,
    None,
    True,
    {"a": 1},
    10**400,
    -1,
    float("nan"),
    float("inf"),
    "x" * 200_000,
    "\ud800",
    b"x",
    NOTHING,
)
"""What may be left under a key: a value of each kind."""
KINDS = (
    "selectbox",
    "multiselect",
    "number_input",
    "text_input",
    "text_area",
    "toggle",
    "button_group",
    "slider",
    "select_slider",
)


class Visit(NamedTuple):
    """What was seen of a page: the keys of its own widgets, what its address then said,
    and page and address of each link.
    """

    keys: list[str]
    address: dict[str, list[str]]
    warned: list[str]
    links: list[tuple[str, dict[str, list[str]]]]


def to(app: AppTest, page: str) -> AppTest:
    """To a page of the menu, whether it has a script or not."""
    app._page_hash = getattr(util, "calc_hash", getattr(util, "calc_md5", None))(page)
    app.run()
    assert (app.session_state["redraw"].page, [error.value for error in app.exception]) == (
        page,
        [],
    )
    return app


@pytest.fixture(scope="module")
def visits() -> dict[str, Visit]:
    """One visitor follows an address to each page, with something set there, which is
    then left behind.
    """
    app, seen = dashboard(), {}
    for page, query in ADDRESSES.items():
        app.query_params.clear()
        app.query_params.update(FEW | named(page, parse_qs(query)))
        fine(to(app, page))
        keys = [element.key for kind in KINDS for element in app.main.get(kind) if element.key]
        address = {
            name: [said] if isinstance(said, str) else list(said)
            for name, said in app.query_params.items()
            if name not in FEW
        }
        linked = links(app)
        seen[page] = Visit(
            keys,
            address,
            [warning.value for warning in app.warning],
            [(a.page, parse_qs(a.query_string)) for a in linked],
        )
    return seen


def test_pages_when_walked_through_then_all_of_the_menu_are_and_no_address_is_said_to_be_wrong(
    visits,
):
    told = {*menu.pages()}.difference(PAPERS)
    assert told - set(ADDRESSES) == set()
    assert {
        page: visit.warned
        for page, visit in visits.items()
        if any("as the address asks" in text for text in visit.warned)
    } == {}


def test_address_when_followed_then_the_page_has_all_that_it_says(visits):
    said = {page: named(page, parse_qs(query)) for page, query in ADDRESSES.items()}
    for page, visit in visits.items():
        there = {
            name: values
            for name, values in visit.address.items()
            if name in said[page] or name not in SHARED
        }
        assert there == said[page]
    of_forms = {
        page: {name for name in said[page] if name.startswith(page) and "run_" not in name}
        for page in said
    }
    assert {
        page: names - set(visits[page].keys)
        for page, names in of_forms.items()
        if names - set(visits[page].keys)
    } == {}


def test_next_steps_when_followed_then_each_is_another_page_and_has_what_the_link_says(visits):
    shown = {page for e in EXPERIMENTS.values() if e.data or e.judged for page in e.pages} - {
        "collection",
        "agreement",
    }  # where two are compared
    assert {page for page in shown if not visits[page].links} == set()
    links = {
        (page, *sorted(query)): query
        for visit in visits.values()
        for page, query in visit.links
        if query
    }
    assert {page for page, *_ in links} == {
        "check",
        "",
        "leaderboard",
        "matrix",
        "power",
        "rankings",
        "two-runs",
        "what-if",
    }
    for (page, *_), there in links.items():
        app = dashboard()
        app.query_params.update(FEW | there)
        fine(to(app, page))
        written = {box.key: box.options[box.index or 0] for box in app.main.selectbox}
        held = {name: written.get(name, app.session_state[name]) for name in there}
        assert {
            name: value if isinstance(value, list) else [str(value)] for name, value in held.items()
        } == there
        assert not any("as the address asks" in warning.value for warning in app.warning)


def test_keys_when_all_pages_are_walked_through_then_no_two_share_one_but_for_what_all_decide(
    visits,
):
    pages = Counter(key for visit in visits.values() for key in set(visit.keys) - SHARED)
    assert [key for key, times in pages.items() if times > 1] == []
    assert [
        (page, key)
        for page, visit in visits.items()
        for key in set(visit.keys) - SHARED
        if not key.startswith(f"{page}.")
    ] == []
    names = Counter(
        key.split(".", 1)[1] for visit in visits.values() for key in visit.keys if "." in key
    )
    assert names["seed"] > 5  # of one name, and each of its own page


def test_page_when_values_of_every_kind_are_left_under_its_keys_then_is_drawn(visits):
    one_sample = {"as_chosen": False, "as_published": True}  # of each exhibit of the papers
    app = dashboard(
        Dataset(), measures=["AP", "Q", "nDCG"], topics_only="901-905", random_runs=5, **one_sample
    )
    kept = app.session_state["visitor"].parameters
    for turn, (page, visit) in enumerate(visits.items()):
        own = [key for key in visit.keys if key not in SHARED]
        for i, key in enumerate(own):
            app.session_state[key] = LEFT[(i + turn) % len(LEFT)]
        kept[page] = {
            key.split(".", 1)[1]: LEFT[(i + turn + 5) % len(LEFT)] for i, key in enumerate(own)
        }
        to(app, page)


@pytest.mark.parametrize("turn", range(4))
def test_sidebar_when_values_of_every_kind_are_left_under_its_keys_then_is_drawn(turn):
    # which is no widget
    left = {key: LEFT[(4 * i + turn) % len(LEFT)] for i, key in enumerate(sorted(SHARED - {RUNS}))}
    to(dashboard(**left), "glossary")


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        ("leaderboard", {"baseline": "krill"}),
        ("curves", {"gold": "\ud800"}),
        ("swap-property", {"R": [2.0], "N": {"a": 1}}),
    ],
)
def test_page_when_what_was_kept_of_it_fits_none_of_its_widgets_then_has_the_defaults(page, kept):
    app = dashboard(Dataset(), measures=["AP"], topics_only="901-905", random_runs=5)
    app.session_state["visitor"].parameters = {page: kept}
    fine(to(to(app, "glossary"), page))


def test_swap_property_when_opened_from_top_heaviness_with_a_list_of_R_then_has_its_own():
    app = dashboard()
    app.query_params.update(FEW | {"top-heaviness.R": ["2", "8"]})
    assert fine(to(app, "top-heaviness")).multiselect(key="top-heaviness.R").value == ["2", "8"]
    for page in ("catalogue", "swap-property", "swap-property"):
        fine(to(app, page))
    assert app.number_input(key="swap-property.R").value == 2


@pytest.mark.parametrize("left", LEFT, ids=lambda left: repr(left)[:20])
def test_value_when_its_widget_cannot_have_it_then_gives_way_to_the_default(left):
    whole, share = (
        Field("n", int, 3, Param("n", low=1, high=9)),
        Field("x", float, 0.5, Param("x", low=0, high=1)),
    )
    assert inputs.within(whole)(left) == (7 if left == 7 and left is not True else 3)
    assert inputs.within(share)(left) == 0.5
    assert inputs.within(Field("size", int, None, Param("size", low=1, high=9)))(left) in (None, 7)
    assert inputs.option(["a", "b"], "a")(left) == "a"
    assert inputs.option(["a", "b"], None)(left) in ("a", "b", None)
    assert inputs.some(["a", "x"], ["a"])(left) in ([], ["x"], ["a"])
    assert inputs.texts(["a"])(left) == (left if left in ([], ["x"]) else ["a"])
    assert inputs.is_text(left) == (left == "x")
