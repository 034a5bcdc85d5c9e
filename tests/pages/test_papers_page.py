"""The pages of the source papers: exhibits are picked, runs are selected as in the
paper, findings are shown.
"""

from contextvars import ContextVar
from functools import cached_property
from types import SimpleNamespace

import streamlit as st

from irmeval.core.errors import Cancelled
from irmeval.core.parallel import watch_for_cancel
from irmeval.papers import PAPERS
from irmeval.papers.base import printed_of, remake, tables_of
from irmeval.papers.exhibits import answer_findings, list_findings, make
from irmeval.papers.findings import MARKS, SHORT, answers
from irmeval.papers.resampled import resample
from irmeval.report.printed import markdown
from irmeval.scoring.selection import Selection, select
from irmeval.ui.pages import paper as widgets
from irmeval.ui.state import cache
from tests.cases import SAMPLE, read_once
from tests.dashboard import fine, opened, pick_view, texts
from tests.unit.papers.test_papers import FINDINGS


def test_page_when_an_exhibit_is_picked_then_it_is_made_and_runs_can_be_selected_as_the_paper_did():
    # as deep as the sample's runs are
    address = {"topics_only": "901-906", "depth": "500", "measures": ["AP"]}
    app = opened("pages/papers/paper.py", address)
    six = select(read_once(*SAMPLE), Selection(topics_only="901-906")).collection
    paper = next(iter(PAPERS.values()))
    assert "Runs that retrieved at least 95%" in texts(fine(app))
    shallow = select(read_once(*SAMPLE, depth=500), Selection(topics_only="901-906")).collection
    # in the order in which they are computed
    assert app.session_state["jobs"].titles == [widgets.EXHIBIT, f"Findings of {paper.title}"]
    told = {
        claim: here
        for made in make(paper, shallow, store=cache.store())
        for claim, here in answer_findings(paper, made).items()
    }
    shown, told = app.dataframe[0].value, list_findings(paper, told)
    assert len(shown) == len(paper.findings)
    told["verdict"] = [f"{MARKS[one]} {SHORT[one]}" for one in told["verdict"]]
    for column in shown.columns:
        assert shown[column].map(str).to_list() == told[column].map(str).to_list(), column
    # the exhibit of the main finding opens first, beside what the paper says of it
    [main] = [one for one in paper.exhibits if one.label == paper.opens]
    assert app.selectbox(key=f"{paper.name}.exhibit").value == main.label
    said = [one for one in app.markdown if one.value.startswith("**The paper says of it**")]
    claims = [claim for claim, of in paper.findings.items() if of.exhibit == main.label]
    assert [
        claim
        for claim in claims
        if claim.replace("-", "\\-") in said[0].value or claim in said[0].value
    ] == claims
    assert "29 runs. The paper: Runs that retrieved" in texts(app)
    app.toggle(key="as_chosen").set_value(False).run()
    assert fine(app).title[0].value == paper.title
    # one of each kind
    for number, exhibit in enumerate({e.experiment: e for e in paper.exhibits}.values()):
        app.selectbox(key=f"{paper.name}.exhibit").set_value(exhibit.label).run()
        expected = remake(paper, exhibit, six, store=cache.store())
        assert expected.headline().replace("_", "\\_")[:40] in texts(fine(app))
        if number > 1:
            continue
        pick_view(app, "Table")  # which AppTest, unlike a browser, forgets
        assert list(fine(app).dataframe[1].value.columns) == list(
            tables_of(exhibit, expected)[0].make().columns
        )
        if exhibit.layouts:
            pick_view(app, f"{exhibit.layouts[0].label}, laid out as in the paper")
            assert markdown(printed_of(paper, exhibit, expected)[0]) in [
                element.value for element in fine(app).markdown
            ]
    app.toggle(key="as_published").set_value(True).run()
    assert "10 of 10 samples" not in set(fine(app).dataframe[0].value["samples"])


def test_findings_when_they_are_told_then_can_be_stopped_between_two_draws_by_who_holds_no_lock(
    monkeypatch,
):
    held, looks = ContextVar("held", default=""), []
    find = cached_property.__get__

    def finding(self, instance, owner=None):
        before = held.set(f"{owner.__name__}.{self.attrname}")
        try:
            return find(self, instance, owner)
        finally:
            held.reset(before)

    monkeypatch.setattr(cached_property, "__get__", finding)
    few = select(read_once(*SAMPLE), Selection(topics_only="901-904", random_runs=4)).collection
    for name, label in (("sakai-2007-reliability", "Table 12"), ("sakai-kando-2008", "Table 6")):
        paper = PAPERS[name]
        exhibit = next(exhibit for exhibit in paper.exhibits if exhibit.label == label)
        found = [finding for finding in paper.findings.values() if finding.exhibit == label]
        result = remake(paper, exhibit, few, store=cache.store())
        looks.clear()
        with watch_for_cancel(lambda: looks.append(held.get())):
            answers(found, result)
        assert len(looks) >= len(resample(result).makes) > 1, label
        assert {*looks} == {""}, label


