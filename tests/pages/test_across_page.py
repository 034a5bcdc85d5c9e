"""The page of several collections: which are offered, what is kept of a stopped
comparison, verdicts, figures and a forest plot.
"""

from typing import Any

import pytest

from irmeval.core.errors import Cancelled
from irmeval.papers import PAPERS
from irmeval.papers.findings import DOES_NOT, HOLDS, Outcome
from irmeval.ui.pages import compare_collections, five_papers
from irmeval.ui.state import cache, visitors
from irmeval.ui.state.dataset import Dataset
from tests.cases import drawn
from tests.dashboard import dashboard, fine, links, opened, texts

PAGE = "pages/papers/across.py"


def dropped(name: str, seed: int) -> Dataset:
    """A collection that a visitor has loaded."""
    judgments, scores = drawn(seed, topics=8, runs=5)
    qrels = "".join(
        f"{topic} 0 {document} {grade}\n"
        for topic, of in judgments.items()
        for document, grade in of.items()
    )
    files = [(f"{name}-qrels.txt", qrels.encode())]
    for run, topics in scores.items():
        lines = [
            f"{topic} Q0 {document} 1 {score} {run}\n"
            for topic, of in topics.items()
            for document, score in of.items()
        ]
        files.append((run, "".join(lines).encode()))
    made = Dataset(name=name)
    made.add(files)
    return made


@pytest.fixture(scope="module")
def two() -> tuple[Dataset, Dataset]:
    return dropped("first", 1), dropped("second", 2)


def visited(*datasets: Dataset, **query: object):
    app = dashboard(datasets[0] if datasets else None)
    app.session_state["visitor"] = (
        visitors.Visitor(dataset=datasets[0], other_datasets=[*datasets[1:]])
        if datasets
        else visitors.Visitor()
    )
    app.query_params.update(
        {f"across.{name}": value for name, value in {"trials": "1", "sets": "10", **query}.items()}
    )
    app.query_params["measures"] = ["AP", "P@5", "RR"]
    return app.switch_page(PAGE).run()


def test_across_when_one_collection_is_loaded_then_says_how_to_load_another():
    app = fine(visited())
    assert "compares two or more collections" in texts(app)
    assert not app.dataframe


def test_collection_page_when_opened_then_it_leads_to_the_page_that_compares_collections(two):
    said = {2: "Compare the 2 collections"}
    for n, label in said.items():
        app = visited(*two[:n]).switch_page("pages/data/collection.py").run()
        assert f"{label} **Across collections**" in [link.label for link in links(fine(app))]


def test_comparison_of_settings_when_switched_on_then_leads_to_the_page_that_compares_collections():
    app = opened(
        "pages/measures/agreement.py", {"measures": ["AP", "P@5"], "agreement_compare": "true"}
    )
    assert "Other collections? **Across collections**" in [link.label for link in links(fine(app))]


def test_across_when_two_are_loaded_then_side_by_side_without_the_sample(two):
    app = fine(visited(*two))
    assert app.button_group(key="across.of").value == ["first", "second"]
    assert "2 collections agree most by" in texts(app)
    assert "too few to estimate how much collections differ" in texts(app)
    agreement = app.dataframe[0].value
    assert list(agreement) == ["criterion", "W", "tau"]
    assert len(app.get("plotly_chart")) == 2
    # what is on demand is below the charts, as on every page
    drawn = [one.type for one in app.main if one.type in ("plotly_chart", "button_group")]
    assert drawn == ["button_group", "plotly_chart", "plotly_chart", "button_group"]


def test_across_when_a_figure_and_measures_are_picked_then_the_charts_are_of_them(two):
    app = fine(visited(*two, figure="power", a="P@5", b="RR"))
    assert "P@5 minus RR by power" in [header.value for header in app.header]
    assert "Power on each collection" in [header.value for header in app.header]


def test_across_when_stopped_then_what_is_done_is_kept_and_not_made_again(two, monkeypatch):
    made: list[str] = []
    summarize = compare_collections.summarize

    def counting(collection, **more):
        made.append(collection.fingerprint)
        if len(made) == 2:
            raise Cancelled("Stopped.")
        return summarize(collection, **more)

    monkeypatch.setattr(compare_collections, "summarize", counting)
    cache.store().clear()
    app = visited(*two, seed="9")
    assert "Computed results are kept" in texts(app)
    assert "1 collection, 3 measures" in texts(app)
    assert "Preliminary, 1 of 2 collections so far." in texts(app)
    app.button(key=f"resume-{compare_collections.FIGURES}").click().run()
    assert "orders of 3 measures" in texts(fine(app))
    assert "Preliminary" not in texts(app)
    assert len(made) == 3
    assert made[1] == made[2] != made[0]


