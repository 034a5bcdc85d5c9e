"""What is lost in our copies of the papers, or inferred, is said beside each exhibit."""

import pytest

from irmeval.papers import PAPERS
from irmeval.papers.base import describe_reading, items

LOST, INFERRED = "Not legible in our copy", "Inferred"
MARKED = [
    ("sakai-kando-2008", "Table 1", LOST, "laid out"),
    ("sakai-kando-2008", "Table 2", LOST, "columns"),
    ("sakai-kando-2008", "Fig. 2", LOST, "kind of plot"),
    ("sakai-kando-2008", "Fig. 3", LOST, "RBP(p=0.5)"),
    ("sakai-kando-2008", "Fig. 4", INFERRED, "NTCIR"),
    ("sakai-kando-2008", "Table 3", LOST, "other levels"),
    ("sakai-kando-2008", "Fig. 5", INFERRED, "100%"),
    ("sakai-kando-2008", "Fig. 6", INFERRED, "100%"),
    ("sakai-kando-2008", "Table 4", LOST, "other levels"),
    ("sakai-kando-2008", "Table 5", INFERRED, "NTCIR-6C"),
    ("sakai-kando-2008", "Table 6", INFERRED, "RBP(p=0.5)"),
    ("sakai-kando-2008", "Fig. 7", INFERRED, "RBP(p=0.5)"),
    ("sakai-kando-2008", "Fig. 8", INFERRED, "RBP(p=0.5)"),
    ("sakai-kando-2008", "Table 7", INFERRED, "RBP(p=0.5)"),
    ("bompada-2007", "Table 1", LOST, "numbers"),
    ("bompada-2007", "Fig. 1", LOST, "rates"),
    ("bompada-2007", "Table 3", INFERRED, "measured rate"),
    ("bompada-2007", "Table 4", LOST, "which measure"),
    ("bompada-2007", "Table 5", INFERRED, "for accuracy as for tau"),
    ("bompada-2007", "Fig. 3", LOST, "weights 10 and 100"),
    ("sakai-2007-reliability", "Table 1", LOST, "columns"),
    *[
        ("sakai-2007-reliability", f"Fig. {n}", INFERRED, "Chinese, Japanese, English")
        for n in range(1, 7)
    ],
    ("sakai-2007-reliability", "Fig. 1", LOST, "values of f"),
    *[("sakai-2007-reliability", f"Table {n}", LOST, "bins") for n in (2, 3, 4)],
    ("sakai-2007-reliability", "Table 5", LOST, "bold"),
    ("sakai-2007-reliability", "Table 6", LOST, "bold"),
    ("sakai-2007-reliability", "Table 7", INFERRED, "columns of Table 7"),
    ("sakai-2007-reliability", "Table 9", LOST, "Tables 9 and 10"),
    ("sakai-2007-reliability", "Table 10", INFERRED, "(A)nDCG by (A)nCG"),
    ("sakai-2007-reliability", "Table 11", INFERRED, "AnCG in Table 11"),
    ("sakai-2007-reliability", "Fig. 7", LOST, "which metrics"),
    ("sakai-2007-reliability", "Fig. 7", INFERRED, "mean scores"),
    ("sakai-2007-reliability", "Fig. 8", LOST, "adjusted"),
    ("sakai-2007-reliability", "Fig. 8", INFERRED, "Chinese"),
    ("sakai-2007-reliability", "Fig. 9", LOST, "cut-off"),
    ("sakai-2007-reliability", "Fig. 9", INFERRED, "1000"),
    ("sakai-2007-reliability", "Table 12", LOST, "columns"),
    ("sakai-2007-reliability", "Table 13", INFERRED, "all runs"),
    ("sakai-2007-reliability", "Table 14", LOST, "metrics"),
    ("sakai-2007-bpref", "Table 1", LOST, "columns"),
    ("sakai-2007-bpref", "Fig. 1", INFERRED, "rpref_relative2"),
    ("sakai-2007-bpref", "Fig. 3", LOST, "100%"),
    ("ahlgren-gronqvist-2008", "Table 1", LOST, "columns"),
    ("ahlgren-gronqvist-2008", "Table 2", LOST, "numbers"),
    ("ahlgren-gronqvist-2008", "Fig. 1", INFERRED, "Fig. 1"),
    ("ahlgren-gronqvist-2008", "Table 3", INFERRED, "shares"),
    ("ahlgren-gronqvist-2008", "Table 4", LOST, "positions"),
    ("ahlgren-gronqvist-2008", "Table 5", LOST, "bins"),
    ("ahlgren-gronqvist-2008", "Table 8", LOST, "numbers"),
    *[("ahlgren-gronqvist-2008", f"Fig. {n}", INFERRED, "mean scores") for n in (2, 3, 4)],
    *[("ahlgren-gronqvist-2008", f"Fig. {n}", LOST, "rates") for n in (5, 6, 7, 8)],
]
"""Paper, its table or figure, and what is lost or inferred of it."""


@pytest.mark.parametrize(("paper", "item", "kind", "what"), MARKED)
def test_exhibit_when_something_is_lost_or_inferred_then_it_is_said(paper, item, kind, what):
    said = [
        part
        for exhibit in PAPERS[paper].exhibits
        if item in items(exhibit.label)
        for part in describe_reading(exhibit).split(". ")
    ]
    # a sentence goes up to the next of the two words
    text = ". ".join(said)
    parts = text.replace(INFERRED, f"\n{INFERRED}").replace(LOST, f"\n{LOST}").split("\n")
    assert any(part.startswith(kind) and what in part for part in parts), text


@pytest.mark.parametrize(
    ("label", "word"),
    [
        ("Table 7", "Its columns are inferred."),
        ("Tables 9-10", "Contents lost; here (A)nDCG by (A)nCG."),
        ("Table 11", "AnCG is inferred."),
    ],
)
def test_table_when_its_content_is_lost_then_its_caption_has_the_word(label, word):
    layouts = [one for e in PAPERS["sakai-2007-reliability"].exhibits for one in e.layouts]
    captions = [layout.caption for layout in layouts if layout.label == label]
    assert captions
    assert all(word in caption for caption in captions)