def test_page_when_all_papers_are_asked_for_then_each_finding_is_told_and_rows_lead_to_exhibits(
    monkeypatch,
):
    run, steps = widgets.jobs.run, list[tuple[int, int]]()

    def noted(title, key, work, ready):
        return run(
            title, key, lambda progress: work(lambda *at: steps.append(at) or progress(*at)), ready
        )

    monkeypatch.setattr(widgets.jobs, "run", noted)
    app = opened(
        "pages/papers/findings.py", {"topics_only": "901-904", "random_runs": "4", "depth": "100"}
    )
    words = fine(app).dataframe[0].value
    assert list(words["finding"]) == [claim for _, claim in FINDINGS]
    shown = app.session_state["jobs"].waits[widgets.FOUND].job.result
    [name] = {*words.columns} - {"finding", "paper", "here"}
    assert list(words[name]) == [f"{MARKS[one]} {SHORT[one]}" for one in shown["verdict"]]
    counts = shown["verdict"].value_counts()
    assert f"{counts['holds']} hold, " in texts(app)
    assert f"{counts['does not']} do not" in texts(app)
    assert "11 of 103 findings follow from definitions" in texts(app)
    assert steps == sorted(steps)
    assert {total for _, total in steps} == {103}
    assert set(words["paper"]) == {paper.title for paper in PAPERS.values() if paper.findings}
    app.button_group(key="findings.only").set_value("no").run()
    assert {*fine(app).dataframe[0].value[name]} == {"✗ no"}
    app.button_group(key="findings.only").set_value("all").run()
    app.button_group(key="findings.sorted").set_value("verdict").run()
    places = [list(SHORT.values()).index(cell[2:]) for cell in fine(app).dataframe[0].value[name]]
    assert places == sorted(places)
    app.button_group(key="findings.sorted").set_value("paper").run()
    app.toggle(key="together").set_value(True).run()
    together = fine(app).dataframe[0].value
    assert "These verdicts hold together" in texts(app)
    changed = together[name] != words[name]
    assert set(together[name][changed]) <= {"? undecided", "↗ direction"}
    state = {
        "page": "findings",
        "findings": SimpleNamespace(selection=SimpleNamespace(rows=[len(shown) - 1])),
    }
    told = app.session_state["jobs"].waits[widgets.FOUND].job.result
    monkeypatch.setattr(st, "session_state", state)
    widgets.open_exhibit(told)
    paper, claim = FINDINGS[-1]
    assert paper.findings[claim].exhibit in state.values()


def test_findings_when_another_visitor_has_had_them_then_are_the_same_and_those_of_other_data_not(
    monkeypatch,
):
    told, paper = [], next(iter(PAPERS.values()))
    monkeypatch.setattr(
        widgets,
        "answer_findings",
        lambda paper, made: told.append(made.exhibit.label) or answer_findings(paper, made),
    )

    def found(topics):
        address = {
            "topics_only": topics,
            "random_runs": "4",
            "depth": "100",
            "as_published": "true",
        }
        app = fine(opened("pages/papers/paper.py", address))
        return app.session_state["jobs"].waits[f"Findings of {paper.title}"].job.result

    first, once = found("905-907"), len(told)
    assert once
    assert found("905-907") is first
    assert len(told) == once
    assert found("905-908") is not first
    assert len(told) == 2 * once


def test_findings_when_stopped_then_the_sentence_is_of_those_so_far_and_nothing_is_kept(
    monkeypatch,
):
    def stopped(paper, made):
        if len(told) == 2:
            raise Cancelled("Stopped.")
        told.append(made.exhibit.label)
        return answer_findings(paper, made)

    told, paper = [], next(iter(PAPERS.values()))
    monkeypatch.setattr(widgets, "answer_findings", stopped)
    app = opened(
        "pages/papers/paper.py",
        {"topics_only": "909-911", "random_runs": "4", "depth": "100", "as_published": "true"},
    )
    some = [claim for claim, finding in paper.findings.items() if finding.exhibit in told]
    assert fine(app).dataframe[0].value["finding"].tolist() == some
    assert f"Preliminary, {len(some)} of {len(paper.findings)} findings so far." in texts(app)
    assert (
        cache.result_of(app.session_state["jobs"].waits[f"Findings of {paper.title}"].job.key)
        is None
    )