def test_findings_when_several_are_loaded_then_each_has_a_column_and_one_sentence_sums_it_up(
    two, monkeypatch
):
    def answer_papers(collection, team, overrides, store=None, progress=None):
        given.append((dict(team), dict(overrides.rules)))
        return {key: answer._replace(verdict=DOES_NOT) for key in answers}

    given, of = list[Any](), next(iter(PAPERS))
    answer = Outcome("", HOLDS, 1.0, 0.5, 1.5, "topics", "", 0.01)
    answers = dict.fromkeys([(of, claim) for claim in [*PAPERS[of].findings][:2]], answer)
    monkeypatch.setattr(two[1], "teams", {"run0": "ours"})
    monkeypatch.setattr(five_papers, "answer_papers", answer_papers)
    monkeypatch.setattr(
        five_papers.paper, "check_findings", lambda *_: five_papers.list_all(answers)
    )
    app = fine(visited(*two).switch_page("pages/papers/findings.py").run())
    assert "Of 2 findings of the papers, none holds on both collections." in texts(app)
    assert given == [({"run0": "ours"}, {})]  # its own teams and rules
    shown = app.dataframe[0].value
    assert shown[["first", "second"]].to_numpy().tolist() == [["✓ yes", "✗ no"]] * 2
    assert [claim for _, claim in answers] == shown["finding"].tolist()
    app.button_group(key="findings.only").set_value("undecided").run()
    assert fine(app).dataframe[0].value.empty
    assert {"five-papers.tex", "five-papers.csv"} <= {one.key for one in app.get("download_button")}


def test_across_when_added_to_the_report_then_made_of_all_collections_or_says_which_is_missing(
    two,
):
    app = fine(visited(*two))
    app.button(key="report-across").click().run()
    assert "Already in the report, as result 1" in [
        link.proto.label for link in fine(app).get("page_link")
    ]
    (item,) = app.session_state["visitor"].report["items"]
    assert [name for name, _ in item["recipe"]["of"]] == ["first", "second"]
    assert item["on"] == "first, second"
    app.switch_page("pages/report/report.py").run()
    assert "Across collections" in texts(fine(app))
    made = made_report(app)
    assert [entry.error for entry in made.entries] == [""]
    app.session_state["visitor"].other_datasets = []
    app.session_state["visitor"].report["note"] = "again"
    [entry] = made_report(app.run()).entries
    assert entry.error.startswith("the collection second (fingerprint ")
    assert entry.error.endswith("is missing. Load it again, then make the report.")


def made_report(app):
    """The report, once its button is pressed."""
    next(button for button in app.button if button.label == "Make the report").click().run()
    return fine(app).session_state["jobs"].waits["Report"].job.result


def test_across_when_asked_how_it_was_made_then_says_the_command(two):
    app = fine(visited(*two, figures_view="Method"))
    assert [code.value for code in app.code] == [
        "python -m irmeval across QRELS RUNS QRELS RUNS -m AP -m P@5 -m RR --trials 1 --sets 10"
        " --table summary"
    ]


def test_across_when_the_visitor_is_forgotten_then_nothing_made_of_their_collections_is_kept(two):
    cache.store().clear()
    app = fine(visited(*two, seed="11"))
    visitor = app.session_state["visitor"]
    assert {part.data.fingerprint for _, part in reported(app)} <= visitor.used
    visitors.release([visitor])
    assert not [key for key in cache.store() if isinstance(key, tuple) and {*key} & visitor.used]


def reported(app):
    """Name and recipe of each collection of the result that the page shows."""
    result, _ = app.session_state["report"].shown["across"]
    return result.recipe().of


def test_size_when_other_collections_are_loaded_then_pools_the_variance_of_those_that_are_picked(
    two,
):
    app = visited(*two)
    app.query_params["topics-needed.samples"] = "10"
    app = fine(app.switch_page("pages/planning/topics-needed.py").run())
    assert app.button_group(key="topics-needed.pooled").options == ["second", "Sample collection"]
    assert "pooled" not in texts(app)
    app = fine(app.button_group(key="topics-needed.pooled").set_value(["second"]).run())
    assert "Variances are pooled with 1 other collection" in texts(app)


def test_size_when_nothing_else_is_loaded_then_there_is_nothing_to_pool():
    app = fine(dashboard().switch_page("pages/planning/topics-needed.py").run())
    assert not [group for group in app.button_group if group.key == "topics-needed.pooled"]


def test_across_when_one_of_several_is_picked_then_a_button_picks_all(two):
    app = fine(visited(*two, of="first"))
    assert "Only first is selected." in texts(app)
    app.button(key="compare_all").click().run()
    assert "3 collections agree" in texts(fine(app))  # with the sample
