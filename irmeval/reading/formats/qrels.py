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
    # where some lines may be wrong, a wrong probability may be one of them
    fits = is_probability if block.least == 1 else is_number
    if not block.most(fits, 4):
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
    return several and all(map(_counts, table["subtopics"]))


def _counts(cell: str) -> bool:
    """Whether a cell is a whole number from 1."""
    return (whole_number(cell) or 0) >= 1


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


def _is_no_run(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether no column has ranks, or grades are called so."""
    is_graded = plain_name(found["grade"]) in NAMES["grade"]
    return is_graded or not find_columns(block.names, ("rank",))


def _has_grades(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether a column is called grades, or one of scores has whole numbers."""
    return plain_name(found["grade"]) in NAMES["grade"] or block.whole(found["grade"])


def _are_headed_pairs(block: FirstBlock, found: dict[str, str]) -> bool:
    """Whether there are topics and documents alone, which are relevant."""
    return len(block.names) == len(found) == 2


_find_grades = tell_first(
    find_named(("topic", "document"), _are_headed_pairs),
    find_named(QRELS_COLUMNS, _has_every_column, _is_no_run, _has_grades),
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


def _has_ranks(block: FirstBlock) -> bool:
    """Whether the fourth column counts; in the place of qrels it may."""
    return not block.stated and block.counts(0, 3)


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
    return layout._replace(columns=tuple(places.get(name, name) for name in layout.columns))


def _maps_to_grades(block: FirstBlock) -> bool:
    """Whether a JSON text maps topics to documents with whole numbers."""
    return all(map(_is_graded, block.filled))


def _is_graded(leaf: Leaf) -> bool:
    """Whether a leaf of a JSON text is a grade below a topic and a document."""
    is_below_both = len(leaf.path) == 2 and not leaf.is_listed()
    return is_below_both and whole_number(leaf.cell) is not None


LEGAL = Layout(("topic", "iteration", "document", "grade", "probability"))


def _has_probabilities(block: FirstBlock) -> bool:
    """Whether the fifth column is a probability, and the second always 0."""
    return is_iteration(block) and not block.starts_list() and block.most(is_probability, 4)


def _is_short_list(block: FirstBlock) -> bool:
    """Whether the third column does not count to `LONG_LIST`, as ranks would."""
    return not (block.counts(0, 2) and max(map(len, block.by_topic(0, 2).values())) >= LONG_LIST)


add_format(
    "qrels trec",
    "TREC qrels",
    "topic 0 document grade",
    tell_lines(QRELS, unless(has_subtopics)),
    read_text,
    "301 0 FT911-3 1\n301 0 FT911-8 0\n302 0 LA010189-1 2\n",
    "trec_eval",
)
add_format(
    "qrels strata",
    "qrels with strata",
    "topic 0 document stratum grade",
    # the Legal track has five columns, too: its probabilities read as strata made AP .6667 for .5
    tell_lines(STRATA, _ends_in_integers, _has_no_fractions, unless(FirstBlock.starts_list)),
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
    tell_first(
        tell_lines(LEGAL, _has_probabilities),
        tell_lines(Layout((*LEGAL.columns, "-6")), _has_probabilities),
        # those of 2009 have seven columns, of which the first five count
        tell_lines(Layout((*LEGAL.columns, "-6", "-7")), _has_probabilities),
    ),
    # its grades below 0, gray or not assessed, are of pooled documents without a judgment
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
    tell_first(*(tell_lines(each, _has_levels(each.columns.index("level"))) for each in LEVELS)),
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
    "qrels pairs",
    "pairs of relevant documents",
    "topic document, without a header",
    tell_lines(PAIRS, _are_ids, _are_pairs),
    read_text,
    "q1 d1\nq1 d2\nq2 d1\n",
    "MS MARCO, exports",
)
add_format(
    "qrels columns",
    "qrels with several grades",
    "a column for each rater or kind of grade; --qrels-format columns:NAME takes one",
    tell_first(
        tell_if(_choose_rater, _names_topics_and_documents, _has_several_raters),
        tell_if(
            _choose_kind,
            # a run has six columns, too: these hold no ranks, but three grades
            is_text_of(6),
            is_iteration,
            unless(FirstBlock.starts_list),
            unless(_has_ranks),
            _ends_in_grades,
        ),
    ),
    read_text,
    "topic,document,usefulness,credibility\n101,d1,1,0\n101,d2,2,1\n102,d1,0,0\n",
    "Quepid, Health Misinformation track",
)
add_format(
    "qrels features",
    "qrels with features",
    "grade qid:N 1:0.5 ... # document",
    tell_shape(is_headless, mentions_queries, begins_with_queries),
    read_features,
    "2 qid:101 1:0.5 2:0.25 # d1\n0 qid:101 1:0.125 2:1 #docid = d2 inc = 1\n",
    "LETOR, learning to rank",
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
    tell_shape(is_json, either(_maps_to_grades, FirstBlock.lists_documents)),
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
    "Elasticsearch, OpenSearch, Quepid, Rated Ranking Evaluator, MIRACL, LoTTE, LlamaIndex, BioASQ",
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
