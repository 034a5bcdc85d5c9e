"""Formats of runs: one record each."""

from typing import Any

from irmeval.reading.contents import several_runs
from irmeval.reading.first_block import FirstBlock, Leaf
from irmeval.reading.formats.base import add_format, add_records
from irmeval.reading.formats.conditions import (
    either,
    find_named,
    is_json,
    is_number_by_key,
    tell_lines,
    tell_lists,
    tell_named,
    tell_shape,
    unless,
)
from irmeval.reading.formats.qrels import distinct_pairs, is_iteration, looks_like_prels
from irmeval.reading.lines import is_number
from irmeval.reading.lists_of_objects import RANKED, read_ranked
from irmeval.reading.nested import read_nested
from irmeval.reading.plain import META
from irmeval.reading.text_layout import NAMES, RUN, RUN_COLUMNS, Layout, plain_name
from irmeval.reading.trec import read_text

NO_Q0 = Layout(("topic", "document", "rank", "score", "tag"))


def read_run_text(name: str, data: bytes, layout: Layout) -> dict[str, Any]:
    """Columns of a text; if topics have lines of several tags, with a column
    ``run``.
    """
    table = read_text(name, data, layout)
    if len(table.get("tags", ())) < 2:
        return table
    columns = " ".join(layout.columns).replace("tag", "run").split()
    # read again: a column of names is kept as codes, and tags are only collected
    tagged = read_text(name, data, layout._replace(columns=(*columns,)))
    if several_runs(tagged):
        return tagged
    return table


def _is_ranked(block: FirstBlock) -> bool:
    """Whether the third column counts ranks of the documents in the second."""
    if block.stated == "run ranks":
        return block.whole(2)
    if is_iteration(block):  # the documents are in the third column
        return False
    is_count = block.counts(0, 2)
    return is_count and distinct_pairs(block, 0, 1)


def _is_scored(block: FirstBlock) -> bool:
    """Whether the third column may contain scores: it does not count ranks, or it
    decreases as scores do, too.
    """
    if block.stated == "run scores":
        return True
    if block.falls(0, 2):
        return True
    return not _is_ranked(block)


def _may_be_ranks(block: FirstBlock) -> bool:
    """Whether the third column has whole numbers, in any order."""
    return block.whole(2)


def _is_tagged(block: FirstBlock) -> bool:
    """Whether the last column holds no numbers."""
    return not block.most(is_number, block.width - 1)


def _is_tagged_or_ranked(block: FirstBlock) -> bool:
    return _is_tagged(block) or _is_ranked(block)


