"""Rewrites keep what programs print and how they end."""

from random import Random

import pytest
from tests.generators.rewrites._programs import PROGRAMS
from tests.generators.rewrites.conftest import Compiler

from maxcode.generators.rewrites import CppSource, catalogue

REWRITES = {one.name: one for one in catalogue()}


def test_every_rewrite_has_programs() -> None:
    assert PROGRAMS.keys() == REWRITES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", REWRITES)
def test_rewritten_programs_do_what_their_programs_do(compiler: Compiler, name: str) -> None:
    for number, case in enumerate(PROGRAMS[name]):
        texts = case.texts(Random(f"{name} {number}"), 50)
        expected = [compiler.outcome(case.code, text) for text in texts]
        variant = REWRITES[name].apply(CppSource(case.code))
        assert variant, case.code
        assert [compiler.outcome(variant, text) for text in texts] == expected, variant
