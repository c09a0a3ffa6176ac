"""Lines of JSON with values in one another: what is learned, drawn, and beyond it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maxcode.fuzz.inputs import learned
from maxcode.fuzz.json_values import JsonModel


def _calls(*arguments: list[Any]) -> bytes:
    return "".join(json.dumps({"args": one, "kwargs": {}}) + "\n" for one in arguments).encode()


EXAMPLES = (
    _calls([[1, 4, 9, 16], 4, "asc"], [[2, 3, 5, 8, 13], 5, "desc"]),
    _calls([[7, 20, 21, 22, 40, 41], 6, "asc"]),
)


def _drawn(model: JsonModel, count: int = 40, *, beyond: bool = False) -> list[list[Any]]:
    return [
        json.loads(line)["args"]
        for data in model.draw(5, count, beyond=beyond)
        for line in data.decode().splitlines()
    ]


@pytest.fixture
def model() -> JsonModel:
    found = learned(EXAMPLES, "", ())
    assert isinstance(found, JsonModel)
    return found


def test_facts_of_all_examples_hold_in_drawn_inputs(model: JsonModel) -> None:
    drawn = _drawn(model)
    assert len(drawn) >= 40
    for values, size, order in drawn:
        assert values == sorted(set(values))
        assert (size, order in ("asc", "desc")) == (len(values), True)
        assert all(1 <= value <= 41 for value in values)
        assert 4 <= len(values) <= 6
    assert len({json.dumps(one) for one in drawn}) > 30


def test_inputs_beyond_leave_one_fact_at_a_time(model: JsonModel) -> None:
    made = model.draw(3, 30, beyond=True)
    assert len(made) > 20
    assert all(model.beyond(data) for data in made)
    assert not any(model.beyond(data) for data in model.draw(3, 30))
    assert model.beyond(b"{}\n") == "a line has other parts"
    assert model.beyond(_calls([[1, 2, 3, 99], 4, "asc"])) == "args.0[] of 99, not 1 to 41"
    assert model.beyond(_calls([[1, 2, 3, 4], 4, "up"])) == "args.2 of 'up'"
    assert model.beyond(b"no JSON\n") == "another format"
    assert model.beyond(EXAMPLES[0]) == ""


def test_an_input_like_another_has_its_lengths(model: JsonModel) -> None:
    for seed in range(5):
        lines = model.like(EXAMPLES[0], seed=seed).decode().splitlines()
        assert len(lines) == 2
        assert len(json.loads(lines[1])["args"][0]) <= 5


def test_smaller_inputs_have_less_of_something(model: JsonModel) -> None:
    smaller = list(model.smaller(EXAMPLES[0]))
    assert _calls([[1, 4, 9, 16], 4, "asc"]) in smaller
    assert all(len(one) <= len(EXAMPLES[0]) for one in smaller)


def test_a_position_stays_in_its_list() -> None:
    model = JsonModel.of([_calls([["a", "b", "c", "d"], 3], [["x"], 0], [["y", "z"], 1])])
    assert model is not None
    assert all(0 <= place < len(values) for values, place in _drawn(model))


def test_the_form_is_described(model: JsonModel) -> None:
    assert model.describe() == (
        "1 to 16 lines of JSON, each {args: [list of 4 to 6 values, sorted, all different of "
        "integer 1 to 41; integer 4 to 6; one of 'asc', 'desc']; kwargs: {}}"
    )


@pytest.mark.parametrize("line", [b"3 4\n", b'{"a": 1}\n', b"[1, 2]\n", b"[" * 100_000 + b"\n"])
def test_other_inputs_are_left_to_the_other_model(line: bytes) -> None:
    assert JsonModel.of([line, line]) is None
