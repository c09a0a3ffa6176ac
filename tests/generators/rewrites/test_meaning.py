"""Rewrites keep what programs mean: see the folder meaning.

Variants are built and run with ``-m slow`` only.
"""

from random import Random

import pytest
from tests.generators.rewrites.meaning._cases import cases, inputs_of
from tests.generators.rewrites.meaning._compare import Bench, compare, named, variants

from maxcode.generators.rewrites import catalogue

REWRITES = [one.name for one in catalogue()]


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("meaning"))


def check(bench: Bench, name: str, number: int, count: int) -> None:
    """Hold variants against their program on so many inputs."""
    case = cases(name)[number]
    inputs = inputs_of(case, Random(f"{name} {number}"), count)
    expected = bench.outcomes(case.code, inputs)
    assert not isinstance(expected, str), expected
    for text in variants(named(name), case.code):
        difference = compare(inputs, expected, bench.outcomes(text, inputs))
        assert difference is None, f"{name} {number}: {difference}\n{text}"


@pytest.mark.parametrize("name", REWRITES)
def test_programs_and_inputs_are_given(name: str) -> None:
    found = cases(name)
    assert len(found) >= 3
    assert any(case.legal for case in found)
    assert len({case.code for case in found}) == len(found)
    for number, case in enumerate(found):
        assert case.given
        assert inputs_of(case, Random(number), 3) == inputs_of(case, Random(number), 3)


@pytest.mark.slow
def test_a_rewrite_takes_any_program() -> None:
    for name in REWRITES:
        for number, case in enumerate(cases(name)):
            for text in variants(named(name), case.code):
                assert text != case.code, f"{name} {number}"


@pytest.mark.slow
@pytest.mark.parametrize("name", REWRITES)
def test_variants_do_what_their_programs_do(bench: Bench, name: str) -> None:
    for number in range(len(cases(name))):
        check(bench, name, number, count=50)
