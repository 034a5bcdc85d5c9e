"""A server's side of a visitor whom another serves too: it is told what they do, does
that with what it has of them, and keeps it.

As a program it is told so on standard input, a line of JSON each.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from select import select
from subprocess import PIPE, Popen
from typing import Any

from irmeval.reading.policy import Policy
from irmeval.ui.state import visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor

PATIENCE = 120.0
"""Seconds after which a server that does not answer has failed."""
QRELS = b"1 0 common 1\n1 0 other 0\n"


class Server:
    """One that keeps what it has of visitors in memory, and on disk."""

    def __init__(self) -> None:
        self.visitors: dict[str, Visitor] = {}
        self.made = 0

    def do(self, what: str, seed: int, visitor: str, name: str) -> dict[str, Any]:
        """What the visitor does, chosen by a seed from what can be done with what is
        here; `name` is like no other. What they are told is kept that was not there,
        and what they see gone.
        """
        if what == "restart" or visitor not in self.visitors:
            self.visitors[visitor] = Visitor(visitor)
            visitors.sync(self.visitors[visitor])
        who = self.visitors[visitor]
        before = things(who)
        if what in ACTIONS:
            ACTIONS[what](who, Random(seed), name)
        after = things(who)
        if what == "tab":
            visitors.sync(who)
        who.dataset.collection(Policy())
        visitors.sync(who)
        return {
            "more": sorted(after - before),
            "gone": sorted(before - after),
            "refused": who.refused,
        }

    def look(self, visitor: str) -> dict[str, Any]:
        """What a server finds that is started anew, and what it says of that."""
        who = Visitor(visitor)
        visitors.sync(who)
        return {"things": sorted(things(who)), "measures": who.measures, "told": who.notices}


def things(who: Visitor) -> set[str]:
    """All that a visitor has, by names that are like no other."""
    found = {f"set {name}" for values in who.parameters.values() for name in values}
    found |= {*who.habits, *(item["key"] for item in who.report.get("items", ()))}
    for desk in [who.dataset, *who.other_datasets]:
        found |= {run.documents[0].as_py() for run in desk.runs.values()}
        found |= (
            {*desk.qrels.qrels.documents.to_pylist()} - {"common", "other"} if desk.qrels else set()
        )
        found |= {judge.qrels.documents[0].as_py() for judge in desk.judges.values()}
        found |= {*filter(None, [desk.notes, *desk.teams.values()])}
    return found


def _run(name: str) -> bytes:
    return f"1 Q0 {name} 1 2 t\n1 Q0 common 2 1 t\n".encode()


def _open(who: Visitor, random: Random) -> Dataset | None:
    return (
        random.choice(mine)
        if (mine := [desk for desk in who.datasets if desk.has_content])
        else None
    )


def _drop(who: Visitor, random: Random, name: str) -> None:
    made = Dataset() if who.dataset.has_content else who.dataset
    made.add(
        [
            ("q", QRELS + f"1 0 {name}q 0\n".encode()),
            ("first", _run(f"{name}a")),
            ("second", _run(f"{name}b")),
        ]
    )
    made.name = who.unused_name(random.choice(["robust", "deep"]), but=made)
    who.open(made)


def _add(who: Visitor, random: Random, name: str) -> None:
    (_open(who, random) or who.dataset).add(
        [(random.choice(["first", "second", "third", name]), _run(name))]
    )


def _judgments(who: Visitor, random: Random, name: str) -> None:
    (_open(who, random) or who.dataset).add([("q", QRELS + f"1 0 {name} 0\n".encode())])


def _remove_run(who: Visitor, random: Random, name: str) -> None:
    if (desk := _open(who, random)) and desk.runs:
        desk.remove([random.choice(sorted(desk.runs))])


def _remove(who: Visitor, random: Random, name: str) -> None:
    if desk := _open(who, random):
        left = [other for other in [who.dataset, *who.other_datasets] if other is not desk] or [
            Dataset()
        ]
        who.dataset, *who.other_datasets = left


def _judge(who: Visitor, random: Random, name: str) -> None:
    random.choice(who.datasets).add_judges(
        [(random.choice(["human", name]), f"1 0 {name} 1\n".encode())]
    )


def _note(who: Visitor, random: Random, name: str) -> None:
    if desk := _open(who, random):
        desk.notes = name


def _teams(who: Visitor, random: Random, name: str) -> None:
    if desk := _open(who, random):
        desk.teams, desk.team_file = {"first": name}, f"{name}.csv"


def _set(who: Visitor, random: Random, name: str) -> None:
    who.parameters.setdefault("curves", {})[name] = 1
    random.choice(who.datasets).settings = {"depth": random.randrange(1, 9)}


def _report(who: Visitor, random: Random, name: str) -> None:
    items = [*who.report.get("items", ())]
    if items and random.random() < 0.3:
        items.pop(random.randrange(len(items)))
    who.report = {"title": "", "note": "", "items": [*items, {"key": f"item {name}"}]}


def _measures(who: Visitor, random: Random, name: str) -> None:
    who.measures = [name]


def _other(who: Visitor, random: Random, name: str) -> None:
    who.habits[f"habit {name}"] = True


def _forget(who: Visitor, random: Random, name: str) -> None:
    visitors.forget(who)


ACTIONS: dict[str, Callable[[Visitor, Random, str], None]] = {
    "drop": _drop,
    "add": _add,
    "judgments": _judgments,
    "remove run": _remove_run,
    "remove": _remove,
    "judge": _judge,
    "note": _note,
    "teams": _teams,
    "set": _set,
    "report": _report,
    "measures": _measures,
    "other": _other,
    "forget": _forget,
}


class Remote:
    """A server in a process of its own."""

    def __init__(self) -> None:
        self.process = Popen(
            [sys.executable, "-m", "tests.two_servers"],
            cwd=Path(__file__).parents[1],
            stdin=PIPE,
            stdout=PIPE,
            text=True,
        )

    def do(self, *given: object) -> dict[str, Any]:
        return self._ask("do", *given)

    def look(self, *given: object) -> dict[str, Any]:
        return self._ask("look", *given)

    def _ask(self, *given: object) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(given), file=self.process.stdin, flush=True)
        assert select([self.process.stdout], [], [], PATIENCE)[0], f"no answer to {given}"
        return json.loads(self.process.stdout.readline())


if __name__ == "__main__":
    os.fsync = lambda file: None  # what is written is looked at, not what is left after a power cut
    server = Server()
    for line in sys.stdin:
        asked, *given = json.loads(line)
        sys.stdout.write(json.dumps(getattr(server, asked)(*given)) + "\n")
        sys.stdout.flush()
