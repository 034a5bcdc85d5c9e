"""Tables as text: of a data frame as pandas writes them, and of columns without pandas."""

import numpy as np
import pandas as pd
import pytest

from irmeval.core.tables import FORMATS

COLUMNS = {
    "run": ["a", 'say "b", c', "é\nf"],
    "score": [0.1 + 0.2, float("nan"), 1e-300],
    "large": [1e16, -0.0, float("inf")],
    "whole": [1, -7, 2**60],
    "kept": [True, False, True],
    "some": ["x", None, ""],
}


def test_csv_when_written_then_is_that_of_pandas():
    frame = pd.DataFrame(COLUMNS)
    assert FORMATS["csv"](frame) == frame.to_csv(index=False, lineterminator="\n")
    one = pd.DataFrame({"p": [0.5, np.nan]})
    assert FORMATS["csv"](one) == one.to_csv(index=False, lineterminator="\n")
    assert FORMATS["csv"](frame[:0]) == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("form", FORMATS)
def test_table_when_of_columns_then_is_written_like_the_data_frame(form):
    columns = {name: values for name, values in COLUMNS.items() if name != "some"}
    assert FORMATS[form](columns) == FORMATS[form](pd.DataFrame(columns))
