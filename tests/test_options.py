from typing import Any

import pytest

from maxcode.errors import InputError
from maxcode.options import Options


@pytest.mark.parametrize(
    ("name", "least"),
    [("in_flight", 1), ("threads", 1), ("propose", 1), ("attempts", 0), ("patience", 1)],
)
def test_each_number_has_a_least_value(name: str, least: int) -> None:
    allowed: dict[str, Any] = {name: least}
    assert getattr(Options(**allowed), name) == least
    refused: dict[str, Any] = {name: least - 1}
    with pytest.raises(InputError, match=f"{name} must be at least {least}"):
        Options(**refused)
