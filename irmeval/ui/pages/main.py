"""The script that Streamlit runs for every visitor, again at each of their actions.

It stands here and not in ``app.py``, because a ``pages`` folder beside the main script puts Streamlit into its older
way with pages until the first visitor has come, and that visitor's deep link would be answered with "page not found".
"""

from irmeval.ui.pages import frame

if __name__ == "__main__":  # worker processes import this file again
    frame.run()
