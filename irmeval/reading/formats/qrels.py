"""Formats of qrels: one record each."""

from itertools import chain

from irmeval.reading.contents import NTCIR
from irmeval.reading.features import begins_with_queries, mentions_queries, read_features
from irmeval.reading.first_block import FirstBlock, Leaf
from irmeval.reading.formats.base import Columns, add_format, add_records
from irmeval.reading.formats.conditions import (
    Condition,
    divided_as,
    either,
    find_named,
    is_headless,
    is_json,
    is_text_of,
    tell_first,
    tell_if,
    tell_lines,
    tell_lists,
    tell_named,
    tell_shape,
    unless,
)
from irmeval.reading.lines import is_integer, is_number, whole_number
from irmeval.reading.lists_of_objects import JUDGED, read_judged
from irmeval.reading.nested import read_nested
from irmeval.reading.text_layout import (
    NAMES,
    PRELS,
    QRELS,
    QRELS_COLUMNS,
    STRATA,
    Layout,
    find_columns,
    name_columns,
    plain_name,
)
from irmeval.reading.trec import read_text

LONG_LIST = 5
"""Number from which a third column that counts to it contains ranks, not grades."""
SUBTOPIC = Layout(("topic", "subtopic", "document", "grade"))


def distinct_pairs(block: FirstBlock, first: int | str, second: int | str) -> bool:
    """Whether no two rows have the same cells in two columns."""
    pairs = [*zip(block.column(first), block.column(second), strict=True)]
    return len({*pairs}) == len(pairs)


def is_probability(cell: str) -> bool:
    """Whether a cell is a number above 0 and at most 1."""
    if not is_number(cell):
        return False
    return 0 < float(cell) <= 1


DIGITS = frozenset("0123456789")
"""Numbers of sampling methods in prels."""


def is_method(cell: str) -> bool:
    """Whether a cell may be the number of a sampling method."""
    return cell in DIGITS


def looks_like_prels(block: FirstBlock) -> bool:
    """Whether the last two of five columns are a method and a probability, and no
    document occurs twice.
    """
    if not block.most(is_method, 3):
        return False
    if not block.most(is_number, 4):
        return False
    # where some lines may be wrong, a wrong probability may be one of them
    are_all_right = block.least == 1
    if are_all_right and not block.most(is_probability, 4):
        return False
    return distinct_pairs(block, 0, 1)


def _ends_in_integers(block: FirstBlock) -> bool:
    return block.most(is_integer, 4)


def _has_no_fractions(block: FirstBlock) -> bool:
    """Whether no number in the fifth column is written with a point, as a probability
    may be.
    """
    return all(map(is_integer, filter(is_number, block.column(4))))


def is_iteration(block: FirstBlock) -> bool:
    """Whether the second column is always 0 or Q0."""
    return block.most(lambda cell: cell in ("0", "Q0", "q0"), 1)


def has_subtopics(block: FirstBlock) -> bool:
    """Whether the second of four columns counts subtopics: whole numbers from 1, with
    most documents under several. Since files are sorted by subtopic, the whole file is
    examined.
    """
    # asked of the first lines, before the whole file is read
    if not block.most(_counts, 1):
        return False
    try:
        table = read_text("", block.data, divided_as(block, SUBTOPIC))
    except Exception:  # the format that reads the file will report the error
        return False
    pairs = {*zip(table["topic"].tolist(), table["document"].to_pylist(), strict=True)}
    # in plain qrels a document occurs once in a topic, whatever the second column has
    several = len(table["document"]) > 1.5 * len(pairs)
    if not several:
        return False
    return all(map(_counts, table["subtopics"]))


def _counts(cell: str) -> bool:
    """Whether a cell is a whole number from 1."""
    number = whole_number(cell)
    return number is not None and number >= 1


LEVELS = (
    Layout(("topic", "document", "level")),
    Layout(("topic", "level", "document")),
    Layout(("topic", "iteration", "document", "level")),
)
"""Columns of qrels with NTCIR levels."""


def _has_levels(place: int) -> Condition:
    """Condition that a column holds NTCIR levels."""
    return lambda block: block.most(lambda cell: cell in NTCIR, place)


def _has_every_column(block: FirstBlock, found: dict[str, str]) -> bool:
    return len(found) == len(QRELS_COLUMNS)


