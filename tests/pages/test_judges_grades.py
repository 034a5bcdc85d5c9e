"""The grades of dropped judges: how they are mapped, which are relevant, and that both
are kept with the judge.
"""

import pytest
from streamlit.testing.v1 import AppTest

import irmeval
from irmeval.core.folders import SAMPLE
from irmeval.metrics import measure
from irmeval.reading.parsing import settled_qrels
from irmeval.reading.policy import DEFAULT
from irmeval.ui.pages import choose_judge
from irmeval.ui.state import cache, quotas, server_files, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import session, workspaces
from irmeval.workspace.stored import OtherJudge
from tests.conftest import TINY_QRELS
from tests.dashboard import dataset_of, fine, opened, texts
from tests.pages.test_judges_pages import BOARD, COLLECTION, DOCUMENTS, FILES

FIVE = (
    "five.txt",
    "".join(
        f"{t} 0 {d} {int(g) + (int(g) > 0) * 2}\n"
        for t, _, d, g in map(str.split, TINY_QRELS.splitlines())
    ).encode(),
)
"""Who gives 3, 4, 5 where the first judge gives 1, 2, 3."""
MAP = "3:1,4:2,5:3"


def with_five(**how: object) -> Dataset:
    desk = dataset_of(FILES)
    assert desk.add_judges([FIVE]) == []
    desk.judges["five"] = OtherJudge.of(desk.judges["five"].qrels, **how)
    return desk


def collection_of(desk: Dataset) -> irmeval.Collection:
    return desk.judges["five"].beside(desk.collection(DEFAULT), "five")


def by_label(elements: object, label: str):
    return next(each for each in elements if each.label == label)


def commands(app: AppTest) -> str:
    return " ".join(code.value for code in app.code)


def test_grades_when_mapped_on_the_page_then_every_page_and_the_command_has_it_and_it_is_kept(
    nobody_here,
):
    app = fine(opened(COLLECTION, cookie="c" * 32, measures=["nDCG"]))
    by_label(app.file_uploader, "Drop the qrels of other judges, or files of scores")
    app.file_uploader[0].set_value([(name, data, "text/plain") for name, data in FILES]).run()
    by_label(app.file_uploader, "Drop the qrels of other judges, or files of scores").set_value(
        [(*FIVE, "text/plain")]
    ).run()
    assert "The grades of the collection's own judgments are 0, 1, 2, 3." in texts(fine(app))
    table = next(frame.value for frame in app.dataframe if "becomes" in frame.value)
    assert dict(zip(table["grade in the file"], table["judgments"], strict=True))[5] == 1
    by_label(app.text_input, "Map").set_value("3:1, 4:2,5:x").run()
    assert (
        "map: expected pairs of grades as in 1:1,2:1, or ranges as in 0-49:0,50-100:1, found '3:1,"
        " 4:2,5" in app.error[0].value
    )
    by_label(app.text_input, "Map").set_value(MAP).run()
    by_label(app.number_input, "Relevant from").set_value(2).run()
    table = next(frame.value for frame in fine(app).dataframe if "becomes" in frame.value)
    became = dict(zip(table["grade in the file"], table["becomes"], strict=True))
    assert became == {-1: -1, 0: 0, 3: 1, 4: 2, 5: 3}
    fine(app.switch_page(DOCUMENTS).run())
    assert "qrels and five give the same grade to 100% of 14" in texts(app)
    app.button_group(key="judges.view").set_value("Method").run()
    assert f"--relevant five=2 --map five={MAP}" in commands(app)
    app.sidebar.selectbox(key="judged_by").set_value("five").run()
    visitors._here = {}  # a server that was started anew
    again = fine(opened(BOARD, cookie="c" * 32, measures=["nDCG"]))
    shown = next(frame.value for frame in again.dataframe if "nDCG" in frame.value)
    theirs = irmeval.evaluate(
        collection_of(with_five(grades=MAP, relevant=2)).judged_by("five"), ["nDCG"]
    )
    assert dict(zip(shown["run"], shown["nDCG"], strict=True)) == pytest.approx(
        dict(zip(theirs.runs, theirs.means[0], strict=True))
    )
    assert (
        theirs.means[0].tolist()
        != irmeval.evaluate(collection_of(with_five()).judged_by("five"), ["nDCG"])
        .means[0]
        .tolist()
    )


def test_collection_when_a_map_or_a_level_differs_then_it_is_kept_under_another_key():
    ways = [{}, {"grades": MAP}, {"relevant": 2}, {"grades": MAP, "relevant": 2}]
    alone, others = with_five().collection(DEFAULT), [with_five(**how) for how in ways]
    made = [session.with_judges(desk, alone) for desk in others]
    assert len({one.fingerprint for one in made}) == len(ways)
    assert session.with_judges(with_five(**ways[1]), alone) is made[1]
    assert all(
        session.with_judges(desk, alone).fingerprint == collection_of(desk).fingerprint
        for desk in others
    )
    cache.store().clear()


def test_cells_when_edited_then_the_map_is_what_a_flag_says_and_an_empty_cell_is_as_in_the_file():
    judge = OtherJudge.of(settled_qrels(*FIVE), "5:3")
    rows = [0, 3, 4, 5]
    assert choose_judge.edited_map(judge, rows, {1: {"becomes": 1}, 2: {"becomes": 2}}) == MAP
    assert (
        choose_judge.edited_map(judge, rows, {3: {"becomes": None}, 0: {"becomes": -1}}) == "0:-1"
    )
    assert choose_judge.edited_map(judge, rows, {3: {"becomes": 5}}) == ""


