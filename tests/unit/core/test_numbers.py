"""How numbers are written."""

import pytest

from irmeval.core import numbers


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (numbers.correlation, 0.786, "0.79"),
        (numbers.correlation, -1, "-1.00"),
        (numbers.score, 0.1783, "0.178"),
        (numbers.level, 0.9, "0.9"),
        (numbers.level, 10.0, "10"),
        (numbers.per_cent, 0.336, "34%"),
        (numbers.per_cent, 0.0, "0%"),
        (numbers.per_cent, 0.004, "less than 1%"),
        (numbers.per_cent, 0.996, "more than 99%"),
        (numbers.per_cent, 1.0, "100%"),
        (numbers.p_value, 0.0031, "p = 0.003"),
        (numbers.p_value, 0.0, "p < 0.001"),
        (numbers.p_value, 1.0, "p = 1.000"),
    ],
)
def test_number_when_written_then_it_has_its_leading_zero_and_its_digits(write, value, text):
    assert write(value) == text


def test_p_when_samples_are_few_then_it_is_less_than_what_they_can_tell():
    assert numbers.p_value(0.0, least=0.01) == "p < 0.01"
