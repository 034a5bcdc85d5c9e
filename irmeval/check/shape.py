"""Checks of the form of a run: lines, topics, lengths, scores, ranks."""

import math
from collections.abc import Callable, Container, Iterator
from dataclasses import replace

import numpy as np

from irmeval.check.finding import MATTERS, Finding, fine, odd, wrong
from irmeval.check.ranking import Ranking
from irmeval.collection import Collection
from irmeval.core.errors import ReadError
from irmeval.core.text import count_noun, list_few, shorten
from irmeval.reading.faults import NAN
from irmeval.reading.ir_metadata import SECTIONS, read_header
from irmeval.reading.lines import is_integer
from irmeval.reading.order import rank_column
from irmeval.reading.policy import Policy
from irmeval.reading.trec import EXPECT_ONCE, RUN, Fault, Run, is_settled
from irmeval.scoring.scores import evaluate

FULL = 0.95
"""A list with this share of the usual length counts as complete, as in the rule by which papers leave runs out."""
UPSIDE_DOWN = 0.9
"""If this share of neighbouring lines is ranked against their scores, the rank column reverses the scores."""
SUBJECTS = {EXPECT_ONCE[RUN]: "duplicates", NAN: "scores"}


def file_findings(faults: dict[str, Fault], run: Run | None, repeated: str) -> Iterator[Finding]:
    """Faults of a file, one finding for each kind, and what else there is to say of its form. `repeated` is the field of a policy."""
    for expected, fault in faults.items():
        lines, first = fault
        where = f"Line {first.line}: " if lines == 1 else f"{count_noun(lines, 'line')}, the first line {first.line}: " if lines else ""
        meaning = "These lines are left out of everything below." if lines else "Nothing of the file can be used."
        what = f"{where}expected {expected}, found {first.came}."
        level, remedy = "red", first.remedy
        if is_settled(fault, repeated):
            level, meaning, remedy = "amber", "The first of each is scored and the others are left out, as the policy says.", ""
        yield Finding(level, SUBJECTS.get(expected, "format"), f"{what[0].upper()}{what[1:]}", meaning, remedy)
    if run is None:
        return
    if EXPECT_ONCE[RUN] not in faults:
        yield fine("duplicates", "No document stands twice in a topic.", "Every rank has a different document.")
    if not faults:
        yield fine("format", f"All {count_noun(len(run.documents), 'line')} can be read.", "Six columns, UTF-8, scores that are numbers.")
    if run.header:
        yield header_finding(run)
    if len(run.tags) > 1:
        what = f"{len(run.tags)} tags in one file: {list_few(list(run.tags))}."
        yield odd("format", what, "The run goes by the name of its file.", "Use one tag, or split the file if these are several runs.")


def header_finding(run: Run) -> Finding:
    """Whether the header, which says how the run was made, can be read, belongs to this run, and has all sections."""
    try:
        found = read_header(run.name, run.header)
    except ReadError as error:
        what = f"Header, line {error.line}: expected {error.expected}, found {error.came}."
        return odd("format", what, "No score depends on it, but nobody can read how the run was made.", error.remedy)
    tag = found.get("tag")
    if isinstance(tag, str) and tag not in run.tags:
        what = f"The header is of the run {shorten(tag)}, the lines are of {list_few(list(run.tags))}."
        return odd("format", what, "It may say how a different run was made.", "Check that the header belongs to this run.")
    missing = [section for section in SECTIONS if section not in found]
    what = f"Its header says how it was made: {list_few([name for name in SECTIONS if name in found], len(SECTIONS))}."
    return fine("format", what, f"It says nothing of {', '.join(missing)}." if missing else "All sections of ir_metadata are there.")