def _has_no_ranks(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether no column has ranks, or grades are called so."""
    if _names_grades(found):
        return True
    return not find_columns(block.names, ("rank",))


def _has_grades(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether a column is called grades, or one of scores has whole numbers."""
    return _names_grades(found) or block.whole(found["grade"])


def _names_grades(found: dict[str, str]) -> bool:
    """Whether the column of grades is called so, not a score."""
    return plain_name(found["grade"]) in NAMES["grade"]


def _are_headed_pairs(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether there are topics and documents alone, which are relevant."""
    return len(block.names) == len(found) == 2


_find_grades = tell_first(
    find_named(("topic", "document"), _are_headed_pairs),
    find_named(QRELS_COLUMNS, _has_every_column, _has_no_ranks, _has_grades),
)
"""Columns of qrels with a header."""
PAIRS = Layout(("topic", "document"))


def _are_ids(block: FirstBlock) -> bool:
    """Whether two columns hold ids, no texts of queries and no scores."""
    cells = [*chain.from_iterable(block.rows)]
    if "" in cells:
        return False
    if " " in "".join(cells):
        return False
    return not block.most(_is_fraction, 1)


def _is_fraction(cell: str) -> bool:
    return is_number(cell) and not is_integer(cell)


def _are_pairs(block: FirstBlock) -> bool:
    """Whether rows are pairs of topics and documents: in the place of qrels, or more
    than one, some with the same topic.
    """
    if not distinct_pairs(block, 0, 1):
        return False
    if block.stated.startswith("qrels"):
        return True
    # without a number, little tells pairs from any other two words
    topics = len({*block.column(0)})
    return 1 < topics < len(block.rows)


MISINFORMATION = Layout(
    ("topic", "iteration", "document", "usefulness", "supportiveness", "credibility")
)
KINDS_OF_GRADES = MISINFORMATION.columns[3:]


def _counts_in_fourth(block: FirstBlock) -> bool:
    """Whether the fourth column counts, as ranks do; in the place of qrels it may."""
    if block.stated:
        return False
    return block.counts(0, 3)


def _ends_in_grades(block: FirstBlock) -> bool:
    return all(map(block.whole, (3, 4, 5)))


def _choose_kind(block: FirstBlock) -> Layout | Columns | None:
    layout = MISINFORMATION._replace(separator=block.separator)
    return _choose(block, layout, {name: name for name in KINDS_OF_GRADES})


def _names_topics_and_documents(block: FirstBlock) -> bool:
    """Whether a header of a text names these, and neither grades nor ranks."""
    found = find_columns(block.names, ("topic", "document", "grade", "rank"))
    return block.container == "text" and {*found} == {"topic", "document"}


def _raters(block: FirstBlock) -> list[str]:
    """Columns of whole numbers beside topics and documents."""
    known = find_columns(block.names, ("topic", "document")).values()
    return [name for name in block.names if name not in known and block.whole(name)]


def _has_several_raters(block: FirstBlock) -> bool:
    return len(_raters(block)) > 1


def _choose_rater(block: FirstBlock) -> Layout | Columns | None:
    found = find_columns(block.names, ("topic", "document"))
    layout = Layout(name_columns(block.names, found), block.separator, True, block.quoted)
    columns = dict(zip(block.names, layout.columns, strict=True))
    return _choose(block, layout, {name: columns[name] for name in _raters(block)})


def _choose(block: FirstBlock, layout: Layout, grades: dict[str, str]) -> Layout | Columns | None:
    """The layout with the column of grades that is stated, or the names to choose from;
    `grades` are these columns of the layout by name.
    """
    chosen = block.stated.partition(":")[2]
    if not chosen:
        return Columns(grades)
    if chosen not in grades:
        return None
    places = {column: f"-{name}" for name, column in grades.items()}
    places[grades[chosen]] = "grade"
    # a column that is no grade keeps its name
    columns = tuple(places.get(name, name) for name in layout.columns)
    return layout._replace(columns=columns)


def _maps_to_grades(block: FirstBlock) -> bool:
    """Whether a JSON text maps topics to documents with whole numbers."""
    return all(map(_is_graded, block.filled))


def _is_graded(leaf: Leaf) -> bool:
    """Whether a leaf of a JSON text is a grade below a topic and a document."""
    if leaf.is_listed():
        return False
    return len(leaf.path) == 2 and whole_number(leaf.cell) is not None


LEGAL = Layout(("topic", "iteration", "document", "grade", "probability"))


def _has_probabilities(block: FirstBlock) -> bool:
    """Whether the fifth column is a probability, and the second always 0."""
    if block.starts_list():
        return False
    return is_iteration(block) and block.most(is_probability, 4)


def _is_short_list(block: FirstBlock) -> bool:
    """Whether the third column does not count to `LONG_LIST`, as ranks would."""
    if not block.counts(0, 2):
        return True
    longest = max(map(len, block.by_topic(0, 2).values()))
    return longest < LONG_LIST


add_format(
    "qrels trec",
    title="TREC qrels",
    looks="topic 0 document grade",
    tell=tell_lines(QRELS, unless(has_subtopics)),
    read=read_text,
    example="301 0 FT911-3 1\n301 0 FT911-8 0\n302 0 LA010189-1 2\n",
    source="trec_eval",
)
add_format(
    "qrels strata",
    title="qrels with strata",
    looks="topic 0 document stratum grade",
    # the Legal track has five columns, too: its probabilities read as strata made AP .6667 for .5
    tell=tell_lines(STRATA, _ends_in_integers, _has_no_fractions, unless(FirstBlock.starts_list)),
    read=read_text,
    example="301 0 FT911-3 top 1\n301 0 FT911-8 top 0\n301 0 FT911-9 rest -1\n",
    source="sample_eval.pl of NIST",
)
add_format(
    "qrels prels",
    title="prels",
    looks="topic document grade method probability",
    tell=tell_lines(PRELS, looks_like_prels),
    read=read_text,
    example="20001 GX000-1 1 1 0.5\n20001 GX000-2 0 0 0.25\n20002 GX001-7 0 1 0.125\n",
    source="Million Query track",
)
add_format(
    "qrels legal",
    title="qrels with probabilities",
    looks="topic 0 document grade probability",
    tell=tell_first(
        tell_lines(LEGAL, _has_probabilities),
        tell_lines(Layout((*LEGAL.columns, "-6")), _has_probabilities),
        # those of 2009 have seven columns, of which the first five count
        tell_lines(Layout((*LEGAL.columns, "-6", "-7")), _has_probabilities),
    ),
    # its grades below 0, gray or not assessed, are of pooled documents without a judgment
    read=lambda name, data, layout: read_text(name, data, layout) | {"pooled": True},
    example="52 0 aaa1 1 0.5\n52 0 aab2 0 1\n52 0 aac3 -1 0.25\n",
    source="Legal track",
)
add_format(
    "qrels subtopics",
    title="qrels by subtopic",
    looks="topic subtopic document grade",
    tell=tell_lines(SUBTOPIC, has_subtopics),
    read=read_text,
    example="51 1 en0000-07 1\n51 1 en0001-22 0\n51 2 en0000-07 0\n51 2 en0001-22 2\n",
    source="ndeval, diversity task of the Web track",
)
add_format(
    "qrels ntcir",
    title="NTCIR qrels",
    looks="topic document level, with L0 L1 L2 or S A B C D",
    tell=tell_first(
        *(tell_lines(each, _has_levels(each.columns.index("level"))) for each in LEVELS)
    ),
    read=read_text,
    example="0001 doc1 L2\n0001 doc2 L0\n0002 doc1 L1\n",
    source="NTCIREVAL",
)
add_format(
    "qrels no-iteration",
    title="qrels of three columns",
    looks="topic document grade",
    tell=tell_lines(Layout(("topic", "document", "grade")), _is_short_list),
    read=read_text,
    example="q1 d1 1\nq1 d2 0\nq2 d1 0\n",
    source="exports without a header",
)
add_format(
    "qrels pairs",
    title="pairs of relevant documents",
    looks="topic document, without a header",
    tell=tell_lines(PAIRS, _are_ids, _are_pairs),
    read=read_text,
    example="q1 d1\nq1 d2\nq2 d1\n",
    source="MS MARCO, exports",
)
add_format(
    "qrels columns",
    title="qrels with several grades",
    looks="a column for each rater or kind of grade; --qrels-format columns:NAME takes one",
    tell=tell_first(
        tell_if(_choose_rater, _names_topics_and_documents, _has_several_raters),
        tell_if(
            _choose_kind,
            # a run has six columns, too: these hold no ranks, but three grades
            is_text_of(6),
            is_iteration,
            unless(FirstBlock.starts_list),
            unless(_counts_in_fourth),
            _ends_in_grades,
        ),
    ),
    read=read_text,
    example="topic,document,usefulness,credibility\n101,d1,1,0\n101,d2,2,1\n102,d1,0,0\n",
    source="Quepid, Health Misinformation track",
)
add_format(
    "qrels features",
    title="qrels with features",
    looks="grade qid:N 1:0.5 ... # document",
    tell=tell_shape(is_headless, mentions_queries, begins_with_queries),
    read=read_features,
    example="2 qid:101 1:0.5 2:0.25 # d1\n0 qid:101 1:0.125 2:1 #docid = d2 inc = 1\n",
    source="LETOR, learning to rank",
)
add_format(
    "qrels header",
    title="qrels with a header",
    looks="columns such as query-id, corpus-id, score in any order, divided by tabs, commas or"
    " blanks",
    tell=tell_named("text", _find_grades),
    read=read_text,
    example="query-id\tcorpus-id\tlabel\nq1\td1\t1\nq1\td2\t0\nq2\td1\t2\n",
    source="BEIR, Hugging Face, PyTerrier",
)
add_format(
    "qrels json",
    title="JSON qrels",
    looks="topic -> document -> grade, or topic -> list of relevant documents",
    tell=tell_shape(is_json, either(_maps_to_grades, FirstBlock.lists_documents)),
    read=read_nested,
    example='{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}',
    source="pytrec_eval, ranx",
)
add_format(
    "qrels lists",
    title="qrels as lists of objects",
    looks="objects, or one a line, with a topic (query, qid, id, ...) and a list:"
    f" {', '.join(JUDGED)}",
    tell=tell_lists(JUDGED),
    read=read_judged,
    example='{"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d1", "rating": "1.0"}]}]}',
    source="Elasticsearch, OpenSearch, Quepid, Rated Ranking Evaluator, MIRACL, LoTTE, LlamaIndex,"
    " BioASQ",
)
add_records(
    "qrels",
    title="qrels",
    columns="qid, docno, label",
    find=_find_grades,
    example="qid,docno,label\nq1,d1,1\nq1,d2,0\nq2,d1,2\n",
    sources=("Hugging Face", "Hugging Face"),
)
