"""The names under which the dashboard answers.

A page of a foreign name that is made to resolve to this machine is, to the browser, of one origin with the dashboard, and could
read all of it. Only its Host header tells: it is a name that nobody gave this server. Addresses in numbers cannot be borrowed so.
"""

import os
import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from irmeval.core.errors import ParamError

ALLOW = "IRMEVAL_ALLOW_HOSTS"
"""The environment variable that names further hosts, separated by commas: those under which a proxy is reached."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


def name_of(host: str) -> str | None:
    """The name in a Host header, in lower case, without its port; None where the header is malformed."""
    match = _HOST.fullmatch(host)
    return match[1].strip("[]").lower().removesuffix(".") if match else None


def allowed_names(text: str | None = None) -> frozenset[str]:
    """The names in a comma-separated list, by default that of the environment; `ParamError` for what is no name."""
    names = set()
    for part in filter(None, map(str.strip, (os.environ.get(ALLOW, "") if text is None else text).split(","))):
        name = name_of(part)
        if name is None:
            raise ParamError(f"allow-host: expected a host's name such as irmeval.example.org, found {part[:80]!r}.")
        names.add(name)
    return frozenset(names)


def is_served(host: str, bound: str | None) -> bool:
    """Whether a Host header names the server, which is bound to an address (None: to all).

    Bound to the loopback it is served as localhost and by the loopback's addresses, else by any address in numbers (a container's
    host, or who looks whether it is well, has another than the server's own), as the machine's name, and by the name it is bound to.
    What `allowed_names` names comes on top.
    """
    name = name_of(host)
    if name is None:
        return False
    if name == "localhost" or name in allowed_names():
        return True
    number = _number(name)
    if _is_loopback(bound or ""):
        return number is not None and number.is_loopback
    return number is not None or name in (socket.gethostname().lower(), bound)


def is_local(bound: str | None) -> bool:
    """Whether a server bound to an address answers this machine alone; an allowed name, such as a proxy's, makes it answer others."""
    return _is_loopback(bound or "") and not allowed_names()


def _is_loopback(bound: str) -> bool:
    number = _number(bound)
    return number.is_loopback if number else bound.lower() == "localhost"


def _number(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def base_path() -> str:
    """The path that the dashboard is served under, as in ``/irmeval``; empty at the root."""
    import streamlit as st  # else the command could not say that it is missing

    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""
