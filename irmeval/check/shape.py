"""Checks of the form of a run: lines, topics, lengths, scores, ranks."""

from collections.abc import Container, Iterator

import numpy as np

from irmeval.check.finding import LEVELS, CheckFinding, error, note, warning, weigh
from irmeval.check.ranking import Ranking
from irmeval.collection import Collection
from irmeval.core.errors import NOT_A_NUMBER, REPEATED, ReadError
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_few, shorten, verb
from irmeval.reading.ir_metadata import SECTIONS, read_header
from irmeval.reading.order import rank_column
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Fault, Run, is_settled

FULL = 0.95
"""Share of the usual length from which a list counts as complete, as in the papers'
rule for leaving runs out.
"""
UPSIDE_DOWN = 0.9
"""Share of neighbouring lines ranked against their scores from which the rank column
reverses the scores.
"""
SUBJECTS = {REPEATED: "duplicates", NOT_A_NUMBER: "scores"}
"""What a finding is about, by the kind of the fault; others are about the format."""


def file_findings(
    faults: dict[str, Fault], run: Run | None, repeated: str
) -> Iterator[CheckFinding]:
    """Errors of a file, one finding for each kind, and other findings on its form.
    `repeated` is the field of a policy.
    """
    for expected, fault in faults.items():
        lines, first = fault.lines, fault.first
        where = (
            f"Line {first.line}: "
            if lines == 1
            else f"{count_noun(lines, 'line')}, the first line {first.line}: "
            if lines
            else ""
        )
        meaning = "These lines are ignored below." if lines else "The file cannot be used."
        what = f"{where}expected {expected}, found {first.came}. {fault.likewise}".rstrip()
        make, remedy = error, first.remedy
        if is_settled(fault, repeated):
            make, meaning, remedy = (
                warning,
                f"The policy scores the {repeated} of each and ignores the others.",
                "",
            )
        yield make(
            SUBJECTS.get(first.kind, "format"), f"{what[0].upper()}{what[1:]}", meaning, remedy
        )
    if run is None:
        return
    if run.header:
        yield header_finding(run)
    if len(run.tags) > 1:
        what = f"{len(run.tags)} tags in one file: {list_few(list(run.tags))}."
        yield note(
            "format",
            what,
            "The run has the name of its file.",
            "Use one tag, or split the file if these are several runs.",
        )


def header_finding(run: Run) -> CheckFinding:
    """Whether the header of provenance can be read, belongs to this run, and has all
    sections.
    """
    try:
        found = read_header(run.name, run.header)
    except ReadError as error:
        what = f"Header, line {error.line}: expected {error.expected}, found {error.came}."
        return note(
            "format",
            what,
            "Scores do not depend on it, but the provenance of the run is unreadable.",
            error.remedy,
        )
    tag = found.get("tag")
    if isinstance(tag, str) and tag not in run.tags:
        what = (
            f"The header belongs to the run {shorten(tag)}, the lines to"
            f" {list_few(list(run.tags))}."
        )
        return note(
            "format",
            what,
            "It may describe a different run.",
            "Check that the header belongs to this run.",
        )
    there = [section for section in SECTIONS if section in found]
    missing = [section for section in SECTIONS if section not in found]
    what = f"Its header describes how it was made: {list_few(there, len(SECTIONS))}."
    meaning = "All sections of ir_metadata are present."
    if missing:
        meaning = f"Missing sections: {', '.join(missing)}."
    return note("format", what, meaning)


def topic_findings(
    ranking: Ranking, policy: Policy, outside: Container[str], effect: float
) -> Iterator[CheckFinding]:
    """Topics missing from the run, and topics missing from the qrels. `outside` are
    topics left out by a selection.
    """
    missing = ranking.topics(ranking.length == 0)
    # a selection leaves topics out on purpose: no finding
    known = set(ranking.qrels.topics)
    unknown = [t for t in ranking.run.topics if t not in known and t not in outside]
    if missing:
        counted = (
            "count 0 in every mean"
            if policy.average == "judged"
            else "are left out of this run's means"
        )
        what = (
            f"{count_noun(len(missing), 'judged topic')} without a document:"
            f" {list_few(missing, 100)}."
        )
        yield warning(
            "topics",
            what,
            f"They {counted}.",
            "Retrieve documents for them, or compare on topics of all runs.",
            effect,
        )
    if unknown:
        what = (
            f"{count_noun(len(unknown), 'topic')} missing from the qrels: {list_few(unknown, 100)}."
        )
        yield note(
            "topics", what, "They are ignored.", "Check that run and qrels have the same topics."
        )


