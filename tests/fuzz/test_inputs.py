from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.fuzz import InputModel, load_strategy
from maxcode.fuzz.explore import explore

from ._formats import FORMATS, Format


def keeping(inputs: list[bytes]) -> Callable[[bytes], bool]:
    """Keeps what is drawn, and asks for more."""

    def keep(data: bytes) -> bool:
        inputs.append(data)
        return False

    return keep


def drawn(model: InputModel, number: int, count: int = 100, scale: float = 1.0) -> list[bytes]:
    inputs: list[bytes] = []
    explore(model.strategy(scale), number, count, keeping(inputs))
    return inputs


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_what_is_drawn_has_the_format_of_the_examples(known: Format) -> None:
    model = InputModel.learn(known.inputs)
    inputs = drawn(model, 1)
    assert len(set(inputs)) >= 50
    strange = [data for data in inputs if not known.accepts(data)]
    assert len(strange) <= len(inputs) / 10, strange[:3]
    assert all(known.accepts(data) for data in known.inputs)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_a_fresh_input_of_the_same_size(known: Format) -> None:
    model = InputModel.learn(known.inputs)
    example = known.inputs[0]
    fresh = [model.like(example, seed=seed) for seed in range(8)]
    assert all(known.accepts(data) for data in fresh)
    assert all(len(data.split()) == len(example.split()) for data in fresh)
    larger = model.like(example, seed=1, factor=9.0)
    assert known.accepts(larger)
    assert len(larger.split()) >= len(example.split())


@pytest.mark.parametrize(
    ("examples", "described"),
    [
        (["5\n3 1 4 1 5\n", "2\n7 8\n"], ["n x integer 1 to 8"]),
        (["2 3\n..#\n#..\n", "1 2\n.#\n"], ["n lines", "word of m of '#.'"]),
        (["4\n2 1 4 3\n", "3\n3 1 2\n"], ["each number from 1 on once"]),
        (["1\n2\n3 4\n", "2\n1\n5\n3\n1 1 1\n"], ["n times", "m x integer"]),
        (["4\n1 2\n1 3\n3 4\n", "3\n1 2\n2 3\n"], ["n - 1 lines, a tree's edges"]),
        (["3 4\n1 2\n3 4\n0 0\n", "5 6\n0 0\n"], ["up to a line '0 0'"]),
        (["2\n0.5 1.25\n", "1\n-3.0\n"], ["real -3 to 1.25 with 2 decimals"]),
        (["2\n1 2\n3 4\n", "3\n5 6\n7 8\n9 9\n"], ["n lines", "integer 1 to 9"]),
        (["2 3\n1 7\n1 2 3\n", "3 1\n1 2 5\n4\n"], ["n x integer", "m x integer"]),
        (["1 2 3\n", "4 5 6\n", "9 1 3\n"], ["integer 1 to 9"]),
        (["3 7 8 9\n", "1 2\n", "0\n"], ["n: integer 0 to 3, n x integer"]),
        (["007\n", "010\n"], ["word of 3 to 3 of '017'"]),
    ],
)
def test_what_is_learned(examples: list[str], described: list[str]) -> None:
    text = InputModel.learn([example.encode() for example in examples]).describe()
    for part in described:
        assert part in text


def test_two_counts_in_one_line_before_long_rows() -> None:
    rng = random.Random(0)

    def example(*lengths: int) -> bytes:
        rows = [[rng.randint(1, 60) for _ in range(length)] for length in lengths]
        return "".join(" ".join(map(str, row)) + "\n" for row in (lengths, *rows)).encode()

    model = InputModel.learn([example(4000, 4100), example(4200, 4900), example(4600, 4500)])
    assert model.describe().endswith("\nn x integer 1 to 60\nm x integer 1 to 60")


def test_values_on_one_line_or_several_are_the_same() -> None:
    spread = [b"5\n1 7 3\n4 5\n", b"4\n1 2\n9 4\n", b"3\n1\n2 3\n"]
    model = InputModel.learn(spread)
    assert "n: integer 3 to 5, n x integer" in model.describe()


def test_every_example_counts() -> None:
    """One that contradicts a count ends the hypothesis."""
    held = InputModel.learn([b"2\n5 6\n", b"3\n7 8 9\n"]).describe()
    broken = InputModel.learn([b"2\n5 6\n", b"3\n7 8 9\n", b"4\n7 8 9\n"]).describe()
    assert "n x" in held
    assert "n x" not in broken


def test_the_same_seed_draws_the_same_inputs() -> None:
    model = InputModel.learn(FORMATS[1].inputs)
    assert drawn(model, 7, 40) == drawn(model, 7, 40)
    assert drawn(model, 7, 40) != drawn(model, 8, 40)


