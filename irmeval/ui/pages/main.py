"""The script that Streamlit runs for every visitor, at each of their actions.

It is not ``app.py``: beside a ``pages`` folder, Streamlit would answer the first
visitor's deep link with "page not found".
"""

from irmeval.ui.pages import frame

if __name__ == "__main__":  # worker processes import this file again
    frame.run()
