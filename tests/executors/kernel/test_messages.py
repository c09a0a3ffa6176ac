"""Messages between the judge and its workers: what is sent arrives, and nonsense is refused."""

import json
from typing import Any

import pytest

from maxcode.executors.kernel.worker.messages import (
    Arguments,
    Fact,
    LearnedKinds,
    Make,
    MessageError,
    Profiled,
    ProfileRow,
    RenewVariant,
    Returned,
    Run,
    Serving,
    Times,
    decode,
    decode_request,
    encode,
    parse,
)

RETURNED = Returned((1, 2), Arguments({"tensor": 0}, (Fact("float32", (2, 3)),)))


@pytest.mark.parametrize(
    "message",
    [
        RETURNED,
        Returned(),
        Times((1.5, 2.0)),
        Profiled(1.0, 2, (ProfileRow("f", 1, 2.0, 3.0, own=True),), 0, 0, 0),
        LearnedKinds(("few",), (), True, (0.1,), (0.2,), ({"rms": 0.5},), 1.0),
    ],
)
def test_an_answer_arrives_as_it_was(message: Any) -> None:
    assert decode(parse(encode(message)), Times, type(message)) == message


@pytest.mark.parametrize(
    "request_",
    [
        Make("a", (1, 2), None),
        Make("a", (1,), ("few",)),
        RenewVariant("a", None),
        Run(Serving({"tensor": 0}, ()), {"total": Fact("int64", ())}, 7),
    ],
)
def test_a_request_arrives_with_its_token(request_: Any) -> None:
    assert decode_request(encode(request_, "abc")) == (request_, "abc")


DEEP: Any = json.loads("[" * 900 + "]" * 900)


def _changed(**fields: Any) -> dict[str, Any]:
    return parse(encode(RETURNED)) | fields


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({}, "no Returned, but 'NoneType'"),
        (_changed(**{"is": "Make"}), "no Returned, but 'Make'"),
        (_changed(**{"is": DEEP}), "no Returned, but 'list'"),
        (_changed(again=7), "Returned.again is of type int"),
        (_changed(again=[1, "2"]), r"Returned.again\[1\] is of type str, not int"),
        (_changed(again=[True]), r"Returned.again\[0\] is of type bool"),
        (_changed(again=None), "Returned.again is of type NoneType"),
        (_changed(more=1), "Returned: fields other than again, returned"),
        (_changed(returned=[]), "Returned.returned: fields other than tree, tensors"),
        (_changed(returned={"tree": {}}), "Returned.returned.tensors is missing"),
        (_changed(returned={"tree": {"list": DEEP}, "tensors": []}), "nested too deeply"),
        (
            _changed(returned={"tree": {}, "tensors": [{"dtype": 1, "shape": []}]}),
            r"Returned.returned.tensors\[0\].dtype is of type int, not str",
        ),
    ],
)
def test_a_field_of_a_wrong_type_or_missing_is_named(found: dict[str, Any], said: str) -> None:
    with pytest.raises(MessageError, match=said) as raised:
        decode(found, Returned)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("number", [-1.0, 2e6, 10**400, "1", True, None])
def test_numbers_are_within_their_range(number: Any) -> None:
    with pytest.raises(MessageError, match=r"Times.milliseconds\[0\] is "):
        decode({"is": "Times", "milliseconds": [number]}, Times)


@pytest.mark.parametrize(
    "line", [b"[1]", b"NaN", b'{"a": 1e999}', b'{"a": "\\ud800"}', b"[" * 9999]
)
def test_what_is_no_object_is_refused(line: bytes) -> None:
    with pytest.raises(MessageError, match="no JSON object"):
        parse(line)


def test_what_has_no_json_form_is_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(Times((float("nan"),)))


def test_a_message_is_a_line() -> None:
    assert b"\n" not in encode(Times((1.0,)))
    assert json.loads(encode(Times((1.0,)), "t")) == {
        "is": "Times",
        "token": "t",
        "milliseconds": [1.0],
    }
