"""The faults that can be put into the package on purpose: each has its place still, and
a test file that is to notice it.
"""

from tests import mutations
from tests.mutations import ROOT, Mutation


def test_mutations_when_listed_then_each_has_its_place_in_the_package_once_and_a_test_file():
    every = mutations.read_mutations()
    assert len({*every}) == len(every) > 100
    # write it anew where the code is another now
    assert [m for m in every if not m.has_place] == []
    assert [m.test for m in every if not (ROOT / m.test.split("::")[0]).is_file()] == []
    assert [m for m in every if m.before == m.after] == []


def test_mutation_when_tried_then_the_copy_has_it_while_the_test_runs_and_not_afterwards(tmp_path):
    (tmp_path / "irmeval/stats").mkdir(parents=True)
    copy = tmp_path / "irmeval/stats/means.py"
    copy.write_text(text := (ROOT / "irmeval/stats/means.py").read_text())
    test = (
        f"from pathlib import Path\n\ndef test_it():\n    assert Path({str(copy)!r}).read_text() =="
        f" {text!r}\n"
    )
    (tmp_path / "test_it.py").write_text(test)
    noticed = Mutation("irmeval/stats/means.py", "test_it.py", "return 1 + ", "return 2 + ")
    assert mutations.try_mutation(noticed, tmp_path) == "killed"
    assert copy.read_text() == text
    assert mutations.try_mutation(noticed._replace(after="return 1 + "), tmp_path) == "SURVIVED"
    assert mutations.try_mutation(noticed._replace(before="return 3 + "), tmp_path) == "NOT PLACED"
