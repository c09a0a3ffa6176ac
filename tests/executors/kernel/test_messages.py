"""Messages between the judge and its workers: what is sent arrives, and nonsense is refused."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from maxcode.executors.kernel.worker.messages import (
    Arguments,
    Build,
    CandidateWork,
    Fact,
    Failure,
    LearnedKinds,
    MessageError,
    Profiled,
    ProfileRow,
    ReferenceWork,
    Returned,
    Run,
    Serving,
    answered,
    call,
    decode_answer,
    encode,
    parse,
)

RETURNED = Returned((1, 2), Arguments({"tensor": 0}, (Fact("float32", (2, 3)),)))
TIMES = answered(CandidateWork, "time")


@pytest.mark.parametrize(
    "answer",
    [
        None,
        True,
        (1, 2),
        {"total": Fact("int64", ())},
        RETURNED,
        Profiled(1.0, 2, (ProfileRow("f", 1, 2.0, 3.0, own=True),), 0, 0, 0),
        LearnedKinds(("few",), (), True, (0.1,), (0.2,), ({"rms": 0.5},), 1.0),
    ],
)
def test_an_answer_arrives_as_it_was(answer: Any) -> None:
    kinds: dict[type, Any] = {tuple: tuple[int, ...], dict: dict[str, Fact]}
    kind = kinds.get(type(answer), type(answer))
    assert decode_answer(encode("t", answer=answer), "t", kind) == answer


@pytest.mark.parametrize("name", ["build", "failure"])
def test_a_question_or_a_failure_may_take_its_place(name: str) -> None:
    message = {"build": Build({"name": "a"}), "failure": Failure("ValueError", "no")}[name]
    assert decode_answer(encode("t", **{name: message}), "t", bool) == message


class Work:
    def make(self, variant: str, seeds: Sequence[int], run: Run, seed: int | None = 1) -> Any:
        return variant, seeds, run, seed


def test_a_request_arrives_with_its_arguments() -> None:
    run = Run(Serving({"tensor": 0}, ()), {"total": Fact("int64", ())}, 7)
    given = {"variant": "a", "seeds": [1, 2], "run": run, "seed": None}
    found = parse(encode("abc", do="make", given=given))
    assert (found["token"], found["do"]) == ("abc", "make")
    assert call(Work(), "make", found["given"]) == ("a", (1, 2), run, None)


@pytest.mark.parametrize("interface", [ReferenceWork, CandidateWork])
def test_each_request_has_an_answer(interface: type) -> None:
    names = [name for name in vars(interface) if not name.startswith("_")]
    assert len(names) > 7
    for name in names:
        assert answered(interface, name) is not None


DEEP: Any = json.loads("[" * 900 + "]" * 900)


def _changed(**fields: Any) -> dict[str, Any]:
    return {**parse(encode(answer=RETURNED))["answer"], **fields}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (_changed(again=7), "answer.again is of type int"),
        (_changed(again=[1, "2"]), r"answer.again\[1\] is of type str"),
        (_changed(again=[True]), r"answer.again\[0\] is of type bool"),
        (_changed(again=None), "answer.again is of type NoneType"),
        (_changed(more=1), "answer: fields other than again, returned"),
        (_changed(returned=[]), "answer.returned: fields other than tree, tensors"),
        (_changed(returned={"tree": {}}), "answer.returned.tensors is missing"),
        (_changed(returned={"tree": {"list": DEEP}, "tensors": []}), "nested too deeply"),
    ],
)
def test_a_field_of_a_wrong_type_or_missing_is_named(found: dict[str, Any], said: str) -> None:
    with pytest.raises(MessageError, match=said) as raised:
        decode_answer(encode("t", answer=found), "t", Returned)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"answer": 1}', "not asked for that"),
        (b'{"token": "u", "answer": 1}', "not asked for that"),
        (b'{"token": "t"}', "no answer"),
        (b'{"token": "t", "answer": 1, "build": {}}', "no answer"),
        (b'{"token": "t", "failure": {"kind": 1}}', "failure.message is missing"),
        *((line, "no JSON object") for line in (b"[1]", b'{"a": 1e999}', b'{"a": "\\ud800"}')),
        (b"[" * 9999, "no JSON object"),
    ],
)
def test_another_answer_is_refused(line: bytes, said: str) -> None:
    with pytest.raises(MessageError, match=said):
        decode_answer(line, "t", int)


@pytest.mark.parametrize("number", [-1.0, 2e6, 10**400, "1", True, None])
def test_numbers_are_within_their_range(number: Any) -> None:
    with pytest.raises(MessageError, match=r"answer\[0\] is "):
        decode_answer(encode("t", answer=[number]), "t", TIMES)


def test_what_has_no_json_form_is_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(answer=float("nan"))