def length_finding(
    length: np.ndarray, policy: Policy, usual: int, measure: str, effect: float
) -> CheckFinding | None:
    """Number of documents per topic [topics], compared with the `usual` length of a
    list. `effect` is that of shorter lists on the mean of a measure. None if no list is
    shorter or cut off.
    """
    # topics without a document have a finding of their own
    found = length[length > 0]
    short = int(np.count_nonzero(found < FULL * usual))
    beyond = int(np.maximum(length - policy.depth, 0).sum())
    if not short and not beyond:
        return None
    spread = count_noun(int(found.max()), "document")
    if found.min() < found.max():
        spread = f"{found.min():,} to {spread}"
    what = f"{spread} per topic (median {np.median(found):,.0f})"
    if beyond:
        what += (
            f"; {count_noun(beyond, 'line')} below rank {policy.depth} {verb(beyond, 'is', 'are')}"
            " cut off"
        )
    if not short:
        return note("depth", f"{what}.", "No list is much shorter than what is scored.")
    meaning = (
        f"{count_noun(short, 'list')} {verb(short, 'is', 'are')} shorter than {usual:,}: recall and"
        " AP miss documents beyond their end."
    )
    if effect:
        meaning += (
            f" Cut at rank {np.median(found):,.0f}, half of the other runs would lose {effect:.4f}"
            f" of their {measure} or more."
        )
    remedy = f"Return {usual:,} documents per topic, or lower the depth for all runs."
    return CheckFinding(weigh(LEVELS[1], effect), "depth", f"{what}.", meaning, remedy, effect)


def score_findings(ranking: Ranking, by_lines: np.ndarray, effect: float) -> Iterator[CheckFinding]:
    """Scores that do not order the documents, order them the wrong way, or exceed 32
    bits. `by_lines` are the scores by topic in the order of the lines [n], `effect` is
    that of this order.
    """
    # neighbours of one list alone: the next topic may begin with any score
    steps = ranking.per_topic(ranking.same & (ranking.score[1:] != ranking.score[:-1]))
    level = weigh(LEVELS[0], effect)
    if constant := ranking.topics((ranking.length > 1) & (steps == 0)):
        what = (
            f"The same score for all documents of {count_noun(len(constant), 'topic')}:"
            f" {list_few(constant, 10)}."
        )
        meaning = "Their order is that of the document ids."
        yield CheckFinding(
            level, "scores", what, meaning, "Make scores decrease with rank.", effect
        )
    score, above = by_lines[1:], by_lines[:-1]
    rises, falls = (
        ranking.per_topic(ranking.same & which) for which in (score > above, score < above)
    )
    if ascending := ranking.topics((rises > 0) & (falls == 0)):
        what = (
            f"Scores increase from line to line in {count_noun(len(ascending), 'topic')}:"
            f" {list_few(ascending, 10)}."
        )
        meaning = "Lists are sorted by decreasing score, which reverses these lists."
        yield CheckFinding(
            level,
            "scores",
            what,
            meaning,
            "If low is good, as with distances, negate the scores.",
            effect,
        )
    if infinite := int(np.count_nonzero(np.isinf(ranking.key))):
        what = f"{count_noun(infinite, 'score')} infinite, or too large for 32 bits."
        yield note("scores", what, "They tie with each other.", "Write finite scores.")


def count_single_ties(ranking: Ranking) -> np.ndarray:
    """Number of neighbours per topic with scores that are equal only as 32-bit floats
    [topics].
    """
    # a score beyond 32 bits is infinite, which has a finding of its own
    with np.errstate(over="ignore"):
        single = ranking.score.astype(np.float32)
    return ranking.per_topic(
        ranking.same & (single[1:] == single[:-1]) & (ranking.score[1:] != ranking.score[:-1])
    )


