"""An address names its data, and shows no other."""

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.ui.state import home, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import link
from tests.dashboard import dashboard, dataset_of, fine, texts
from tests.pages.test_visitors import COLLECTION, COOKIE
from tests.visiting import FILES, MATRIX

OTHER = [*FILES[:2], ("new", b"1 Q0 A1 1 1 new\n")]


pytestmark = pytest.mark.usefixtures("nobody_here")


def desk(files: list[tuple[str, bytes]] = FILES) -> Dataset:
    return dataset_of(files)


def opened(app: AppTest, **query: str) -> AppTest:
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page("pages/data/selection.py").run()  # the data are told on every page
    assert not app.exception
    return app


def address(app: AppTest) -> str:
    """What it calls the data."""
    found = app.query_params.get(link.DATA, "")
    return found if isinstance(found, str) else found[0]


def test_address_when_files_are_loaded_then_names_them_and_the_sample_needs_none():
    assert address(opened(dashboard())) == ""
    named = address(opened(dashboard(desk=desk())))
    assert named.split(".", 1) == [desk().fingerprint()[: link.DIGITS], "3x4.qrels"]
    assert address(opened(dashboard(desk=desk(MATRIX)))).endswith(".2x2.scores")


def test_fingerprint_when_files_are_named_otherwise_then_is_the_same_and_of_other_content_another():
    renamed = [(f"x{i}", data) for i, (_, data) in enumerate(reversed(FILES))]
    assert desk(renamed).fingerprint() == desk().fingerprint()
    assert desk(OTHER).fingerprint() != desk().fingerprint()
    found = desk()
    found.add(OTHER[2:])
    assert found.fingerprint() not in (desk().fingerprint(), desk(OTHER).fingerprint())


@pytest.mark.parametrize("files", [None, OTHER])
def test_link_when_its_data_are_not_here_then_says_which_and_shows_no_other_until_they_are_loaded(
    files,
):
    named = address(opened(dashboard(desk=desk())))
    app = opened(dashboard(desk=files and desk(files)), data=named, measures="AP")
    assert "This link was made for other data" in texts(app)
    assert (
        app.button(key="show_here").label
        == f"Show the page on {'qrels' if files else 'Sample collection'}"
    )
    assert "**qrels**; 3 runs; 4 topics; measures AP" in texts(app)
    assert not app.get("plotly_chart")
    assert "30 runs" not in texts(app)  # of the sample
    assert "2 runs" not in texts(app)
    assert address(app) == named
    app.file_uploader[0].set_value(
        [(name.strip("./"), data, "text/plain") for name, data in FILES[:3]]
    ).run()
    if files is None:
        assert "other data" in texts(app)  # one run is still missing
        app.file_uploader[0].set_value([(FILES[3][0], FILES[3][1], "text/plain")]).run()
        assert "3 runs" in texts(app)
        # as what was dropped here is called
        assert address(app) == named.replace(".qrels", ".example-and-others")


def test_link_when_its_data_are_ones_own_of_before_then_the_page_is_drawn_on_them_as_they_are_now(
    monkeypatch,
):
    key = visitors.key_of(COOKIE)
    visitors._here[key] = Visitor(key, dataset=desk())
    before = address(opened(dashboard(cookie=COOKIE)))
    visitors._here[key].dataset.add([("new", b"1 Q0 A1 1 1 new\n")])
    app = fine(opened(dashboard(cookie=COOKIE), data=before))
    assert "4 runs" in texts(app)
    assert address(app).split(".")[1] == "4x4"
    monkeypatch.setattr(visitors, "_here", {})  # and another server knows it too
    assert "4 runs" in texts(fine(opened(dashboard(cookie=COOKIE), data=before)))


def test_menu_when_a_link_was_made_on_other_data_then_leads_to_a_page_on_those_loaded():
    app = opened(dashboard(desk=desk(OTHER)), data=address(opened(dashboard(desk=desk()))))
    assert "other data" in texts(app)
    app.query_params.clear()  # as a press in the menu does
    app.switch_page("pages/data/check.py").run()
    assert "other data" not in texts(fine(app))
    assert address(app).startswith(desk(OTHER).fingerprint()[: link.DIGITS])


def test_link_when_the_visitor_wants_the_page_on_their_own_then_has_it_and_the_address_says_so():
    app = opened(dashboard(desk=desk(OTHER)), data=address(opened(dashboard(desk=desk()))))
    app.button(key="show_here").click().run()
    assert "2 runs" in texts(app)
    assert address(app).startswith(desk(OTHER).fingerprint()[: link.DIGITS])


@pytest.mark.parametrize(
    "data",
    [
        "",
        "x",
        "[a](http://b)",
        "1a2b3c4d.9999999999x1",
        "1a2b3c4d.2x2.<b>",
        "é" * 5000,
        "1a2b3c4d.2x2.$a$",
    ],
)
def test_link_when_it_names_what_cannot_be_then_says_that_it_is_not_here_and_shows_nothing_of_it(
    data,
):
    app = opened(dashboard(), data=data)
    assert ("other data" in texts(app)) == bool(data)
    assert "http" not in texts(app)
    assert "é" not in texts(app)


def test_pages_without_data_when_their_link_names_some_then_are_drawn():
    app = dashboard()
    app.query_params["data"] = "1a2b3c4d"
    app.run().switch_page("pages/learn/catalogue.py").run()
    assert "other data" not in texts(fine(app))


def test_link_of_the_sample_when_the_visitor_has_files_then_shows_the_sample_and_a_way_to_them():
    key = visitors.key_of(COOKIE)
    visitors._here[key] = Visitor(key, dataset=desk())
    app = opened(dashboard(cookie=COOKIE), measures="AP")
    assert "30 runs" in texts(app)
    assert "This URL shows the data of the server" in texts(app)
    assert address(app) == ""
    app.button(key="show_own").click().run()
    assert "3 runs" in texts(fine(app))
    assert address(app)
    app = opened(dashboard(cookie=COOKIE), measures="AP")
    assert "3 runs" in texts(fine(app.switch_page(COLLECTION).run()))  # where they would be changed


def test_tab_when_its_visitor_was_forgotten_meanwhile_then_says_which_data_are_gone(monkeypatch):
    monkeypatch.setenv(home.KEEP, "off")
    key = visitors.key_of(COOKIE)
    visitors._here[key] = Visitor(key, dataset=desk())
    app = fine(opened(dashboard(cookie=COOKIE)))
    assert "3 runs" in texts(app)
    visitors._here.clear()
    app.run()
    assert "This link was made for other data" in texts(app)
    assert "**qrels**; 3 runs" in texts(app)