def _has_few_tags(block: FirstBlock) -> bool:
    """Whether the last column has few names, as tags are."""
    return len({*block.column(3)}) <= max(1, len(block.rows) // 2)


def _names_documents(block: FirstBlock, found: dict[str, str]) -> bool:
    return {"topic", "document"} <= found.keys()


def _has_order(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether a column of scores has numbers, or without one a column of ranks."""
    if "score" in found:
        return block.numbers(found["score"])
    if "rank" in found:
        return block.whole(found["rank"])
    return False


def _names_no_grades(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether no column is headed as grades are. Beside ranks, and in the place of a
    run, one may be.
    """
    if "rank" in found:
        return True
    if block.stated.startswith("run"):
        return True
    names = {*map(plain_name, block.names)}
    return names.isdisjoint(NAMES["grade"])


def _scores_are_no_grades(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether the column of scores is not one of grades, which qrels of BEIR head
    ``score``.
    """
    if block.stated.startswith("run"):
        return True
    are_beir = "corpus-id" in block.names
    if are_beir and "score" in found:
        return not block.whole(found["score"])
    return True


_find_scores = find_named(
    RUN_COLUMNS, _names_documents, _has_order, _names_no_grades, _scores_are_no_grades
)
"""Columns of a run with a header."""


def _lists_documents(block: FirstBlock) -> bool:
    """Whether a JSON text in the place of a run maps topics to lists of documents."""
    return block.stated.startswith("run") and block.lists_documents()


def _maps_to_scores(block: FirstBlock) -> bool:
    """Whether a JSON text maps topics to documents with numbers, perhaps below names of
    runs.
    """
    # MTEB keeps the model beside the lists
    lists = [leaf for leaf in block.filled if leaf.top not in META]
    if not lists:
        return False
    return all(map(_is_scored_leaf, lists))


def _is_scored_leaf(leaf: Leaf) -> bool:
    """Whether a leaf of a JSON text is a number below a topic and a document."""
    return len(leaf.path) >= 2 and is_number_by_key(leaf)


add_format(
    "run trec",
    title="TREC run",
    looks="topic Q0 document rank score tag",
    tell=tell_lines(RUN),
    read=read_run_text,
    example="301 Q0 FT911-3 1 14.5 bm25\n301 Q0 FT911-8 2 12.25 bm25\n302 Q0 LA010189-1 1 9 bm25\n",
    source="trec_eval",
)
add_format(
    "run no-q0",
    title="run without Q0",
    looks="topic document rank score tag",
    # prels have five columns, too: the fourth is a small method, the fifth within 0 and 1
    tell=tell_lines(
        NO_Q0, _may_be_ranks, unless(looks_like_prels), unless(is_iteration), _is_tagged_or_ranked
    ),
    read=read_run_text,
    example="301 FT911-3 1 14.5 bm25\n301 FT911-8 2 12.25 bm25\n302 LA010189-1 1 9 bm25\n",
    source="exports of runs",
)
add_format(
    "run ranks",
    title="run by rank",
    looks="topic document rank",
    tell=tell_lines(Layout(("topic", "document", "rank")), _is_ranked),
    read=read_run_text,
    # a shorter list of ranks could be grades: see `LONG_LIST` of qrels
    example="".join(f"1048585\t71871{n}\t{n}\n" for n in range(1, 8)),
    source="MS MARCO, Anserini, Tevatron",
)
add_format(
    "run ranks-scores",
    title="run by rank, with scores",
    looks="topic document rank score",
    tell=tell_lines(Layout(("topic", "document", "rank", "score")), _is_ranked),
    read=read_run_text,
    example="".join(f"1048585\t71871{n}\t{n}\t{20.5 - n}\n" for n in range(1, 4)),
    source="ColBERT",
)
add_format(
    "run scores",
    title="run by score",
    looks="topic document score",
    tell=tell_lines(Layout(("topic", "document", "score")), _is_scored),
    read=read_run_text,
    example="q1\td1\t14.5\nq1\td2\t12.25\nq2\td1\t9.75\n",
    source="Tevatron, dense retrievers",
)
add_format(
    "run scores-tag",
    title="run by score, with tags",
    looks="topic document score tag",
    tell=tell_lines(
        Layout(("topic", "document", "score", "tag")),
        _is_tagged,
        unless(is_iteration),
        _has_few_tags,
    ),
    read=read_run_text,
    example="q1 d1 14.5 bm25\nq1 d2 12.25 bm25\nq2 d1 9.75 bm25\n",
    source="CheckThat!",
)
add_format(
    "run header",
    title="run with a header",
    looks="columns such as qid, docno, score in any order, divided by tabs, commas or blanks",
    tell=tell_named("text", _find_scores),
    read=read_run_text,
    example="qid,docno,rank,score\nq1,d1,0,14.5\nq1,d2,1,12.25\nq2,d1,0,9\n",
    source="PyTerrier, CSV",
)
add_format(
    "run lists",
    title="run as lists of objects",
    looks="objects, or one a line, with a topic (query, qid, id, ...) and a list:"
    f" {', '.join(RANKED)}",
    tell=tell_lists(RANKED),
    read=read_ranked,
    example='{"query": {"text": "heat", "qid": "q1"}, "candidates": [{"docid": "d1", "score": 2.5},'
    ' {"docid": "d2", "score": 1.5}]}\n',
    source="Elasticsearch, OpenSearch, Castorini, TREC RAG, LlamaIndex, BioASQ",
)
add_format(
    "run json",
    title="JSON run",
    looks="topic -> document -> score, or run -> topic -> document -> score",
    tell=tell_shape(is_json, either(_lists_documents, _maps_to_scores)),
    read=read_nested,
    example='{"q1": {"d1": 2.5, "d2": 3.5}, "q2": {"d1": 1.25}}',
    source="pytrec_eval, ranx, BEIR, MTEB",
)
add_records(
    "run",
    title="run",
    columns="qid, docno, score",
    find=_find_scores,
    example="qid,docno,score\nq1,d1,2.5\nq1,d2,1.5\nq2,d1,2.25\n",
    sources=("Hugging Face", "PyTerrier, pandas"),
)
