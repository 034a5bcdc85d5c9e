"""What is added to irmeval, in a copy of it or by another package: its commands and its
page, in one process of their own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

DRIVER = """\
import contextlib, io, json, sys
from irmeval import lessons
from irmeval.cli import commands
from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import METRICS
from irmeval.papers import PAPERS
from irmeval.reading.formats import FORMATS
from irmeval.reductions import REDUCTIONS

# what other packages add is looked for when all is asked for
[*EXPERIMENTS, *PAPERS, *METRICS, *REDUCTIONS, *FORMATS]
lines, page, before = map(json.loads, sys.argv[1:])
exec(before)
Q, R = "sample_data/qrels.txt.gz", [f"sample_data/runs/{run}.gz" \
for run in ("aurora1", "aurora2", "lumen")]
said = {}
for name, line in lines.items():
    with contextlib.redirect_stdout(io.StringIO()) as out, \
contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        commands.main([part for word in line.split() \
for part in {"QRELS": [Q], "RUNS": R}.get(word, [word])])
    said[name] = out.getvalue()
said["page"] = ""
try:
    exec(page)
except Exception as error:
    said["page"] = repr(error)
print(json.dumps(said))
"""
PAGE = """\
from streamlit import util
from irmeval.ui.widgets import menu
from tests.dashboard import dashboard, fine, texts

assert [*menu.entries()["runs"].values()][-1] == ("{name}",)
app = dashboard()
app.query_params["measures"] = ["AP", "{measure}"]
app._page_hash = getattr(util, "calc_hash", getattr(util, "calc_md5", None))("{name}")  \
# AppTest goes by name to scripts alone
fine(app.run())
assert app.title[0].value == "{question}"
assert len(app.get("plotly_chart")) == 1
"""
"""What holds of the page of an experiment that is added, which comes last in its
section.
"""


def run_added(
    folder: Path, lines: dict[str, str], page: str, before: str = "", **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run command lines in a folder, and what is to hold of a page; code in `before` is
    run first.

    The last line printed is JSON: what each command prints, and under ``page`` what
    does not hold.
    """
    line = [sys.executable, "-c", DRIVER, *map(json.dumps, (lines, page, before))]
    return subprocess.run(
        line, cwd=folder, env=os.environ | environment, capture_output=True, text=True
    )
