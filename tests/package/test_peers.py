"""In ir_measures and PyTerrier: measures by name, results as their data frames.

The tests of programs and documents; the others are in `tests/unit/scoring/test_peers.py`.
"""

import json

from docs import notebook
from tests.conftest import ROOT


def test_notebook_when_run_then_its_outputs_are_those_that_are_stored(monkeypatch):
    monkeypatch.chdir(ROOT)
    stored = notebook.read()
    now = notebook.run(stored)
    assert json.loads(json.dumps(now)) == stored
    text = "\n".join(notebook.page())
    assert text.count("```python") == sum(cell["cell_type"] == "code" for cell in stored["cells"]) > 8
