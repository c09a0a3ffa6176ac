"""Answers of workers arrive as they were sent, and nonsense is refused."""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any, get_type_hints

import pytest

from maxcode.executors.kernel.answers import MessageError, decode
from maxcode.executors.kernel.worker.messages import (
    CANDIDATE_ANSWERS,
    REFERENCE_ANSWERS,
    Arguments,
    Build,
    Fact,
    Failure,
    LearnedKinds,
    Profiled,
    ProfileRow,
    Returned,
    encode,
    pack,
    unpack,
)

RETURNED = Returned((1, 2), Arguments({"tensor": 0}, (Fact("float32", (2, 3)),)))
DEEP: Any = json.loads("[" * 900 + "]" * 900)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        True,
        (1, 2),
        {"total": Fact("int64", ())},
        RETURNED,
        Profiled(1.0, 2, (ProfileRow("f", 1, 2.0, 3.0, own=True),), 0),
        LearnedKinds(("few",), (), True, "tolerance: none"),
    ],
)
def test_an_answer_arrives_as_it_was(answer: Any) -> None:
    kinds: dict[type, Any] = {tuple: tuple[int, ...], dict: dict[str, Fact]}
    kind = kinds.get(type(answer), type(answer))
    assert decode(encode("t", answer=answer), "t", kind) == answer


@pytest.mark.parametrize("name", ["build", "failure"])
def test_a_question_or_a_failure_may_take_its_place(name: str) -> None:
    message = {"build": Build({"name": "a"}), "failure": Failure("ValueError", "no")}[name]
    assert decode(encode("t", **{name: message}), "t", bool) == message


def test_a_request_is_one_line() -> None:
    line = pack(("abc", "check", {"of": RETURNED, "text": "a\nb"}))
    assert b"\n" not in line
    assert unpack(line) == ("abc", "check", {"of": RETURNED, "text": "a\nb"})


@pytest.mark.parametrize(
    ("work", "answers"),
    [("CandidateWork", CANDIDATE_ANSWERS), ("ReferenceWork", REFERENCE_ANSWERS)],
)
def test_the_judge_expects_of_each_request_what_the_worker_answers(
    work: str, answers: Mapping[str, Any]
) -> None:
    module = f"maxcode.executors.kernel.worker.{work.removesuffix('Work').lower()}"
    methods = vars(getattr(import_module(module), work))
    for name, kind in answers.items():
        assert get_type_hints(methods[name])["return"] == kind


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"again": 7}, r"answer\.again"),
        ({"again": [1, "2"]}, r"answer\.again\.1"),
        ({"again": [True]}, r"answer\.again\.0"),
        ({"again": None}, r"answer\.again"),
        ({"more": 1}, r"answer\.more"),
        ({"returned": []}, r"answer\.returned"),
        ({"returned": {"tree": {}}}, r"answer\.returned\.tensors"),
        ({"returned": {"tree": {"list": DEEP}, "tensors": []}}, "Invalid JSON"),
    ],
)
def test_a_field_of_a_wrong_type_or_missing_is_named(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(MessageError, match=said) as raised:
        decode(encode("t", answer=fields), "t", Returned)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"answer": 1}', "token"),
        (b'{"token": "u", "answer": 1}', "not asked for that"),
        (b'{"token": "t"}', "no answer"),
        (b'{"token": "t", "answer": 1, "build": {"arguments": {}}}', "no answer"),
        (b'{"token": "t", "failure": {"kind": "a"}}', r"failure\.message"),
        (b'{"token": "t", "answer": "\\ud800"}', "Invalid JSON"),
        (b"[" * 9999, "Invalid JSON"),
    ],
)
def test_another_answer_is_refused(line: bytes, said: str) -> None:
    with pytest.raises(MessageError, match=said):
        decode(line, "t", int)


@pytest.mark.parametrize("number", ["NaN", "1e999", "1" + "0" * 400, '"1"', "true", "null"])
def test_numbers_are_finite(number: str) -> None:
    line = f'{{"token": "t", "answer": [{number}]}}'.encode()
    with pytest.raises(MessageError, match=r"answer\.0"):
        decode(line, "t", tuple[float, ...])


def test_what_has_no_json_form_is_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode("t", answer=float("nan"))
