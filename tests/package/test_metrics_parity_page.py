"""The page that tells how the package agrees with other programs."""

import shutil

import pytest

from tests import parity
from tests.conftest import ROOT

pytest.importorskip("cwl", reason="needs cwl-eval, see requirements-test.txt")
pytest.importorskip("pyNTCIREVAL", reason="needs pyNTCIREVAL, see requirements-test.txt")
needs_perl = pytest.mark.skipif(
    not shutil.which("perl"), reason="gdeval, which ir_measures calls for ERR, needs perl"
)


@needs_perl
def test_parity_page_when_made_again_then_is_the_one_in_docs():
    made = (ROOT / "docs" / "PARITY.md").read_text(encoding="utf-8")
    assert made == parity.page(), "run: python -m tests.parity > docs/PARITY.md"
