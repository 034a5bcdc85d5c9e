"""Names of columns in files and data frames of PyTerrier, ir_measures, BEIR, MTEB, ranx, MS MARCO and others."""

from collections.abc import Iterable, Sequence

from irmeval.reading.text_layout import UNUSED

NAMES = {
    "topic": ("qid", "query_id", "query-id", "queryid", "q_id", "topic", "topic_id", "topic-id", "topicid", "question_id", "query"),
    "document": ("docno", "doc_id", "corpus-id", "corpus_id", "docid", "doc-id", "document", "document_id", "pid", "passage_id", "doc"),
    "grade": ("label", "relevance", "rel", "grade", "judgment", "judgement"),
    "score": ("score", "similarity", "sim"),
    "value": ("value", "score"),
    "rank": ("rank", "position"),
    "run": ("run", "system", "tag", "runid", "run_id", "run-id", "runtag", "system_id"),
    "measure": ("measure", "metric"),
}
"""Usual names of each column, as `plain_name` spells them. Of several, the first counts."""
QRELS_COLUMNS = ("topic", "document", "grade")
RUN_COLUMNS = ("topic", "document", "score", "rank", "run")
SCORE_COLUMNS = ("run", "measure", "topic", "value")


def plain_name(name: str) -> str:
    """The name of a column in lower case, with an underscore for each blank."""
    return name.strip().lower().replace(" ", "_")


def find_columns(names: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    """Map each column of `wanted` to its name among the given ones, if any. Grades may be named score, as in BEIR."""
    here = {plain_name(name): name for name in reversed([*names])}
    found: dict[str, str] = {}
    for column in wanted:
        choices = (*NAMES[column], *NAMES["score"]) if column == "grade" else NAMES[column]
        if there := next((here[choice] for choice in choices if choice in here and here[choice] not in found.values()), None):
            found[column] = there
    return found


def names_topics(cell: str) -> bool:
    """Whether a cell is a name of the topic column."""
    return plain_name(cell) in NAMES["topic"]


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line contains column names: topics, documents and grades, or runs and topics."""
    return len(find_columns(cells, QRELS_COLUMNS)) > 1 or len(find_columns(cells, ("run", "topic"))) > 1


def name_columns(names: Sequence[str], found: dict[str, str]) -> tuple[str, ...]:
    """Names of all columns of a text for a layout; those that are not in `found` are unused."""
    what = {name: column for column, name in found.items()}
    used: set[str] = set()
    columns = []
    for place, name in enumerate(names):
        column = what.get(name)
        columns.append(column if column and column not in used else f"{UNUSED}{place + 1}")
        used |= {column} if column else set()
    return tuple(columns)
