from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.provider import LoopbackProvider
from tests.provider_tests._clients import Clients, serving


@pytest.fixture
def served() -> Iterator[tuple[LoopbackProvider, Clients]]:
    """A provider that behaves, and clients for it."""
    with serving() as pair:
        yield pair
