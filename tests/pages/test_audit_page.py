"""The page *Audit*: on scores by several judges, and on a collection with a further
judge.
"""

import numpy as np

from irmeval.experiments import EXPERIMENTS
from tests.dashboard import dataset_of, fine, links, opened, pick_view, texts

PAGE = "pages/planning/audit.py"
SMALL = {"audit_samples": 50, "audit_trials": 3}


def text_of(seed):
    """Scores of twelve runs on eight topics, as a file."""
    rng = np.random.default_rng(seed)
    scores = np.linspace(0.2, 0.8, 12)[:, None] + rng.normal(0, 0.1, (12, 8))
    return (
        "runid,topic,rbo\n"
        + "".join(f"r{r},{t},{scores[r, t]:.4f}\n" for r in range(12) for t in range(8))
    ).encode()


def desk(*names):
    return dataset_of([(f"{name}.csv", text_of(seed)) for seed, name in enumerate(names)])


def test_page_when_scores_of_several_judges_were_dropped_then_audits_each_against_the_reference():
    dropped = desk("gpt", "llama", "nist")
    app = fine(opened(PAGE, SMALL, desk=dropped))
    assert app.selectbox(key="audit.audit_reference").value == "nist"
    result = EXPERIMENTS["audit"](dropped.judged_scores(reference="nist"), samples=50, trials=3)
    assert result.verdict().claim in texts(app).replace("\\", "")
    assert pick_view(app, "Table").dataframe[0].value["judge"].tolist() == ["gpt", "llama"]
    app.selectbox(key="audit.judge").set_value("llama").run()
    said = texts(fine(app)).replace("\\", "")
    assert "llama orders the runs with tau" in said
    assert "Places that each run gains by llama compared with nist" in said
    assert "gpt orders the runs" not in said
    app.selectbox(key="audit.audit_reference").set_value("llama").run()
    assert fine(app).dataframe[0].value["judge"].tolist() == ["gpt", "nist"]
    assert "Kendall's tau of the two orders among the k best runs of llama" in texts(app)


def test_page_when_scores_of_one_judge_are_loaded_then_asks_for_another():
    app = fine(opened(PAGE, SMALL, desk=desk("nist")))
    assert "The scores of nist are loaded. Drop those of another judge, of the same runs." in texts(
        app
    )
    assert not app.get("plotly_chart")


def test_page_when_there_is_no_other_judge_then_a_simulated_one_is_audited_and_said_first():
    app = fine(opened(PAGE, SMALL | {"measures": "AP", "other": "Simulated"}))
    assert "No. By AP, lenient (simulated) orders the runs with tau" in texts(app)
    assert "with its lists in order of the grades of" in texts(app)


def test_collection_page_when_scores_of_several_judges_are_there_then_leads_to_the_audit():
    found = links(fine(opened("pages/data/collection.py", desk=desk("gpt", "nist"))))
    assert any("May nist, gpt rank systems" in link.label for link in found)
