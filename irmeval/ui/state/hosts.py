"""Host names that the dashboard accepts.

Another site can let its own name resolve to this machine, and a browser then lets its
pages read the dashboard (DNS rebinding). Only the Host header shows that, with a name
that is not this server's. Numeric addresses cannot be misused like this.
"""

import os
import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from irmeval.core.errors import ParamError

ALLOW = "IRMEVAL_ALLOW_HOSTS"
"""Environment variable: additional host names, separated by commas, such as that of a
proxy.
"""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")


def name_of(host: str) -> str | None:
    """Name in a Host header, in lower case, without its port; None for a malformed
    header.
    """
    match = _HOST.fullmatch(host)
    if match is None:
        return None
    return match[1].strip("[]").lower().removesuffix(".")


def allowed_names() -> frozenset[str]:
    """Names in the environment. Raises `ParamError` for a bad one."""
    return names_in(os.environ.get(ALLOW, ""))


def names_in(text: str) -> frozenset[str]:
    """Names in a comma-separated list. Raises `ParamError` for a bad one."""
    names = set()
    for part in filter(None, map(str.strip, text.split(","))):
        name = name_of(part)
        if name is None:
            raise ParamError(
                "allow-host: expected a host's name such as irmeval.example.org, found"
                f" {part[:80]!r}."
            )
        names.add(name)
    return frozenset(names)


def is_served(host: str, bound: str | None) -> bool:
    """Whether a Host header belongs to the server, which is bound to an address (None:
    all).

    Bound to the loopback, it answers as localhost and under loopback addresses; else
    under the machine's name, the name it is bound to, and all numeric addresses, as it
    does not know that of a container's host. `allowed_names` are added to both.
    """
    name = name_of(host)
    if name is None:
        return False
    if name == "localhost" or name in allowed_names():
        return True
    is_alone = is_loopback(bound)
    number = _number(name)
    # an address in digits is no name that another site could point here
    if number is not None:
        return number.is_loopback or not is_alone
    if is_alone:
        return False
    return name in (socket.gethostname().lower(), bound)


def is_local(bound: str | None) -> bool:
    """Whether a server bound to an address accepts only this machine. With an allowed
    name, such as a proxy's, it accepts others.
    """
    return is_loopback(bound) and not allowed_names()


def is_loopback(bound: str | None) -> bool:
    """Whether an address or a name is that of the machine itself; None: all addresses."""
    name = bound or ""
    number = _number(name)
    if number is None:
        return name.lower() == "localhost"
    return number.is_loopback


def _number(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def base_path() -> str:
    """URL path of the dashboard, as in ``/irmeval``; empty at the root."""
    import streamlit as st  # only here, so that the command can report that it is missing

    path: str = st.get_option("server.baseUrlPath")
    return f"/{path.strip('/')}".rstrip("/")
