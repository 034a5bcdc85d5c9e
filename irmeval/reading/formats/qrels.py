"""Formats of qrels: one record each."""

from collections.abc import Callable
from typing import Any

from irmeval.reading.contents import NTCIR
from irmeval.reading.first_block import FirstBlock
from irmeval.reading.formats.base import add_format, add_records, tell_lists, tell_named
from irmeval.reading.lines import is_integer, is_number, whole_number
from irmeval.reading.lists_of_objects import JUDGED, read_judged
from irmeval.reading.nested import read_nested
from irmeval.reading.text_layout import (
    NAMES,
    PRELS,
    QRELS,
    QRELS_COLUMNS,
    STRATA,
    UNUSED,
    Layout,
    find_columns,
    plain_name,
)
from irmeval.reading.trec import read_text

LONG_LIST = 5
"""Number from which a third column that counts to it contains ranks, not grades."""
SUBTOPIC = Layout(("topic", "subtopic", "document", "grade"))


def tell_lines(
    layout: Layout, fits: Callable[[FirstBlock], bool] = lambda block: True
) -> Callable[[FirstBlock], Layout | None]:
    """Test for text without a header: the number of columns of the layout, whole
    numbers as grades, numbers as scores, and the condition `fits`.
    """

    def tell(block: FirstBlock) -> Layout | None:
        if block.container != "text" or block.names or block.width != len(layout.columns):
            return None
        for place, column in enumerate(layout.columns):
            if (column == "grade" and not block.whole(place)) or (
                column in ("score", "probability") and not block.numbers(place)
            ):
                return None
        return (
            layout._replace(separator=block.separator, quoted=block.quoted) if fits(block) else None
        )

    return tell


def distinct_pairs(block: FirstBlock, first: int | str, second: int | str) -> bool:
    """Whether no two rows have the same cells in two columns."""
    pairs = [*zip(block.column(first), block.column(second), strict=True)]
    return len({*pairs}) == len(pairs)


def is_probability(cell: str) -> bool:
    """Whether a cell is a number above 0 and at most 1."""
    return is_number(cell) and 0 < float(cell) <= 1


def is_method(cell: str) -> bool:
    """Whether a cell may be the number of a sampling method in prels, a digit."""
    return len(cell) == 1 and cell.isascii() and cell.isdigit()


def looks_like_prels(block: FirstBlock) -> bool:
    """Whether the last two of five columns are a method and a probability, and no
    document occurs twice.
    """
    return (
        block.most(is_method, 3)
        and block.most(is_probability if block.least == 1 else is_number, 4)
        and distinct_pairs(block, 0, 1)
    )


def has_whole_grades(block: FirstBlock) -> bool:
    """Whether the last of five columns contains only whole numbers, written without a
    point as probabilities may not be.
    """
    return (
        block.most(is_integer, 4)
        and not block.starts_list()
        and not any(is_number(cell) and not is_integer(cell) for cell in block.column(4))
    )


def is_iteration(block: FirstBlock) -> bool:
    """Whether the second column is always 0 or Q0."""
    return block.most(lambda cell: cell in ("0", "Q0", "q0"), 1)


def has_subtopics(block: FirstBlock) -> bool:
    """Whether the second of four columns counts subtopics: whole numbers from 1, with
    most documents under several. Since files are sorted by subtopic, the whole file is
    examined.
    """
    if not block.most(lambda cell: (whole_number(cell) or 0) >= 1, 1):
        return False
    try:
        table = read_text(
            "", block.data, SUBTOPIC._replace(separator=block.separator, quoted=block.quoted)
        )
    except Exception:  # the format that reads the file will report the error
        return False
    if any((whole_number(text) or 0) < 1 for text in table["subtopics"]):
        return False
    pairs = {*zip(table["topic"].tolist(), table["document"].to_pylist(), strict=True)}
    return len(table["document"]) > 1.5 * len(pairs)


def _tell_levels(block: FirstBlock) -> Layout | None:
    """Position of a column with NTCIR levels: the last of three or four, or the second
    of three.
    """
    for columns in (
        ("topic", "document", "level"),
        ("topic", "level", "document"),
        ("topic", "iteration", "document", "level"),
    ):
        if block.container == "text" and not block.names and len(columns) == block.width:
            if block.most(lambda cell: cell in NTCIR, columns.index("level")):
                return Layout(columns, block.separator, quoted=block.quoted)
    return None


def _find_grades(block: FirstBlock) -> dict[str, str] | None:
    found = find_columns(block.names, QRELS_COLUMNS)
    if len(found) < len(QRELS_COLUMNS) or find_columns(block.names, ("rank",)):
        return None
    if plain_name(found["grade"]) not in NAMES["grade"] and not block.whole(found["grade"]):
        return None
    return found


