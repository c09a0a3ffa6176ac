from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.testing.provider._clients import Clients, serving

from maxcode.testing.provider import LoopbackProvider


@pytest.fixture
def served() -> Iterator[tuple[LoopbackProvider, Clients]]:
    """A provider that behaves, and clients for it."""
    with serving() as pair:
        yield pair