def precision_finding(only: np.ndarray, policy: Policy, effect: float) -> CheckFinding:
    """Ties that exist only because scores are compared as 32-bit floats, given their
    number per topic [topics].
    """
    where = (
        f"{count_noun(int(only.sum()), 'pair')} of neighbours in"
        f" {count_noun(int(np.count_nonzero(only)), 'topic')}"
    )
    what = f"{where}: scores equal in 32 bits, different in 64."
    meaning = (
        "trec_eval 9 treats them as ties, trec_eval 10 does not; scored in the order"
        f" {policy.order}."
    )
    return CheckFinding(
        weigh(LEVELS[1], effect),
        "precision",
        what,
        meaning,
        "Spread the scores, for example by writing the negative rank.",
        effect,
    )


def rank_finding(
    ranking: Ranking, policy: Policy, measure: str, by_score: float, by_rank: float
) -> CheckFinding | None:
    """Whether the rank column contradicts the scores; the mean of a measure by either
    order. None if they agree.
    """
    written = rank_column(ranking.run)[ranking.line]
    climbs = ranking.same & (written[1:] <= written[:-1])
    equal = ranking.key[1:] == ranking.key[:-1]
    against, within = int((climbs & ~equal).sum()), int((climbs & equal).sum())
    effect = by_score - by_rank if policy.order == "rank" else by_rank - by_score
    if not against and not (within and effect):
        return None
    topics = int(np.count_nonzero(ranking.per_topic(climbs)))
    what = (
        f"In {count_noun(topics, 'topic')} the rank column contradicts the order by score:"
        f" {count_noun(against, 'neighbour')} outside ties, {within:,} within ties."
    )
    meaning = (
        f"By score {measure} is {by_score:.4f}, by the rank column {by_rank:.4f}; scored in the"
        f" order {policy.order}."
    )
    remedy = "Make scores decrease with rank; or set the order to rank."
    if against > UPSIDE_DOWN * ranking.same.sum():
        remedy = (
            "Scores increase with rank, as distances do: negate them, or set the order to rank."
        )
    level = LEVELS[2] if policy.order == "rank" else weigh(LEVELS[0 if against else 1], effect)
    return CheckFinding(level, "ranks", what, meaning, remedy, effect)


def judgment_findings(collection: Collection) -> Iterator[CheckFinding]:
    """Grades in the qrels, and topics for which scores are undefined."""
    grade = collection.grade
    meaning, remedy = _explain_grades(collection)
    yield note("grades", f"{_list_grades(grade)}.", meaning, remedy)
    for which, without, meaning in (
        (
            grade > 0,
            "without a relevant document",
            "They have no score and are left out of means unless the policy counts them as 0.",
        ),
        (
            grade == 0,
            "without a judged nonrelevant document",
            "Bpref is recall there, and condensed lists contain only relevant documents.",
        ),
    ):
        names = _topics_without(collection, which)
        if names:
            what = f"{count_noun(len(names), 'topic')} {without}: {list_few(names, 20)}."
            yield note("judgments", what, meaning, "Report this with means.")


def _list_grades(grade: np.ndarray) -> str:
    """How many documents have each grade, the highest first."""
    levels, counts = np.unique(grade, return_counts=True)
    highest_first = zip(levels[::-1], counts[::-1], strict=True)
    return ", ".join(f"{count:,} of grade {level}" for level, count in highest_first)


def _explain_grades(collection: Collection) -> tuple[str, str]:
    """What negative grades mean, and a remedy if they may mean something else."""
    if collection.design:
        return "Judgments are a sample: documents with negative grades were not drawn.", ""
    if (collection.grade >= 0).all():
        return "Whole numbers, none below 0.", ""
    return (
        "A document with a negative grade counts as pooled, but not judged.",
        "If it means not relevant, set negative grades to nonrelevant.",
    )


def _topics_without(collection: Collection, which: np.ndarray) -> list[str]:
    """The topics without any of these judgments, a mask [J]."""
    topics = collection.topics
    count = np.bincount(collection.topic[which], minlength=len(topics))
    return pick(topics, np.flatnonzero(count == 0))
