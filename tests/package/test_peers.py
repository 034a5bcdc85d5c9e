"""In ir_measures and PyTerrier: measures by name, results as their data frames.

The tests of programs and documents; the others are in
`tests/unit/scoring/test_peers.py`.
"""

import json

import pytest

from docs import notebook
from irmeval import METRICS, REDUCTIONS
from tests.conftest import ROOT


@pytest.mark.parametrize("name", notebook.NAMES)
def test_notebook_when_run_then_its_outputs_are_those_that_are_stored(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where it may write
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    for registry in (METRICS, REDUCTIONS):
        monkeypatch.setattr(registry, "_items", dict(registry._items))  # to which it may add
    stored = notebook.read(name)
    now = notebook.run(stored)
    assert as_text(json.loads(json.dumps(now))) == as_text(notebook.read(name))
    text = "\n".join(notebook.page(name))
    assert (
        text.count("```python") == sum(cell["cell_type"] == "code" for cell in stored["cells"]) > 8
    )


def as_text(stored):
    """A notebook with its outputs as text: points of figures go by the processor,
    tables in HTML repeat docstrings.
    """
    for output in [
        output for cell in stored["cells"] for output in cell.get("outputs", ()) if "data" in output
    ]:
        output["data"] = output["data"]["text/plain"]
    return stored
