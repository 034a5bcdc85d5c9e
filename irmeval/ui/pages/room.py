"""The room of a class, on the teacher's screen: how telephones enter it, and the votes
on a lesson's question.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from string import ascii_uppercase
from urllib.parse import urlsplit

import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import count_noun
from irmeval.lessons import Lesson
from irmeval.ui.state import hosts, rooms, visitors
from irmeval.ui.state.mailboxes import SAID

LOOK = 1.0
"""Seconds between two counts of the votes."""
NO_DISK = "This server's disk refuses it at the moment ({}). Try again."
SOME_ADDRESS = "192.0.2.1"
"""An address of nobody's: nothing is sent to it, but this machine knows from which of
its own addresses it would be.
"""


def code() -> str:
    """The code of this visitor's room; empty if there is none."""
    # a lesson goes on without its room
    with suppress(OSError):
        return rooms.find_code(visitors.owner())
    return ""


def offer() -> None:
    """Draw the button that opens a room."""
    help = "Shows a code and a QR code: telephones in the same network vote on each question."
    st.button(
        "Open a room", key="room_open", icon=":material/qr_code_2:", on_click=_open, help=help
    )
    _show_failed()


def _open() -> None:
    try:
        rooms.open_room(visitors.owner())
    except (ParamError, OSError) as error:
        SAID.change(room=str(error))


def _show_failed() -> None:
    if why := SAID.take("room"):
        st.warning(escape_markdown(why))


def close(room: str, lesson: str = "") -> None:
    """Take no more votes on a lesson's question; without a lesson, let telephones wait."""
    _do(rooms.close, room, lesson)


def _do(change: Callable[..., None], *what: str) -> None:
    """Change a room; if the disk refuses it, the page says so."""
    try:
        change(*what)
    except OSError as error:
        SAID.change(room=NO_DISK.format(error))


def invite(room: str, look: str = "invite") -> None:
    """Draw how a telephone enters: address and code, and a QR code if telephones can
    reach the address.
    """
    import segno

    url = f"{_address()}/vote"
    shown = f"{url.partition('//')[2]}<b>{room[:4]} {room[4:]}</b>"
    # by a picture of it telephones would be led to themselves
    is_local, code = _is_local(url), ""
    if not is_local:
        made = segno.make(f"{url}?room={room}", error="m", micro=False)
        # by default an SVG has no background, and a dark page would show through
        picture = made.svg_data_uri(scale=4, border=2, light="white")
        code = f'<img src="{picture}" alt="QR code of {escape(url)}?room={room}">'
    st.html(f'<figure class="{look}">{code}<figcaption>{shown}</figcaption></figure>')
    if is_local:
        st.caption(
            "Telephones cannot reach this address. Start the dashboard with: irmeval serve --host"
            " 0.0.0.0"
        )
    st.button(
        "End the room",
        key="room_end",
        type="tertiary",
        on_click=rooms.end,
        args=(visitors.owner(),),
    )


def _address() -> str:
    """The address under which the teacher reached the dashboard; in place of a loopback
    address, that of this machine in its network.
    """
    url = st.context.url or f"http://localhost:{st.get_option('server.port')}"
    parts = urlsplit(url)._replace(path=hosts.base_path())
    if _is_local(parts.geturl()) and not hosts.is_local(st.get_option("server.address")):
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.connect((SOME_ADDRESS, 9))
                own = probe.getsockname()[0]
        except OSError:  # no network
            own = socket.gethostname()
        if parts.port:
            own += f":{parts.port}"
        parts = parts._replace(netloc=own)
    return parts.geturl()


def _is_local(url: str) -> bool:
    return hosts.is_loopback(urlsplit(url).hostname or "")


def rounds() -> dict[str, list[list[int]]]:
    """Lesson -> the votes of each round, for each question of this visitor's room on
    which somebody voted.
    """
    with suppress(OSError):
        return {lesson: poll.rounds for lesson, poll in rooms.polls(code()).items() if poll.rounds}
    return {}


def count(room: str, lesson: Lesson) -> None:
    """Ask the lesson's question, and draw the choices, with the votes once they are
    shown.
    """
    try:
        rooms.ask(room, lesson.name, lesson.question, lesson.choices, lists_of(lesson))
    except OSError as error:
        SAID.change(room=NO_DISK.format(error))
    _votes(room, lesson)
    with st.container(key="room_door", horizontal=True, vertical_alignment="center"):
        invite(room, "invite small")


def lists_of(lesson: Lesson) -> dict[str, str]:
    """The lists that a question is about, by name."""
    if lesson.lists or not lesson.scene:
        return {**lesson.lists}
    return {"": lesson.scene}


def tell(room: str, lesson: str, answer: int) -> None:
    """Tell telephones which choice is right, 0 for none."""
    with suppress(OSError):  # the screen says so, too
        rooms.tell(room, lesson, answer)


@st.fragment(run_every=LOOK)
def _votes(room: str, lesson: Lesson) -> None:
    _show_failed()
    try:
        poll = rooms.polls(room).get(lesson.name)
    except OSError as error:
        st.warning(escape_markdown(NO_DISK.format(error)))
        return
    if poll is None:  # the room has just ended, here or in another tab
        st.rerun()
    assert poll
    with st.container(horizontal=True, vertical_alignment="center"):
        if poll.is_open:
            st.button("Show the votes", key="room_show", on_click=close, args=(room, lesson.name))
        else:
            help = "After talking: telephones vote on the same question again."
            st.button(
                "Vote again",
                key="room_again",
                on_click=_do,
                args=(rooms.ask_again, room, lesson.name),
                help=help,
            )
        voted, here = sum(poll.votes[-1]), rooms.count_telephones(room)
        st.markdown(
            f"{count_noun(voted, 'vote')} of {count_noun(here, 'telephone')}", width="content"
        )
        _door(room)
    st.html(bars(poll))


def _door(room: str) -> None:
    """Draw the button that lets no more telephones enter, or lets them enter again."""
    is_open, label = rooms.has_open_door(room), "Open the door"
    if is_open:
        label = "Close the door"
    st.button(
        label,
        key="room_door_closed",
        type="tertiary",
        on_click=_set_door,
        args=(room, not is_open),
        help="With the door closed, no other telephone enters. Those inside vote as before.",
    )


def _set_door(room: str, is_open: bool) -> None:
    _do(partial(rooms.set_door, is_open=is_open), room)


def bars(poll: rooms.Poll) -> str:
    """The choices in a list; once no more votes are taken, each with the votes of the
    last round, and above them those before.
    """
    rows, shown = [], poll.votes[-2:]
    if poll.is_open:
        shown = ()
    # a first round has none before it
    names = ("before", "now")[2 - len(shown) :]
    for i, text in enumerate(poll.choices):
        drawn = ""
        for name, votes in zip(names, shown, strict=True):
            width = 100 * votes[i] / max(sum(votes), 1)
            drawn += f'<i class="{name}"><b style="width: {width:.1f}%"></b></i>'
            drawn += f"<span>{votes[i]}</span>"
        rows.append(f"<li><div><b>{ascii_uppercase[i]}</b> {escape(text)}</div>{drawn}</li>")
    return f'<ol class="votes">{"".join(rows)}</ol>'
