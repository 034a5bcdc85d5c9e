"""Every benchmark still runs: those without a server or a browser, on a collection of
four runs and five topics.
"""

import re
import runpy
import sys

import pytest

from benchmarks import collection, memory
from irmeval.experiments import EXPERIMENTS
from tests.conftest import ROOT

DATA = "qrels.txt", "runs"
ARGUMENTS = {
    "big.py": ("big", "1", "20"),
    "evaluation.py": (*DATA, "1"),
    "orders.py": (*DATA, "1"),
    "peers.py": (*DATA, "1"),
    "reading.py": (*DATA, "1"),
    "small.py": (*DATA, "1"),
    "stopping.py": (*DATA, "curves"),
    "topics_needed.py": DATA,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("generated")
    collection.write(made, 4, 5)
    return made


@pytest.mark.filterwarnings("ignore:Precision loss")  # four runs on five topics
@pytest.mark.parametrize("script", ARGUMENTS)
def test_script_when_its_collection_is_small_then_ends_with_numbers(
    script, folder, monkeypatch, capsys
):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [script, *ARGUMENTS[script]])
    monkeypatch.setattr(
        sys, "path", [folder for folder in sys.path if folder not in ("", str(ROOT))]
    )
    runpy.run_path(str(ROOT / "benchmarks" / script), run_name="__main__")
    if script != "big.py":
        assert str(ROOT) in sys.path  # it finds irmeval in a clone
        assert re.search(r"\d\.\d", capsys.readouterr().out.splitlines()[-1])


def test_collections_of_memory_when_small_then_have_documents_outside_the_pool():
    made = memory.collection(memory.Shape(4, 3, 30, 10))
    shares = EXPERIMENTS["unjudged"](made, ["AP"])
    assert made.outside.list.size == 4 * 3 * (30 - 5)
    assert shares.headline()
