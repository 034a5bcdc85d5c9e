"""The dashboard: ``streamlit run app.py``, or ``streamlit run app.py -- --qrels FILE
--runs FOLDER``.
"""

from streamlit.starlette import App

from irmeval.ui.pages import failures, frame
from irmeval.ui.server import server

app = App(
    frame.SCRIPT,
    middleware=server.MIDDLEWARE,
    lifespan=server.warm_up,
    on_script_error=failures.show_failure,
)

if __name__ == "__main__":  # run as a script, as Streamlit's AppTest does
    frame.run()
