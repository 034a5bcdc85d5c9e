"""Exclusions of a policy from runs and judgments, and its choice among duplicate
lines.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pa, pc
from irmeval.core.text import shorten
from irmeval.reading import files, parsing, trec
from irmeval.reading.arrays import to_arrow, to_numpy
from irmeval.reading.first_block import FirstBlock, first_blocks
from irmeval.reading.lines import check_text, numbered_lines
from irmeval.reading.policy import Pairs, Policy
from irmeval.reading.text_layout import BLANK, Layout

REMEDY = "Give each line a topic and a document, or name a qrels file."


class Taken(NamedTuple):
    """Lines of a run under a policy, and the number of lines left out."""

    run: trec.Run
    own: int = 0
    """lines whose document has the topic's name"""
    listed: int = 0
    """lines whose topic and document are excluded"""


def read_policy(**decisions: Any) -> Policy:
    """Return the policy; `exclude` may be a file or pairs of topic and document. Raises
    `ReadError` for an unreadable file.
    """
    exclude = decisions.get("exclude", "")
    if isinstance(exclude, str) and (not exclude or "\t" in exclude):
        return Policy(**decisions)
    return Policy(**decisions | {"exclude": read_exclusions(exclude)})


def read_exclusions(pairs: Pairs) -> str:
    """Pairs of topic and document in the form of `Policy.exclude`: one per line,
    separated by a tab, sorted.

    Parameters
    ----------
    pairs : a file with two columns, or a qrels file, all of whose documents are
    excluded, as in a residual collection; or pairs

    Raises
    ------
    ReadError
        With file and line; for names with tabs or ends of lines, and where there are no
        pairs.
    """
    if isinstance(pairs, str | Path):
        return parse_exclusions(str(pairs), files.read_bytes(pairs))
    return _as_lines("exclude", pairs)


def parse_exclusions(name: str, data: bytes) -> str:
    """Parse the same from the content of a file."""
    inner, text = files.unpack_one(name, data, "list of exclusions")
    return _as_lines(inner, _pairs_in(inner, text))


def _as_lines(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    # sorted, and each once: the same pairs are the same policy
    lines = sorted({"\t".join(map(str, pair)) for pair in pairs})
    bad = [shorten(line) for line in lines if not _PAIR.fullmatch(line)]
    if not lines:
        bad = ["none"]
    if bad:
        raise ReadError(name, None, "pairs of topic and document", bad[0], REMEDY)
    return "\n".join(lines)


_PAIR = re.compile(r"[^\t\n]*\t[^\t\n]*")
"""Topic and document of an excluded pair."""


def _pairs_in(name: str, data: bytes) -> Iterable[tuple[str, str]]:
    """Pairs in a file with two columns, or in a qrels file."""
    if not data.strip():
        return ()
    block = _find_columns(first_blocks(name, data))
    if block is None:
        qrels = parsing.parse_qrels(name, data)
        topics = map(qrels.topics.__getitem__, qrels.topic.tolist())
        return zip(topics, qrels.documents.to_pylist(), strict=True)
    check_text(name, data)
    files.refuse_inner_mark(name, data)
    layout = Layout(("topic", "document"), block.separator, quoted=block.quoted)
    pairs = list[tuple[str, str]]()
    for number, line in [*numbered_lines(data, layout=layout)][bool(block.names) :]:
        cells = [*map(str.strip, map(bytes.decode, layout.split(line)))]
        if len(cells) != 2:
            came = shorten(" ".join(cells))
            raise ReadError(name, number, "a topic and a document", came, REMEDY)
        pairs.append((cells[0], cells[1]))
    return pairs


def _find_columns(blocks: Sequence[FirstBlock]) -> FirstBlock | None:
    """Layout of a text with only topics and documents; None if it has another
    column.
    """
    texts = [block for block in blocks if block.container == "text"]
    if any(map(_has_more, texts)):
        # documents may have blanks in their names
        texts = [block for block in texts if block.separator == "\t"]
    pairs = [*filter(_has_pairs, texts)]
    return next(chain(filter(FirstBlock.is_even, pairs), pairs), None)


def _has_more(block: FirstBlock) -> bool:
    """Whether blanks divide a text into more than two columns."""
    return block.separator == BLANK and block.width > 2


def _has_pairs(block: FirstBlock) -> bool:
    """Whether a text has two columns, which blanks do not divide behind a comma."""
    return block.width == 2 and not block.rows[0][0].endswith(",")


@lru_cache(maxsize=4)
def _excluded(text: str) -> "tuple[frozenset[str], pa.StringArray]":
    """Topics of the pairs, and keys of the pairs in the form of
    `irmeval.reading.trec.join_keys`.
    """
    topics = frozenset(line.partition("\t")[0] for line in text.split("\n"))
    return topics, pa.array(text.replace("\t", "\0").split("\n"), pa.string())


def _among(
    text: str, topics: tuple[str, ...], topic: np.ndarray, documents: "pa.StringArray"
) -> np.ndarray:
    """Whether the pair of topic and document is excluded, bool [rows]."""
    listed = np.zeros(topic.size, bool)
    if not text:
        return listed
    concerned, keys = _excluded(text)
    # of these topics alone, since a key is made for each document
    are_concerned = np.fromiter(map(concerned.__contains__, topics), bool)
    rows = np.flatnonzero(are_concerned[topic])
    named = trec.join_keys(topics, topic[rows], documents.take(to_arrow(rows)))
    listed[rows] = to_numpy(pc.is_in(named, value_set=keys))
    return listed


def take(run: trec.Run, policy: Policy) -> Taken:
    """Lines of a run under a policy."""
    if policy.repeated == "best" and run.better:
        row, score, rank = run.better
        place = np.arange(run.score.size)
        place[row] = run.score.size + np.arange(row.size)
        ranks = pa.concat_arrays([run.rank, rank]).take(to_arrow(place))
        run = run._replace(score=np.concatenate([run.score, score])[place], rank=ranks)
    if not policy.exclude_own and not policy.exclude:
        return Taken(run)
    own = np.zeros(run.topic.size, bool)
    if policy.exclude_own:
        topics = pa.array(run.topics, pa.string()).take(to_arrow(run.topic))
        own = to_numpy(pc.equal(topics, run.documents))
    listed = _among(policy.exclude, run.topics, run.topic, run.documents) & ~own
    kept = np.flatnonzero(~own & ~listed)
    rows = to_arrow(kept)
    columns = {
        "topic": run.topic[kept],
        "documents": run.documents.take(rows),
        "score": run.score[kept],
        "rank": run.rank.take(rows),
    }
    return Taken(run._replace(**columns), int(own.sum()), int(listed.sum()))


def take_judgments(qrels: trec.Qrels, policy: Policy) -> trec.Qrels:
    """Judgments without excluded pairs, and without topics that have no others. Raises
    `ParamError` if none is left.
    """
    listed = _among(policy.exclude, qrels.topics, qrels.topic, qrels.documents)
    if not listed.any():
        return qrels
    kept = np.flatnonzero(~listed)
    if not kept.size:
        raise ParamError("exclude: every judgment is excluded. Leave some pairs out of the list.")
    return replace(trec.pick_judgments(qrels, kept), excluded=int(listed.sum()))
