"""What to judge next, and what judgments change that come back: against plain loops,
and against judging and scoring again.

The tests of the dashboard; the others are in
`tests/unit/experiments/test_judge_next.py`.
"""

from urllib.parse import parse_qs

import pytest

from irmeval.experiments.incompleteness.unsure_pairs import list_unsure_pairs
from irmeval.metrics import measure
from irmeval.ui.state.dataset import Dataset
from tests.cases import SAMPLE, read_once
from tests.dashboard import fine, links, opened, pick_view, texts

pytestmark = pytest.mark.usefixtures("files_read_once")


def test_page_when_opened_then_tells_what_to_judge_next_and_waits_for_what_comes_back():
    app = fine(opened("pages/incompleteness/judge-next.py", {"budget": "7", "measures": ["AP"]}))
    assert "Judging 7 of" in texts(app)
    assert "Replace each -1 with a grade" in texts(app)
    app.file_uploader(key="returned").set_value(
        ("back.txt", b"909 0 D15790 1\n928 0 D46161 -1\n", "text/plain")
    ).run()
    assert "1 new judgment (1 relevant). By AP" in texts(fine(app))
    app.file_uploader(key="returned").set_value(
        ("back.txt", b"901 0 D00009 1\n", "text/plain")
    ).run()
    assert "back.txt, line 1: expected documents not judged yet" in app.error[0].value


def test_pair_when_picked_then_its_runs_are_from_the_list_and_it_is_kept():
    app = opened(
        "pages/incompleteness/judge-next.py",
        {"measures": ["AP"], "by": "pair", "pair": ["aurora3", "ember3"]},
    )
    assert "the difference of aurora3 and ember3" in texts(fine(app))
    pair = app.multiselect(key="judge-next.pair")
    assert {"aurora3", "ember3", "juniper1"} <= {*pair.options}
    assert "Pick a second run." in texts(fine(pair.set_value(["juniper1"]).run()))
    fine(app.multiselect(key="judge-next.pair").set_value(["juniper1", "ember3"]).run())
    app.switch_page("pages/runs/matrix.py").run()
    app.switch_page("pages/incompleteness/judge-next.py").run()
    assert fine(app).multiselect(key="judge-next.pair").value == ["juniper1", "ember3"]


def test_link_when_a_pair_is_undecided_then_leads_to_what_to_judge_for_it_if_anything_is_unjudged():
    for judged in (True, False):
        desk = Dataset()
        qrels = "".join(
            f"{t} 0 {d} {int(d == 'a')}\n" for t in "123" for d in ("ab" if judged else "a")
        )
        runs = {"x": "ab", "y": "ba"}
        lists = [
            (
                r,
                "".join(
                    f"{t} Q0 {d} 1 {-i} {r}\n"
                    for t in "123"
                    for i, d in enumerate(of if t != "3" else of[::-1])
                ),
            )
            for r, of in runs.items()
        ]
        desk.add([("qrels.txt", qrels.encode()), *((name, text.encode()) for name, text in lists)])
        found = [
            link
            for link in links(
                fine(opened("pages/runs/two-runs.py", {"measures": ["P@1"]}, desk=desk))
            )
            if link.page == "judge-next"
        ]
        asked = [] if judged else [{"judge-next.by": ["pair"], "judge-next.pair": ["x", "y"]}]
        told = [parse_qs(link.query_string) for link in found]
        assert [
            {key: value for key, value in each.items() if key != "data"} for each in told
        ] == asked


@pytest.mark.parametrize(
    ("measures", "said"),
    [(["AP"], "Least sure first."), (["nDCG@10"], "No pair is in doubt by AP, P or RBP")],
)
def test_what_if_when_pairs_are_in_doubt_then_lists_them_without_a_probability(measures, said):
    app = fine(opened("pages/incompleteness/what-if.py", {"draws": "20", "measures": measures}))
    shown = pick_view(app, "Pairs in doubt")
    assert said in texts(shown)
    listed = [each.value for each in shown.dataframe if "expected" in each.value]
    pairs = list_unsure_pairs(read_once(*SAMPLE), [measure(name) for name in measures])
    assert len(listed) == bool(pairs)
    for table in listed:
        assert [*zip(table["run a"], table["run b"], strict=True)] == [
            (pair.run_a, pair.run_b) for pair in pairs
        ]
