from collections.abc import Callable, Iterable

import pytest

from maxcode.evaluation import Status
from maxcode.generators.rewrite import Evidence
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import sample_task

BROKEN = Status.BUILD_ERROR

Learn = Callable[..., Evidence]


def knows(tags: Iterable[str]) -> bool:
    return all(len(tag) == 1 for tag in tags)


@pytest.fixture
def learn(observed: Callable[..., Observation]) -> Learn:
    """What is learnt from attempts: the parent's number, the tags, and how it ended."""

    def make(*attempts: tuple[int, str, float | Status], step: int | None = None) -> Evidence:
        programs = (Program.of(f"// {number}") for number in range(len(attempts)))
        made = [(*attempt, program) for attempt, program in zip(attempts, programs, strict=False)]
        return Evidence(observed(sample_task(), *made, step=step), knows)

    return make


def test_without_steps_every_tag_is_as_good(learn: Learn) -> None:
    evidence = learn()
    assert evidence.sound("a")
    assert evidence.factor("a") == 1
    assert not any(said("a") for said in (evidence.failed, evidence.gains, evidence.suspect))


def test_a_tag_that_failed_alone_has_failed(learn: Learn) -> None:
    evidence = learn((0, "a", BROKEN), (0, "b", 1.5), (2, "b c", BROKEN))
    assert [evidence.failed(tag) for tag in "abc"] == [True, False, True]
    assert [evidence.sound(tag) for tag in "abc"] == [False, True, False]


def test_tags_that_failed_together_are_suspects(learn: Learn) -> None:
    evidence = learn((0, "a b c", BROKEN), (0, "a d", BROKEN))
    assert not any(evidence.failed(tag) for tag in "abcd")
    assert all(evidence.suspect(tag) and not evidence.sound(tag) for tag in "abcd")
    assert evidence.factor("a") < evidence.factor("b") < 1


def test_a_suspect_in_a_program_that_passes_is_cleared(learn: Learn) -> None:
    evidence = learn((0, "a b c", BROKEN), (0, "a b", 1.0))
    assert [evidence.suspect(tag) for tag in "abc"] == [False, False, True]
    assert evidence.factor("a") == 1


def test_one_tag_more_or_less_tells_what_it_gains(learn: Learn) -> None:
    evidence = learn((0, "a", 2.0), (0, "b", 0.5), (1, "a b c", 4.0), (3, "b c", 2.0))
    assert [evidence.gains(tag) for tag in "abc"] == [True, False, False]
    assert evidence.factor("a") == pytest.approx(4)
    assert evidence.factor("b") == pytest.approx(0.25)
    assert not evidence.sound("b")
    assert evidence.sound("c")  # it came together with b


def test_a_huge_gain_leaves_room_for_others(learn: Learn) -> None:
    evidence = learn((0, "a", 1e6), (0, "b", 4.0))
    assert evidence.factor("a") == evidence.factor("b")


def test_noise_is_no_gain_and_no_harm(learn: Learn) -> None:
    evidence = learn((0, "a", 1.01), (0, "b", 0.99))
    assert not evidence.gains("a")
    assert evidence.sound("b")


def test_a_failure_after_a_failure_convicts_nobody(learn: Learn) -> None:
    evidence = learn((0, "a b", BROKEN), (1, "a b c", BROKEN), step=1)
    assert evidence.suspect("c")
    assert not evidence.failed("c")


def test_a_failure_with_another_left_out_convicts_nobody(learn: Learn) -> None:
    evidence = learn((0, "a", 2.0), (1, "b", BROKEN))
    assert evidence.suspect("b")
    assert not evidence.failed("b")


def test_a_failure_of_the_harness_tells_nothing(learn: Learn) -> None:
    evidence = learn((0, "a", Status.INFRASTRUCTURE), step=1)
    assert evidence.sound("a")
    assert evidence.factor("a") == 1


def test_steps_of_another_generator_tell_nothing(learn: Learn) -> None:
    evidence = learn((0, "a", 2.0), (1, "", 8.0), (2, "unheard-of b", BROKEN), (0, "b c", 1.0))
    assert evidence.factor("a") == pytest.approx(4)
    assert not evidence.suspect("b")


def test_tags_on_top_of_another_generators_program_count(learn: Learn) -> None:
    evidence = learn((0, "unheard-of", 2.0), (1, "a", 3.0), (1, "b", BROKEN), step=1)
    assert evidence.factor("a") == pytest.approx(2.25)
    assert evidence.failed("b")
