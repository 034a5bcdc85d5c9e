"""The glossary: one source for its page, for the line of words under each title, and
for the documentation.

The tests of the dashboard; the others are in `tests/unit/lessons/test_glossary.py`.
"""

import re
from html import escape

from streamlit.testing.v1 import AppTest

from irmeval.core.folders import PAGES
from irmeval.lessons.glossary import TERMS, find
from irmeval.ui.pages import terms
from irmeval.ui.widgets import menu
from tests.dashboard import fine, opened, texts

GLOSSARY = "pages/learn/glossary.py"
ADDRESSES = menu.pages()


def index_of(app: AppTest) -> str:
    """The index of all words, as HTML."""
    return next(
        one.proto.body for one in app.get("html") if 'class="terms index"' in one.proto.body
    )


def test_links_when_followed_then_each_page_and_each_term_is_there():
    linked = {page for term in TERMS.values() for page in terms.pages_of(term)}
    assert linked <= {*ADDRESSES}
    shown = "".join(terms._button(term) for page in ADDRESSES for term in terms.terms_of_page(page))
    keys = {*re.findall(r"glossary\?term=([\w-]+)", shown)}
    assert len(keys) > 40
    assert keys <= TERMS.keys()


def test_pages_when_listed_in_the_menu_then_each_asks_its_question():
    assert [page for page in ADDRESSES if not menu.question_of(page).endswith("?")] == []
    assert menu.label("Curves", "curves") == r"Curves :gray[What happens as judgments disappear?]"


def test_page_when_opened_then_its_first_words_stand_at_its_end_and_others_come_on_demand():
    app = fine(opened("pages/incompleteness/unjudged.py"))
    others = terms.terms_of_page("unjudged")[terms.FEW :]
    assert len(others) > 0
    assert not any(others[-1].key in shown.value for shown in app.main.markdown)
    line = next(html.proto.body for html in app.get("html") if 'class="terms"' in html.proto.body)
    assert [re.sub("<[^>]*>", "", name) for name in re.findall("<button.*?</button>", line)] == [
        term.name for term in terms.terms_of_page("unjudged")[: terms.FEW]
    ]
    app.session_state["words-unjudged"] = True
    app.run()
    assert all(f"?term={term.key}" in fine(app).main.markdown[-1].value for term in others)
    assert line.count(" popover ") == line.count("</button>") == terms.FEW


def test_glossary_when_its_address_names_a_term_then_it_alone_is_shown():
    app = fine(opened(GLOSSARY, {"term": "tau-ap"}))
    assert TERMS["tau-ap"].meaning in texts(app)
    assert TERMS["pool"].meaning not in texts(app)
    app.button(key="all_words").click().run()
    assert TERMS["pool"].meaning in index_of(fine(app))


def test_glossary_when_its_address_names_no_term_then_the_nearest_are_said():
    app = opened(GLOSSARY, {"term": "tauap"})
    assert not app.exception
    assert "tau-ap" in app.warning[0].value
    assert TERMS["pool"].meaning in index_of(app)


def test_glossary_when_opened_then_all_names_are_an_index_and_meanings_wait_for_a_press():
    app = fine(opened(GLOSSARY))
    drawn = index_of(app)
    names = re.findall("<button popovertarget[^>]*>(.*?)</button>", drawn)
    assert names == sorted((escape(term.name) for term in TERMS.values()), key=str.lower)
    assert drawn.count("<div popover") == len(TERMS)
    assert not any(term.meaning in texts(app) for term in TERMS.values())


def test_glossary_when_searched_then_what_has_all_words_is_shown():
    app = fine(opened(GLOSSARY, {"word": "voorhees swap"}))
    assert [term.key for term in find("voorhees swap")] == ["swap-rate"]
    assert TERMS["swap-rate"].meaning in texts(app)
    assert TERMS["pool"].meaning not in texts(app)


def test_scripts_when_their_words_are_gathered_then_docstrings_of_functions_are_no_part_of_them():
    said = " ".join(terms.texts_in(PAGES / "incompleteness" / "curves.py"))
    assert "scores, orders and decisions" in said
    assert "to work on elsewhere" not in said
