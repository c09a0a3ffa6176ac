from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from maxcode.fuzz import InputModel, Outcome, ValidatedInputs

MODEL = InputModel.learn([b"5\n3 1 4 1 5\n", b"3\n10 20 30\n", b"4\n7 7 2 9\n", b"1\n6\n"])


def total(data: bytes) -> int:
    n, *row = map(int, data.split())
    assert len(row) == n
    return sum(row)


def original(inputs: Sequence[bytes]) -> list[Outcome]:
    """Sums; refuses what is negative, as a validator would."""
    return [
        Outcome(False, reason="negative") if b"-" in data else Outcome(True, b"%d" % total(data))
        for data in inputs
    ]


def candidate(wrong: Callable[[list[int]], bool]) -> Callable[..., list[str]]:
    """One that is wrong for such rows."""

    def check(inputs: Sequence[bytes], expected: Sequence[bytes]) -> list[str]:
        problems = []
        for data, output in zip(inputs, expected, strict=True):
            assert b"%d" % total(data) == output
            bad = wrong(list(map(int, data.split()))[1:])
            problems.append("wrong answer" if bad else "")
            if bad:
                break
        return problems

    return check


def pool(seed: int = 0, **more: object) -> ValidatedInputs:
    return ValidatedInputs(original, MODEL, seed=seed, **more)  # type: ignore[arg-type]


def test_agreement_on_as_many_inputs_as_asked_for() -> None:
    inputs = pool()
    result = inputs.check(candidate(lambda row: False), count=130)
    assert (result.agreed, result.timed_out, result.counterexample) == (130, False, None)
    assert len(inputs.inputs) == len(set(inputs.inputs))
    assert not any(b"-" in data for data in inputs.inputs)


@pytest.mark.parametrize(
    ("wrong", "smallest"),
    [
        (lambda row: sum(row) > 1 << 31, 36),
        (lambda row: len(row) > 2 and len(set(row)) < len(row), 8),
        (lambda row: len(row) > 9, 23),
        (lambda row: len(row) > 3 and row == sorted(row, reverse=True), 10),
    ],
    ids=["overflow", "duplicates", "long", "falling"],
)
def test_a_difference_is_shrunk(wrong: Callable[[list[int]], bool], smallest: int) -> None:
    inputs = pool(beyond=True)
    result = inputs.check(candidate(wrong))
    found = result.counterexample
    assert found is not None
    assert wrong(list(map(int, found.input.split()))[1:])
    assert found.expected == b"%d" % total(found.input)
    assert found.problem == "wrong answer"
    assert len(found.input) <= smallest * 1.5


@pytest.mark.slow
def test_the_seed_decides() -> None:
    def run(seed: int) -> tuple[list[bytes], object]:
        inputs = pool(seed)
        found = inputs.check(candidate(lambda row: len(row) > 9)).counterexample
        return inputs.inputs, found

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_a_pool_validates_once() -> None:
    runs = 0

    def counting(inputs: Sequence[bytes]) -> list[Outcome]:
        nonlocal runs
        runs += len(inputs)
        return original(inputs)

    inputs = ValidatedInputs(counting, MODEL)
    inputs.fill(100, 60)
    before = runs
    for _ in range(3):
        assert inputs.check(candidate(lambda row: False), count=100).agreed == 100
    assert runs == before


def test_time_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)

    def slow(inputs: Sequence[bytes]) -> list[Outcome]:
        nonlocal now
        now += 0.1 * len(inputs)
        return original(inputs)

    inputs = ValidatedInputs(slow, MODEL)
    result = inputs.check(candidate(lambda row: False), count=500, seconds=12.0)
    assert result.timed_out
    assert 0 < result.agreed < 500
    assert result.seconds < 24


def test_an_original_that_refuses_everything() -> None:
    inputs = ValidatedInputs(lambda data: [Outcome(False, reason="status 1")] * len(data), MODEL)
    result = inputs.check(candidate(lambda row: False))
    assert result.agreed == 0
    assert result.rejected > 0
    assert not result.timed_out
    assert inputs.exhausted
    assert inputs.reasons == {"status 1": result.rejected}


def test_a_candidate_that_skips_inputs_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="found nothing"):
        pool().check(lambda inputs, expected: [""])
