"""Numbers to Arrow and back, without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from irmeval.reading.arrays import no_texts, to_arrow, to_numpy, to_texts
from tests.conftest import ROOT


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("values", [[], [3, 1, 2], np.arange(10)[::3]])
def test_numbers_when_made_arrow_and_back_then_are_the_same(kind, values):
    values = np.asarray(values, kind)
    made = to_arrow(values)
    assert made.equals(pa.array(values))
    for column in (made, pa.chunked_array([made, made[1:]], made.type)):
        np.testing.assert_array_equal(to_numpy(column), column.to_numpy())


def test_truth_values_when_made_numpy_then_are_truth_values():
    made = to_numpy(pa.array([True, False, True])[1:])
    assert (made.dtype, made.tolist()) == (bool, [False, True])


def test_texts_when_none_then_can_be_joined_with_others():
    assert pa.concat_arrays([no_texts(), pa.array(["a"])]).to_pylist() == ["a"]


@pytest.mark.parametrize("texts", [(), ("a",), ("", "é", "a\0b", "漢字"), ("same", "same")])
def test_texts_when_few_then_are_arrows_own(texts):
    assert to_texts(texts).equals(pa.array(texts, pa.string()))


def test_files_when_read_then_pandas_is_not_imported():
    script = (
        "import sys, irmeval\n"
        "read = irmeval.read_collection('sample_data/qrels.txt.gz', 'sample_data/runs')\n"
        "irmeval.evaluate(read, ['AP', 'nDCG@10'])\n"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
