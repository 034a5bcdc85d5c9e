"""The glossary: one source for its page, for the line of words under each title, and
for the documentation.
"""

import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.lessons.glossary import TERMS, terms_in, terms_of

ASKED = (
    "prime tau tau-ap policy condensed-list pool incompleteness residual discriminative-power"
    " swap-rate top-heaviness bpref judge knee"
)


def test_glossary_when_looked_through_then_each_entry_has_words_of_its_own():
    assert {*ASKED.split()} <= TERMS.keys()
    forms = [form.lower() for term in TERMS.values() for form in (term.name, *term.also)]
    assert len(forms) == len({*forms})
    assert all(len(term.meaning.split()) > 5 for term in TERMS.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kendall's tau, tau AP", ["tau", "tau AP"]),
        ("tau AP alone", ["tau AP"]),
        ("Condensed lists of the pools", ["pool", "condensed list"]),
        ("AP' and nDCG@10, but no ap or taut", ["AP", "nDCG"]),
        ("", []),
    ],
)
def test_text_when_searched_then_the_longest_terms_are_found(text, expected):
    assert [term.name for term in terms_in(text)] == expected


def test_experiments_when_searched_then_all_but_general_ones_have_terms_of_their_own():
    assert all(terms_of(e) for e in EXPERIMENTS.values())
    assert "tau-ap" in [term.key for term in terms_of(EXPERIMENTS["curves"])]
