"""One exhibit of a paper alone, on the command line."""

import pytest

from irmeval.cli import main
from irmeval.papers import PAPERS
from irmeval.papers.base import printed_of
from irmeval.papers.exhibits import answer_findings, make
from irmeval.papers.findings import MARKS
from irmeval.report.one_exhibit import find_exhibits
from irmeval.report.printed import text
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once

FEW = ["--topics_only", "901-906"]
PAPER = PAPERS["sakai-kando-2008"]


def test_list_when_asked_for_then_names_every_exhibit_and_needs_no_files(capsys):
    main(["paper", "all", "--list"])
    out = capsys.readouterr().out
    for paper in PAPERS.values():
        assert f"{paper.title} ({paper.name})" in out
        for exhibit in paper.exhibits:
            asked = sum(one.exhibit == exhibit.label for one in paper.findings.values())
            rows = [line for line in out.splitlines() if line.startswith(f"{exhibit.label}  ")]
            assert any(exhibit.title in row and row.endswith(f" {asked}") for row in rows)


def test_exhibit_when_asked_for_then_has_its_table_and_findings_and_what_is_lost(capsys):
    main(["paper", PAPER.name, *map(str, SAMPLE), "--exhibit", "Table 3", *FEW])
    out = capsys.readouterr().out
    some = select(read_once(*SAMPLE), Selection(topics_only="901-906")).collection
    [made] = make(PAPER, some, labels={"Table 3"})
    [table] = printed_of(PAPER, made.exhibit, made.result)
    assert str(text(table)) in out
    for claim, here in answer_findings(PAPER, made).items():
        assert f"{MARKS[here.verdict]} {here.verdict}: {claim}." in out
        assert here.here in out
        assert here.why in out
    assert "Not legible in our copy: its numbers at other levels than 0.05." in out
    assert "Fig. 1" not in out


def test_exhibit_when_written_to_a_folder_then_files_are_of_that_alone(tmp_path, capsys):
    folder = tmp_path / "one"
    words = ["paper", PAPER.name, *map(str, SAMPLE), "--exhibit", "Table 6", "-o", str(folder)]
    main([*words, *FEW])
    assert {str(path) for path in folder.iterdir()} == set(capsys.readouterr().out.split("\n")[:-1])
    written = sorted(path.name for path in folder.glob("*.tex"))
    assert written == ["01-table-6.tex", "tables.tex"]
    assert "Not finished" not in (folder / "index.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([PAPER.name, "--exhibit", "Table 33"], "exhibit: expected one of Fig. 1, Table 1"),
        (["all", "--exhibit", "Table 3"], "exhibit: expected the name of one paper, found all"),
    ],
)
def test_exhibit_when_there_is_none_then_is_refused_before_files_are_read(words, said, capsys):
    with pytest.raises(SystemExit):
        main(["paper", *words, "no-qrels.txt", "no-runs"])
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("paper", "label", "found"),
    [
        ("bompada-2007", "Table 5", ["Fig. 2, Tables 3-5", "Fig. 2, Tables 4-5"]),
        ("bompada-2007", "Fig. 2, Tables 4-5", ["Fig. 2, Tables 4-5"]),
        ("sakai-kando-2008", "Fig. 8", ["Figs. 7-8, Table 7"]),
    ],
)
def test_exhibits_when_a_table_belongs_to_several_then_all_are_found(paper, label, found):
    assert [exhibit.label for exhibit in find_exhibits(PAPERS[paper], label)] == found
