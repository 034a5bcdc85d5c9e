"""``python -m irmeval.ui.server.health``: check whether the dashboard on this machine
responds; exit status 0 or 1.
"""

import os
import sys
import urllib.request


def address() -> str:
    """URL of the health check: port and path are from Streamlit's environment
    variables.
    """
    path = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
    return "/".join(filter(None, [f"http://127.0.0.1:{port}", path, "_stcore/health"]))


def main() -> int:
    """Return 0 if the dashboard responds, else 1."""
    try:
        with urllib.request.urlopen(address(), timeout=4):
            return 0
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
