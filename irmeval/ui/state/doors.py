"""How many telephones enter a room from one address, so that a script does not fill it.

A class enters behind one address: `AT_ONCE` at once, then `A_SECOND` each second, up to
`SHARE` of the room. A script gets no more, and the rest of the room stays for telephones
at other addresses. Who is inside votes as before. Addresses are kept as hashes, and in
memory only.
"""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from irmeval.ui.state import clock

AT_ONCE = 100.0
A_SECOND = 2.0
SHARE = 0.6
MOST_DOORS = 10_000
"""Most rooms and addresses that are remembered."""


@dataclass
class Door:
    """Entries into a room from an address."""

    last: float
    """time of the last one"""
    inside: int = 0
    free: float = AT_ONCE
    """telephones that may enter at once"""


_doors: OrderedDict[str, Door] = OrderedDict()
_lock = Lock()


def enter(door: str, most: int) -> bool:
    """Let one more telephone enter by a door, which is a room and an address, unless too
    many have; return whether it did. `most` is how many the room holds.
    """
    with _lock:
        now = clock.now()
        found = _doors.setdefault(door, Door(now))
        _doors.move_to_end(door)
        # a script that changes its address must not fill the memory
        while len(_doors) > MOST_DOORS:
            _doors.popitem(last=False)
        # counted when somebody comes: nothing has to run in between
        found.free = min(AT_ONCE, found.free + A_SECOND * (now - found.last))
        found.last = now
        if found.free < 1 or found.inside >= SHARE * most:
            return False
        found.free -= 1
        found.inside += 1
        return True
