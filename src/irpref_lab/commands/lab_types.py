"""Types of options that only commands of the lab have."""

from __future__ import annotations

from irpref.cli.parameter_types import Parsed, listed, number, whole


def _rising(text: str) -> list[int]:
    numbers: list[int] = listed(whole(1))(text)
    if numbers != sorted(set(numbers)):
        raise ValueError
    return numbers


RISING = Parsed("counts", _rising, "rising whole numbers of at least 1, such as 50,100,200")
SEED = Parsed("integer", whole(0), "a whole number of at least 0, such as 7")
LEVEL = number("a number between 0 and 1, such as 0.95", lambda x: 0 < x < 1)
ALPHA = number("a number between 0 and 1, such as 0.05", lambda x: 0 < x < 1)
SHARE = number("a share of at least 0 and below 1, such as 0.05", lambda x: 0 <= x < 1)
MARGIN = number("a difference of at least 0, such as 0.02", lambda x: x >= 0)
DIFFERENCE = number("a difference above 0, such as 0.02", lambda x: x > 0)
NUMBERS = Parsed("numbers", listed(float), "numbers such as 0,1,2")
PER_CENT = Parsed(
    "numbers",
    listed(number("", lambda x: 0 < x <= 100).parse),
    "per cent above 0, at most 100, such as 80,40",
)