def _tell_nested(block: FirstBlock) -> Any:
    """Whether a JSON text maps topics to documents with whole numbers, or to lists of
    documents.
    """
    graded = all(
        len(path) == 2 and "[]" not in path and whole_number(value.strip('"')) is not None
        for path, value in block.filled
    )
    is_nested = block.container == "json" and bool(block.filled)
    return True if is_nested and (graded or block.lists_documents()) else None


def _tell_legal(block: FirstBlock) -> Layout | None:
    """Whether the fifth of five to seven columns is a probability, and the second
    always 0.
    """
    if not 5 <= block.width <= 7:
        return None
    columns = (
        "topic",
        "iteration",
        "document",
        "grade",
        "probability",
        *(f"{UNUSED}{place}" for place in range(6, block.width + 1)),
    )
    return tell_lines(
        Layout(columns),
        lambda block: (
            is_iteration(block) and not block.starts_list() and block.most(is_probability, 4)
        ),
    )(block)


def _is_short_list(block: FirstBlock) -> bool:
    """Whether the third column does not count to `LONG_LIST`, as ranks would."""
    return not (block.counts(0, 2) and max(map(len, block.by_topic(0, 2).values())) >= LONG_LIST)


add_format(
    "qrels trec",
    "TREC qrels",
    "topic 0 document grade",
    tell_lines(QRELS, lambda block: not has_subtopics(block)),
    read_text,
    "301 0 FT911-3 1\n301 0 FT911-8 0\n302 0 LA010189-1 2\n",
    "trec_eval",
)
add_format(
    "qrels strata",
    "qrels with strata",
    "topic 0 document stratum grade",
    tell_lines(STRATA, has_whole_grades),
    read_text,
    "301 0 FT911-3 top 1\n301 0 FT911-8 top 0\n301 0 FT911-9 rest -1\n",
    "sample_eval.pl of NIST",
)
add_format(
    "qrels prels",
    "prels",
    "topic document grade method probability",
    tell_lines(PRELS, looks_like_prels),
    read_text,
    "20001 GX000-1 1 1 0.5\n20001 GX000-2 0 0 0.25\n20002 GX001-7 0 1 0.125\n",
    "Million Query track",
)
add_format(
    "qrels legal",
    "qrels with probabilities",
    "topic 0 document grade probability",
    _tell_legal,
    lambda name, data, layout: read_text(name, data, layout) | {"pooled": True},
    "52 0 aaa1 1 0.5\n52 0 aab2 0 1\n52 0 aac3 -1 0.25\n",
    "Legal track",
)
add_format(
    "qrels subtopics",
    "qrels by subtopic",
    "topic subtopic document grade",
    tell_lines(SUBTOPIC, has_subtopics),
    read_text,
    "51 1 en0000-07 1\n51 1 en0001-22 0\n51 2 en0000-07 0\n51 2 en0001-22 2\n",
    "ndeval, diversity task of the Web track",
)
add_format(
    "qrels ntcir",
    "NTCIR qrels",
    "topic document level, with L0 L1 L2 or S A B C D",
    _tell_levels,
    read_text,
    "0001 doc1 L2\n0001 doc2 L0\n0002 doc1 L1\n",
    "NTCIREVAL",
)
add_format(
    "qrels no-iteration",
    "qrels of three columns",
    "topic document grade",
    tell_lines(Layout(("topic", "document", "grade")), _is_short_list),
    read_text,
    "q1 d1 1\nq1 d2 0\nq2 d1 0\n",
    "exports without a header",
)
add_format(
    "qrels header",
    "qrels with a header",
    "columns such as query-id, corpus-id, score in any order, divided by tabs, commas or blanks",
    tell_named("text", _find_grades),
    read_text,
    "query-id\tcorpus-id\tlabel\nq1\td1\t1\nq1\td2\t0\nq2\td1\t2\n",
    "BEIR, Hugging Face, PyTerrier",
)
add_format(
    "qrels json",
    "JSON qrels",
    "topic -> document -> grade, or topic -> list of relevant documents",
    _tell_nested,
    read_nested,
    '{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}',
    "pytrec_eval, ranx",
)
add_format(
    "qrels lists",
    "qrels as lists of objects",
    f"objects, or one a line, with a topic (query, qid, id, ...) and a list: {', '.join(JUDGED)}",
    tell_lists(JUDGED),
    read_judged,
    '{"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "1.0"}]}]}',
    "Elasticsearch, OpenSearch, Quepid, MIRACL, LoTTE, LlamaIndex, BioASQ",
)
add_records(
    "qrels",
    "qrels",
    "qid, docno, label",
    _find_grades,
    "qid,docno,label\nq1,d1,1\nq1,d2,0\nq2,d1,2\n",
    "Hugging Face",
    "Hugging Face",
)
