"""What the tests of pages share: models on loopback."""

from collections.abc import Iterator

import pytest
from tests.pages._world import answer

from maxcode.testing.provider import LoopbackProvider


@pytest.fixture(scope="module")
def provider() -> Iterator[LoopbackProvider]:
    with LoopbackProvider(answer) as provider:
        yield provider
