"""The reference describes each public name once, and its index lists the package."""

from __future__ import annotations

import re

import pytest
from tests.pages._page import ROOT
from tests.pages._public import homes, referred

import maxcode


@pytest.mark.slow
def test_every_public_name_is_described_at_one_place() -> None:
    told = list(referred())
    places = homes(told).values()
    assert len(set(places)) == len(told)


def test_the_index_lists_the_package() -> None:
    index = (ROOT / "docs" / "reference" / "index.md").read_text()
    listed = re.findall(r"\]\[maxcode\.(\w+)\]", index.partition("## In its packages")[0])
    assert sorted(listed) == sorted(dir(maxcode))