def test_inputs_lie_within_at_the_edges_and_beyond() -> None:
    model = InputModel.learn([b"5\n3 10 40 10 5\n", b"4\n70 8 22 9\n", b"6\n5 5 80 2 6 7\n"])
    inputs = drawn(model, 1, 300)
    rows = [list(map(int, data.split()))[1:] for data in inputs]
    assert any(len(row) == 1 for row in rows)
    assert any(len(row) > 12 for row in rows)
    assert any(len(row) > 2 and len(set(row)) == 1 for row in rows)
    assert any(len(row) > 4 and row == sorted(row) for row in rows)
    assert any(len(row) > 4 and row == sorted(row, reverse=True) for row in rows)
    assert any(sum(row) > 1 << 31 for row in rows)
    ordinary = [row for row in rows if all(1 <= value <= 80 for value in row)]
    assert len(ordinary) > len(rows) / 2
    assert sum(min(row) < 0 for row in rows) < len(rows) / 10
    near = [list(map(int, data.split()))[1:] for data in drawn(model, 1, 100, scale=0.0)]
    assert all(1 <= value <= 80 for row in near for value in row)


def test_large_inputs_are_whole() -> None:
    """None is cut off at the largest size."""
    model = InputModel.learn([f"3\n{'a' * 60} {'b' * 90} c\n".encode(), b"2\nxy zzzz\n"])
    inputs = drawn(model, 2, 100)
    assert all(int(data.split()[0]) == len(data.split()) - 1 for data in inputs)
    assert max(map(len, inputs)) > 1000


def test_endings_are_kept() -> None:
    unended = drawn(InputModel.learn([b"1\n8", b"2\n8 8"]), 1, 9)
    assert not any(data.endswith(b"\n") for data in unended)
    windows = drawn(InputModel.learn([b"1\r\n8\r\n", b"2\r\n8 8\r\n"]), 1, 9)
    assert all(data.count(b"\n") == data.count(b"\r\n") == 2 for data in windows)


@pytest.mark.parametrize(
    "examples",
    [
        [b"the quick brown fox\n\njumps over it, twice.\n", b"a line\n  and an indented one\n"],
        [b"\x00\x01\xff\xfe" * 8, b"\x00\x02\xff"],
        [b""],
    ],
    ids=["text", "binary", "empty"],
)
def test_anything_can_be_learned(examples: list[bytes]) -> None:
    model = InputModel.learn(examples)
    assert model.describe()
    assert all(len(data) <= 1 << 16 for data in drawn(model, 1, 50))


def test_without_examples_nothing_is_learned() -> None:
    with pytest.raises(InputError, match="no inputs"):
        InputModel.learn([])


def test_a_fresh_input_is_distributed_like_the_example() -> None:
    chance = random.Random(1)
    few = [chance.choice([2, 700, 900_000]) for _ in range(400)]
    example = ("400\n" + " ".join(map(str, few)) + "\n").encode()
    model = InputModel.learn([b"3\n1 2 900000\n", example])
    fresh = list(map(int, model.like(example, seed=3).split()))[1:]
    assert sorted(Counter(fresh).values()) == sorted(Counter(few).values())
    assert sorted(fresh) != sorted(few)
    other = list(map(int, model.like(example, seed=3, factor=2.5, distinct=True).split()))[1:]
    assert len(other) == len(set(other)) == 1000


def test_single_numbers_may_be_far_from_the_examples_where_that_is_asked() -> None:
    examples = [f"8000000 {seed} 3\n".encode() for seed in (1111, 2222, 3333)]
    model = InputModel.learn([*examples, b"8000000 2222 1\n"])
    drawn = [
        [tuple(map(int, model.like(examples[0], seed=n, wide=wide).split())) for n in range(60)]
        for wide in (False, True)
    ]
    near, wide = ([seed for _, seed, _ in one] for one in drawn)
    assert all(1000 <= seed <= 1200 for seed in near)
    assert all(1111 <= seed <= 3333 for seed in wide)
    assert max(wide) - min(wide) > 1500
    for each in drawn:
        assert all(7_500_000 <= size <= 8_000_000 for size, _, _ in each)  # it never differs
        assert all(case == 3 for _, _, case in each)


def test_an_example_of_another_form_is_refused() -> None:
    model = InputModel.learn([b"2\n1 2\n", b"1\n3\n"])
    with pytest.raises(InputError, match="structure"):
        model.like(b"2\n1 2 3\n", seed=1)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_generator_of_the_users_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "inputs.py",
        "from hypothesis import strategies as st\ninputs = st.integers(3, 5).map(str)\n",
    )
    inputs: list[bytes] = []
    explore(load_strategy(path), 1, 20, keeping(inputs))
    assert set(inputs) == {b"3", b"4", b"5"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "inputs.py: No such file"),
        ("def f(:\n", "inputs.py: cannot be executed: SyntaxError"),
        ("1 / 0\n", "inputs.py: cannot be executed: ZeroDivisionError"),
        ("inputs = [1, 2]\n", "inputs.py: it has to define `inputs`"),
    ],
)
def test_a_generator_that_is_none(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "inputs.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_strategy(path)


def test_a_generator_of_something_else(tmp_path: Path) -> None:
    path = write(
        tmp_path / "inputs.py", "from hypothesis import strategies as st\ninputs = st.integers()\n"
    )
    with pytest.raises(InputError, match="drew int, not str or bytes"):
        explore(load_strategy(path), 1, 5, lambda data: False)


def test_a_search_for_a_structure_ends_in_time() -> None:
    examples = [b"2\n5 6\n", b"3\n7 8 9\n"]
    none = InputModel.learn(examples, seconds=0)
    assert none.describe() == (
        "inputs of no known structure, given up after 0 s: the examples with small changes"
    )
    assert "no known structure" not in InputModel.learn(examples).describe()