def topic_findings(ranking: Ranking, policy: Policy, outside: Container[str]) -> Iterator[Finding]:
    """Topics that the run lacks, and topics that the qrels lack. `outside` are topics that a selection left out."""
    missing = ranking.topics(ranking.length == 0)
    known = set(ranking.qrels.topics)
    unknown = [t for t in ranking.run.topics if t not in known and t not in outside]
    if missing:
        effect = (
            "count 0 in every mean" if policy.average == "judged" else "are left out of this run's means, which are then over fewer topics"
        )
        what = f"{count_noun(len(missing), 'judged topic')} without a document: {list_few(missing, 100)}."
        yield wrong("topics", what, f"They {effect}.", "Retrieve documents for them, or compare on the topics that all runs have.")
    if unknown:
        what = f"{count_noun(len(unknown), 'topic')} that the qrels lack: {list_few(unknown, 100)}."
        yield odd("topics", what, "They are left out of everything.", "Check that run and qrels have the same topics.")
    if not missing and not unknown:
        yield fine("topics", f"All {count_noun(len(known), 'judged topic')} are there, and no others.", "Means are over all topics.")


def length_finding(ranking: Ranking, policy: Policy, longest: int) -> Finding:
    """The number of documents per topic, compared with the depth and with the longest list of other runs."""
    length = ranking.length[ranking.length > 0]
    spread = f"{length.min():,} to {length.max():,}" if length.min() < length.max() else f"{length.max():,}"
    what = f"{spread} documents per topic (median {np.median(length):,.0f})"
    if beyond := int(np.maximum(length - policy.depth, 0).sum()):
        what += f"; {count_noun(beyond, 'line')} below rank {policy.depth} are cut off"
    usual = min(policy.depth, longest)
    short = int(np.count_nonzero(length < FULL * usual))
    if short:
        meaning = (
            f"{count_noun(short, 'list')} {'ends' if short == 1 else 'end'} before rank {math.ceil(FULL * usual)}, while "
            f"others go down to {usual}: recall and AP cannot count what is missing."
        )
        return odd("depth", f"{what}.", meaning, f"Return {usual} documents per topic, or lower the depth for all runs.")
    return fine("depth", f"{what}.", "No list is much shorter than what is scored.")


def score_findings(ranking: Ranking) -> Iterator[Finding]:
    """Scores that do not order the documents, order them the wrong way, or do not fit 32 bits."""
    steps = ranking.per_topic(ranking.same & (ranking.score[1:] != ranking.score[:-1]))
    constant = ranking.topics((ranking.length > 1) & (steps == 0))
    if constant:
        what = f"The same score for all documents of {count_noun(len(constant), 'topic')}: {list_few(constant, 10)}."
        yield wrong("scores", what, "The order there is that of the document ids.", "Write scores that fall with the rank.")
    # the lines in the order of the file, topic by topic
    line = np.lexsort((ranking.line, ranking.topic))
    score, above = ranking.score[line][1:], ranking.score[line][:-1]
    rises, falls = (ranking.per_topic(ranking.same & which) for which in (score > above, score < above))
    ascending = ranking.topics((rises > 0) & (falls == 0))
    if ascending:
        what = f"Scores rise from line to line in {count_noun(len(ascending), 'topic')}: {list_few(ascending, 10)}."
        meaning = "Lists are ordered by falling score, so these are read from their ends."
        yield wrong("scores", what, meaning, "If low is good, as with distances, write the negative.")
    if infinite := int(np.count_nonzero(np.isinf(ranking.key))):
        what = f"{count_noun(infinite, 'score')} infinite, or too large for 32 bits."
        yield odd("scores", what, "They tie with each other.", "Write finite scores.")
    if not constant and not ascending:
        yield fine("scores", f"From {ranking.score.min():g} to {ranking.score.max():g}.", "They fall from rank to rank in every list.")


