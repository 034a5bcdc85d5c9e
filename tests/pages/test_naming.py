"""The name of a collection before its visitor gives it one."""

import pytest

from irmeval.ui.state import naming
from irmeval.ui.state.naming import name_of


@pytest.mark.parametrize(
    ("files", "runs", "expected"),
    [
        (["qrels.robust04.txt", "trec.zip"], ["a"], "robust04"),
        (["x/robust03-qrels.txt.gz"], [], "robust03"),
        (["qrels-covid_d5_j0.5-5.txt"], [], "covid_d5_j0.5-5"),
        (["vaswani"], [], "vaswani"),
        (["QRELS.TXT", "robust04.zip"], ["a"], "robust04"),
        (["qrels.txt", "runs", "data.zip"], ["Sel50", "Sel40"], "Sel"),
        (["qrels"], ["b", "a"], "a and others"),
        (["qrels.1-50.txt"], ["mine"], "mine"),
        (["judgments.csv"], [], "Judgments of 3 topics"),
        (["relations.txt"], [], "relations"),
    ],
)
def test_name_when_a_collection_is_dropped_then_is_of_what_says_most(files, runs, expected):
    assert name_of(files, runs, 3) == expected


@pytest.mark.parametrize("part", [".txt", "qrels-", "-new", "qrels.txt", "a", "_", "my_"])
def test_file_when_its_name_is_long_then_its_beginning_alone_names_a_collection(part, monkeypatch):
    looked = []
    monkeypatch.setattr(
        naming,
        "_ENDING",
        type("Noted", (), {"sub": lambda _, by, name: looked.append(len(name)) or name})(),
    )
    naming.distinctive(part * 200_000)
    assert sum(looked) <= naming.LONGEST**2
