"""Models on loopback, for pages that name a hosted one or a server."""

from collections.abc import Iterator

import pytest
from tests.pages._world import answer
from tests.provider import LoopbackProvider


@pytest.fixture(scope="module")
def provider(_cache: None) -> Iterator[LoopbackProvider]:
    with LoopbackProvider(answer) as provider:
        yield provider
