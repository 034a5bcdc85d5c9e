"""Inputs that are almost right, and now and then much too long: good ones, changed here
and there.
"""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from irmeval import measure
from irmeval.collection.base import build
from irmeval.collection.team_names import read_teams, team_of
from irmeval.core.tables import escape_markdown
from irmeval.experiments.incompleteness import curves
from irmeval.experiments.learn import lab
from irmeval.reading import files, parsing, score_matrix
from irmeval.reading.faults import examine
from irmeval.reading.gain_maps import gain_table, parse_gains
from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection, select
from tests import hostile
from tests.cases import read_qrels_or_run, settled_run

RUN = b"1 Q0 a 1 1.5 t\n1 Q0 b 2 1e-3 t\n3 Q0 a 1 -2 t\n"
QRELS = b"1 0 a 2\n1 0 b 1\n2 0 a 0\n3 0 b -1\n"
FIELD = build(parsing.settled_qrels("q", QRELS), [settled_run(f"r{i}", RUN) for i in range(4)])


class Kind(NamedTuple):
    """Good inputs, and what reads them."""

    good: tuple[Any, ...]
    read: Callable[[Any], Any]


def selected(text: str) -> None:
    """A selection in which every text is this."""
    for name in ("topics_only", "team_rule", "best_by", "top_runs", "least", "draw"):
        select(FIELD, Selection(**{"per_team": "best", name: text}))


KINDS = {
    "run": Kind((RUN, QRELS), lambda data: read_qrels_or_run("f", data)),
    "qrels": Kind((QRELS, RUN), lambda data: examine("f", data, "qrels")),
    "matrix": Kind(
        (b"topic,a,b\n1,0.5,1\n2,0,1\n", b"a,b\n1,2\n"),
        lambda data: score_matrix.parse_matrix("f", data),
    ),
    "teams": Kind((b"run,team\na,x\nb,y\n",), lambda data: read_teams("f", data)),
    "wrapping": Kind(
        (RUN, b"PK\x03\x04", b"\x1f\x8b\x08\0", b"BZh9"),
        lambda data: list(files.unpack("f", data, 1 << 20)),
    ),
    "measure": Kind(
        (
            "AP",
            "nDCG(base=2)@1000'",
            "RBP(p=0.95,rel=2)'",
            "P_10",
            "Q(beta=10)",
            " AP ( rel = 2 ) @ 10 '",
        ),
        measure,
    ),
    "gold": Kind(("AP", "nDCG@10'"), lambda text: curves.Params(gold=text)),
    "gains": Kind(
        ("1:1,2:3", "sab", "1:0.5,2:1e3"), lambda text: gain_table(3, 1, parse_gains(text))
    ),
    "topics": Kind(
        ("1,2", "1-3", "2-3,1"), lambda text: select(FIELD, Selection(topics_only=text))
    ),
    "selection": Kind(("1-2", "AP", "2", "letters", "50"), selected),
    "team": Kind(("letters", "3", "_"), lambda text: team_of("abc_1", text)),
    "policy": Kind(("1000", "rank"), lambda text: (Policy(depth=text), Policy(order=text))),
    "rates": Kind(("100,50", "10"), lambda text: curves.Params(rates=tuple(text.split(",")))),
    "list": Kind(("0-3-x-1-0-x-2-0", "-", "u"), lambda text: lab.Params(list=text)),
    "name": Kind(hostile.LINES, escape_markdown),
}
TOKENS = (
    *"0123456789 \t\n\r,.:;()@'-+=%$#*_[]{}<>|\\\"`~^&!?/AaPQ²٣é🙂",
    "\0",
    "\u2028",
    "\ufeff",
    "nan",
    "inf",
    "1e999",
    "0x1",
    "1_0",
    "rel=",
    "=",
    "--",
    "PK\x01\x02",
    "ustar",
)
TIMES = (1, 1, 1, 1, 1, 1, 2, 3, 50, 5000)


def mutant(rng: random.Random, kind: str) -> Any:
    """A good input of a kind with up to eight changes: something put in, taken out,
    doubled, cut, exchanged or made long.
    """
    given = rng.choice(KINDS[kind].good)
    for _ in range(rng.randint(1, 8)):
        i, j = sorted((rng.randint(0, len(given)), rng.randint(0, len(given))))
        j = min(j, i + 8)
        token: Any = rng.choice(TOKENS) * rng.choice(TIMES)
        if isinstance(given, bytes):
            token = rng.choice((token.encode(), bytes([rng.randrange(256)])))
        given = (
            given[:i]
            + rng.choice((token, given[i:j] * 2, given[:0], token))
            + given[rng.choice((i, j)) :]
        )
    return given