def precision_finding(ranking: Ranking, policy: Policy) -> Finding:
    """Ties that exist only because scores are compared as 32-bit floats."""
    with np.errstate(over="ignore"):
        single = ranking.score.astype(np.float32)
    only = ranking.same & (single[1:] == single[:-1]) & (ranking.score[1:] != ranking.score[:-1])
    if not only.any():
        return fine("precision", "No two scores are equal in 32 bits and different in 64.", "trec_eval 9 and 10 order the lists alike.")
    topics = int(np.count_nonzero(ranking.per_topic(only)))
    what = (
        f"{count_noun(int(only.sum()), 'pair')} of neighbours in {count_noun(topics, 'topic')}: scores equal in 32 bits, different in 64."
    )
    meaning = f"trec_eval 9 takes them for ties, trec_eval 10 does not; the order used here is {policy.order}."
    return odd("precision", what, meaning, "Spread the scores, for example by writing the negative rank.")


def rank_finding(ranking: Ranking, policy: Policy, reorder: Callable[[], Ranking]) -> Finding:
    """The rank column compared with the scores. `reorder` ranks the run by its rank column."""
    try:
        written = rank_column(ranking.run)[ranking.line]
    except ReadError:
        bad = next(t for t in ranking.run.rank.to_pylist() if not is_integer(t))
        what = f"The rank column holds what is no whole number: {bad}."
        return odd("ranks", what, "Nothing here looks at it, unless lists are ordered by it.")
    climbs = ranking.same & (written[1:] <= written[:-1])
    equal = ranking.key[1:] == ranking.key[:-1]
    against, within = int((climbs & ~equal).sum()), int((climbs & equal).sum())
    if not against and not within:
        return fine("ranks", "The rank column orders documents as the scores do.", "Whichever a program looks at, the lists are the same.")
    topics = int(np.count_nonzero(ranking.per_topic(climbs)))
    by_score, by_rank = (
        evaluate(ordered.collection(replace(policy, order=order)), ["AP"]).means.item()
        for ordered, order in ((ranking, ranking.order), (reorder(), "rank"))
    )
    what = (
        f"In {count_noun(topics, 'topic')} the rank column contradicts the order by score: {count_noun(against, 'neighbour')} "
        f"against their scores, {within:,} within a tie."
    )
    meaning = f"By score AP is {by_score:.4f}, by the rank column {by_rank:.4f}; scored here is the order {policy.order}."
    level = "red" if against else "amber" if abs(by_score - by_rank) >= MATTERS else "green"
    remedy = "" if level == "green" else "Write scores that fall with the rank; or set the order to rank."
    if against > UPSIDE_DOWN * ranking.same.sum():
        remedy = "Scores rise with the rank, as distances do: write their negatives, or set the order to rank."
    return Finding(level, "ranks", what, meaning, remedy)


def judgment_findings(collection: Collection) -> Iterator[Finding]:
    """Grades in the qrels, and topics for which no score can be computed."""
    grade, T = collection.grade, len(collection.topics)
    levels, counts = np.unique(grade, return_counts=True)
    listed = ", ".join(f"{count:,} of grade {level}" for level, count in zip(levels[::-1], counts[::-1], strict=True))
    if collection.design:
        yield fine("grades", f"{listed}.", "Judgments are a sample: a negative grade is that of a document that was not drawn.")
    elif (grade < 0).any():
        meaning = "A document with a negative grade counts as pooled, but not judged."
        yield odd("grades", f"{listed}.", meaning, "If it means not relevant, set negative grades to nonrelevant.")
    else:
        yield fine("grades", f"{listed}.", "Whole numbers, none below 0.")
    R, N = (np.bincount(collection.topic[which], minlength=T) for which in (grade > 0, grade == 0))
    for none, without, meaning in (
        (R == 0, "without a relevant document", "They have no score, and are left out of means unless the policy says they count as 0."),
        (N == 0, "without a judged nonrelevant document", "Bpref is recall there, and condensed lists hold relevant documents alone."),
    ):
        names = [t for t, yes in zip(collection.topics, none, strict=True) if yes]
        if names:
            what = f"{count_noun(len(names), 'topic')} {without}: {list_few(names, 20)}."
            yield odd("judgments", what, meaning, "Say so where you report means.")
    if R.all() and N.all():
        yield fine("judgments", "Every topic has relevant and nonrelevant documents.", "Every measure is defined on all topics.")
