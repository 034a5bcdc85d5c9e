"""The page on which telephones vote, ``/vote?room=CODE``: the question that the
teacher's screen asks, and a button for each answer.

It is no page of Streamlit's: thirty telephones load a few kilobytes each. A cookie of
its own gives each one vote.
"""

from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from irmeval.ui.state import cookies, rooms
from irmeval.ui.state.hosts import base_path

PATH = "/vote"
COOKIE = "irmeval-voter"
"""Prefix of the cookie's name."""
BYTES = 1000
"""Most bytes of a vote."""
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
"""Shows the next question when there is one."""


class Voting:
    """Middleware that answers requests for the page."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].removeprefix(base_path()) != PATH:
            await self.app(scope, receive, send)
            return
        response = await _answer(Request(scope, receive))
        await response(scope, receive, send)


async def _answer(request: Request) -> Response:
    """The answer to a request for the page, or to a vote."""
    body = b""
    if request.method == "POST":
        async for part in request.stream():
            body += part
            if len(body) > BYTES:
                return PlainTextResponse("Refused: this is no vote.\n", 413)
    try:
        return await run_in_threadpool(_take_or_show, request, body)
    except OSError:  # the disk refuses, or is slow
        return PlainTextResponse(
            "This server cannot take votes at the moment. Try again.\n",
            503,
            {"retry-after": "2"},
        )


def _take_or_show(request: Request, body: bytes) -> Response:
    """Take a vote and lead back to the page, or show the page."""
    given = dict(parse_qsl(body.decode("ascii", "replace")))
    code = rooms.normalise(given.get("room", request.query_params.get("room", "")))
    voter = request.cookies.get(cookies.cookie_name(COOKIE), "")
    known = cookies.is_signed(voter)
    if request.method == "POST":
        outcome: str = NO_COOKIE
        if known:
            outcome = _take_vote(request, code, voter, given)
        address = f"{base_path()}{PATH}?room={code}"
        if outcome in WHY:
            address += f"&told={outcome}"
        return RedirectResponse(address, 303)
    if known and code:
        rooms.enter(code, voter)
    shown = _vote_page(code, voter, WHY.get(request.query_params.get("told", ""), ""))
    text = PAGE.format(main=shown.html, style=STYLE, script=SCRIPT)
    page = HTMLResponse(text, headers={"cache-control": "no-store"})
    # nobody gets a cookie before they are in a room
    if shown.in_room and not known:
        page.headers["set-cookie"] = _new_cookie(request)
    return page


def _take_vote(request: Request, code: str, voter: str, given: Mapping[str, str]) -> rooms.Vote:
    """Take a vote; return what became of it."""
    address = ""
    if request.client:
        address = request.client.host
    last, picked = _number(given.get("round", "")), _number(given.get("choice", ""))
    return rooms.vote(code, given.get("lesson", ""), last, voter, picked, address)


def _number(text: str) -> int:
    """A number of at most three digits; 0, which is no choice, for any other text."""
    if len(text) > 3 or not text.isdecimal():
        return 0
    return int(text)


def _new_cookie(request: Request) -> str:
    """The header that makes a telephone a voter, for as long as a room lasts."""
    cookie = f"{cookies.cookie_name(COOKIE)}={cookies.new_cookie()}"
    return cookies.write_cookie(request, cookie, "SameSite=Lax", f"Max-Age={int(rooms.LIFE)}")


NO_COOKIE = "cookie"
WHY = {
    rooms.Vote.NOT_ASKED: "Not counted: that question was closed. Look at the screen.",
    rooms.Vote.TOO_FAST: "Not counted: that was too soon after your last answer. Choose again.",
    rooms.Vote.FULL: f"Not counted: the room is full ({rooms.MOST_VOTERS} voters).",
    rooms.Vote.MANY: "Not counted: many telephones enter from your network. Choose again in a"
    " few seconds.",
    rooms.Vote.SHUT: "Not counted: nobody else may enter this room. Ask who teaches to open its"
    " door.",
    NO_COOKIE: "Not counted: this browser keeps no cookie. Allow cookies, or leave private mode.",
}
"""What a telephone is told of a vote that does not count."""
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport"'
    ' content="width=device-width, initial-scale=1">'
    '<meta name="referrer" content="same-origin">'  # a form without an origin is refused
    "<title>Vote · irmeval</title><style>{style}</style>"
    '<noscript><meta http-equiv="refresh"'
    ' content="4"></noscript></head><body>{main}<script>{script}</script></body></html>\n'
)
FORM = (
    '<form><label for="room">{label}</label><input id="room" name="room" autocomplete="off"'
    ' autocapitalize="characters" spellcheck="false" required><button>Enter</button></form>'
)


class VotePage(NamedTuple):
    """What the page shows."""

    html: str
    in_room: bool
    """whether it is that of a room; else it asks for the code of one"""


def _vote_page(code: str, voter: str, why: str = "") -> VotePage:
    """The content: the question and its choices, or what to wait for; and `why` the last
    vote does not count.
    """
    if not code:
        return _enter("Code on the screen:")
    found = rooms.asked(code, voter)
    if found is None:
        return _enter("There is no such room, or it has ended. Code on the screen:")
    poll, picked = found
    if poll is None:
        said = f"{why} The next question appears here.".strip()
        return _state("wait", f"<h1>You are in the room</h1><p>{said}</p>")
    answered = "Votes are closed."
    if picked:
        answered = f"Your answer: {ascii_uppercase[picked - 1]}."
    asked = f"<h1>{escape(poll.question)}</h1>{_lists(poll)}"
    state = f"{poll.lesson} {poll.round}"
    if not poll.is_open:
        said = why or f"{answered} {_whether_right(poll, picked)}"
        return _state(f"{state} closed {poll.answer}", f"{asked}<p role=status>{escape(said)}</p>")
    again = ""
    if poll.round > 1:
        again = "Vote again, after talking."
    choose = "Choose one."
    if picked:
        choose = f"{answered} You can change it until the votes are shown."
    said = " ".join(filter(None, [why, again, choose]))
    return _state(f"{state} open", f"{asked}{_form(code, poll, picked)}<p role=status>{said}</p>")


def _enter(label: str) -> VotePage:
    """The field for the code of a room."""
    return VotePage(f"<main><h1>Vote</h1>{FORM.format(label=label)}</main>", in_room=False)


def _form(code: str, poll: rooms.Poll, picked: int) -> str:
    """A button for each choice."""
    hidden = {"room": code, "lesson": poll.lesson, "round": str(poll.round)}
    fields = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in hidden.items()
    )
    buttons = "".join(
        _button(number, text, number == picked) for number, text in enumerate(poll.choices, 1)
    )
    return f'<form method="post" action="{base_path()}{PATH}">{fields}{buttons}</form>'


def _button(number: int, text: str, is_picked: bool) -> str:
    """The button of a choice; the one that was pressed has the focus again."""
    focus, pressed = "", "false"
    if is_picked:
        focus, pressed = " autofocus", "true"
    return (
        f'<button name="choice" value="{number}" aria-pressed="{pressed}"{focus}>'
        f"<b>{ascii_uppercase[number - 1]}</b> {escape(text)}</button>"
    )


def _whether_right(poll: rooms.Poll, picked: int) -> str:
    """What a telephone learns once votes are closed: whether its answer was right."""
    if poll.answer is None:
        return "Look at the screen."
    if not poll.answer:
        return "No answer is right on these data: look at the screen."
    if picked == poll.answer:
        return "That is right."
    right = ascii_uppercase[poll.answer - 1]
    return f"The right answer is {right}: {poll.choices[poll.answer - 1]}"


def _lists(poll: rooms.Poll) -> str:
    """The lists that a question is about, as far as a telephone is wide."""
    rows = []
    for name, text in poll.lists.items():
        shown = "".join(map(_document, text.split("-")))
        rows.append(f"<p class=list><b>{escape(name)}</b></p><ol>{shown}</ol>")
    return "".join(rows)


def _document(document: str) -> str:
    """A document of a list, unless it is unjudged, by its name or grade."""
    if document in "ux":
        return "<li>?</li>"
    return f"<li>{escape(document)}</li>"


def _state(state: str, shown: str) -> VotePage:
    """What a room shows in a state, by which the browser knows when it is another."""
    return VotePage(f'<main data-state="{escape(state)}">{shown}</main>', in_room=True)
