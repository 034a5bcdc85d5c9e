"""``python -m irmeval.ui.server.health``: whether the dashboard on this machine answers; exit status 0 or 1."""

import os
import sys
import urllib.request


def address() -> str:
    """Where it says how it is: on the port and under the path that Streamlit's environment variables name."""
    path = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
    return "/".join(filter(None, [f"http://127.0.0.1:{port}", path, "_stcore/health"]))


def main() -> int:
    """0 where it answers, else 1."""
    try:
        with urllib.request.urlopen(address(), timeout=4):
            return 0
    except OSError:
        return 1


if __name__ == "__main__":
    sys.exit(main())
