from __future__ import annotations

from functools import partial

import pytest
from tests.models._remote import Maker, make_anthropic, make_openai

VARIABLES = ("API_KEY", "BASE_URL", "AUTH_TOKEN", "CUSTOM_HEADERS", "ORG_ID", "PROJECT_ID")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the developer's own environment says must not matter."""
    for provider in ("ANTHROPIC", "OPENAI"):
        for variable in VARIABLES:
            monkeypatch.delenv(f"{provider}_{variable}", raising=False)


@pytest.fixture(params=[make_anthropic, make_openai], ids=["anthropic", "openai"])
def make(request: pytest.FixtureRequest) -> Maker:
    """Makes a client of either provider."""
    maker: Maker = request.param
    return maker


@pytest.fixture(params=[True, False], ids=["streamed", "whole"])
def make_any(make: Maker, request: pytest.FixtureRequest) -> Maker:
    """Makes a client of either provider that streams, or does not."""
    return partial(make, stream=request.param)