def test_judges_when_saved_with_their_maps_then_the_file_has_them_and_the_command_line_too():
    desk = with_five(grades=MAP, relevant=2)
    stored = desk.stored(desk.title)
    again = irmeval.Workspace.parse(
        "my.irmeval", irmeval.Workspace((stored,), stored.name).to_bytes()
    )
    assert (
        again.collection().fingerprint
        == collection_of(with_five(grades=MAP, relevant=2)).fingerprint
    )
    desk = Dataset.of(again.stored())
    assert (desk.judges["five"].map, desk.judges["five"].relevant) == (((3, 1), (4, 2), (5, 3)), 2)


@pytest.fixture(scope="module")
def beside_sample() -> bytes:
    """A workspace of somebody who has dropped a judge beside the sample, and nothing
    else.
    """
    app = fine(opened(COLLECTION, desk=Dataset()))
    sample = SAMPLE / "qrels.txt.gz"
    by_label(app.file_uploader, "Drop the qrels of other judges, or files of scores").set_value(
        [("model.gz", sample.read_bytes(), "text/plain")]
    ).run()
    by_label(fine(app).text_input, "Map").set_value("3:2").run()
    visitor = fine(app).session_state["visitor"]
    return workspaces.workspace(visitor, visitor.dataset, [measure("AP")]).to_bytes()


def test_judges_when_beside_the_sample_then_a_workspace_has_them_and_they_stand_there_again(
    beside_sample,
):
    stored = irmeval.Workspace.parse("my.irmeval", beside_sample).stored()
    assert (stored.name, stored.beside, stored.qrels, [*stored.judges]) == (
        "Sample collection",
        "Sample collection",
        None,
        ["model"],
    )
    with pytest.raises(
        irmeval.ReadError, match="judges beside Sample collection, which is not in the file"
    ):
        irmeval.Workspace.parse("my.irmeval", beside_sample).collection()
    app = fine(opened(COLLECTION, desk=Dataset()))
    app.file_uploader[0].set_value([("my.irmeval", beside_sample, "application/zip")]).run()
    assert "Beside the qrels of the collection: model" in texts(fine(app))
    assert by_label(app.text_input, "Map").value == "3:2"
    visitor = app.session_state["visitor"]
    assert not visitor.dataset.has_content
    assert visitor.dataset.judges["model"].map == ((3, 2),)


def test_judges_when_beside_what_is_not_shown_here_then_refused_in_words(
    beside_sample, monkeypatch
):
    monkeypatch.setattr(server_files, "shared_name", lambda: "other.txt on this server")
    app = opened(COLLECTION, desk=Dataset())
    app.file_uploader[0].set_value([("my.irmeval", beside_sample, "application/zip")]).run()
    assert not app.exception
    assert (
        "expected collections, or judges beside other.txt on this server, found judges beside"
        " 'Sample collection'" in app.error[0].value
    )
    assert not app.session_state["visitor"].dataset.judges


def test_judges_when_removed_then_their_bytes_are_free_again(monkeypatch):
    monkeypatch.setenv(quotas.UPLOAD, f"{1.5 * len(FIVE[1]) / 1e9:.9f}")
    desk = Dataset()
    assert desk.add_judges([FIVE]) == []
    assert desk.loaded[0] > 0
    assert (
        "GB for you on this server (IRMEVAL_UPLOAD), found more. Remove other data first."
        in " ".join(desk.add_judges([FIVE, FIVE]))
    )
    desk.judges.clear()
    assert desk.loaded == (0, 0)
    assert desk.add_judges([FIVE]) == []


def test_judge_when_removed_alone_then_the_others_stay():
    desk = with_five()
    assert desk.add_judges([("third.txt", TINY_QRELS.encode())]) == []
    app = fine(opened(COLLECTION, desk=desk))
    app.selectbox(key="collection.grades_of").set_value("five").run()
    app.button(key="judge_removed").click().run()
    assert [*desk.judges] == ["third"]
    assert app.selectbox(key="collection.grades_of").value == "third"
    assert "five removed." in texts(fine(app))


@pytest.mark.parametrize(("page", "others"), [(COLLECTION, 1), (DOCUMENTS, 0)])
def test_judges_when_removed_then_they_can_be_taken_back_with_their_map_and_in_their_order(
    page, others
):
    desk = with_five(grades=MAP, relevant=2)
    assert desk.add_judges([("third.txt", TINY_QRELS.encode())] * others) == []
    before = dict(desk.judges)
    app = fine(opened(page, desk=desk, measures=["AP"]))
    app.button(key="judges_removed" if others else "judge_removed").click().run()
    assert not desk.judges
    assert ("2 judges removed." if others else "five removed.") in texts(fine(app))
    app.button(key="undo").click().run()
    assert [*desk.judges.items()] == [*before.items()]
    assert "undo" not in [button.key for button in fine(app).button]


def test_level_when_a_judge_has_one_of_their_own_then_the_page_says_that_it_stands():
    app = fine(opened(DOCUMENTS, desk=with_five(relevant=2), measures=["AP"]))
    app.number_input(key="judges.relevant_from").set_value(3).run()
    assert "Judges with a level of their own: five from 2." in texts(fine(app))
    plain = fine(opened(DOCUMENTS, desk=with_five(), measures=["AP"]))
    assert "Judges with a level of their own" not in texts(plain)
