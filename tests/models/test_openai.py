from __future__ import annotations

from typing import Any

import pytest
from tests.models._remote import PROMPT, asked, make_openai, served
from tests.provider import ProviderError, Request

from maxcode.errors import InputError, ModelError
from maxcode.models.openai import OpenAIModel


@pytest.mark.slow
def test_the_seed_is_that_of_the_request_and_the_sample() -> None:
    with served(make_openai) as (provider, model):
        for seed, sample in [(1, 0), (1, 0), (1, 1), (2, 0)]:
            list(model.sample(PROMPT, [sample], request="r", seed=seed))
        seeds = [request.seed for request in provider.requests]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    assert all(seed is not None and 0 <= seed < 2**31 for seed in seeds)


@pytest.mark.slow
def test_thoughts_within_the_text_are_taken_out() -> None:
    said = "<think>\nA <b>?\n</think>\n\nThe answer </think>"
    with served(make_openai, answer=lambda _: said) as (_, model):
        assert asked(model)[0].text == "The answer </think>"


# -- what servers do not know ------------------------------------------------------------------


def refuses(*names: str, wording: str = "{} is not supported", status: int = 400) -> Any:
    """A server that knows nothing of these parameters."""

    def answer(request: Request) -> str:
        for name in names:
            if name in request.body:
                raise ProviderError(status, wording.format(name))
        return f"text {request.number}"

    return answer


@pytest.mark.parametrize("name", ["seed", "stream_options"])
@pytest.mark.parametrize(
    ("wording", "status"),
    [("Unknown parameter: '{}'.", 400), ("body.{}: Extra inputs are not permitted", 422)],
)
def test_a_parameter_that_is_refused_is_left_out_from_then_on(
    name: str, wording: str, status: int
) -> None:
    answer = refuses(name, wording=wording, status=status)
    with served(make_openai, answer=answer, model={"stream": True}) as (provider, model):
        [answered], _ = asked(model), asked(model)
        bodies = [request.body for request in provider.requests]
    assert [name in body for body in bodies] == [True, False, False]
    assert answered.call.attempts == 1
    assert answered.call.output > 0


@pytest.mark.parametrize("refused", ["max_tokens", "max_completion_tokens"])
def test_the_limit_has_the_name_that_the_server_knows(refused: str) -> None:
    answer = refuses(refused, wording="Unsupported parameter: '{}'")
    with served(make_openai, answer=answer) as (provider, model):
        asked(model)
        asked(model)
        assert len(provider.requests) == (3 if refused == "max_tokens" else 2)
        assert all(request.max_tokens == 16_384 for request in provider.requests)


def test_a_setting_of_the_user_is_never_left_out() -> None:
    answer = refuses("temperature", wording="Unsupported value: 'temperature' does not support 0.5")
    with served(make_openai, answer=answer, model={"temperature": 0.5}) as (provider, model):
        with pytest.raises(ModelError, match="temperature"):
            asked(model)
        assert len(provider.requests) == 1


# -- keys ------------------------------------------------------------------------------------


def test_openai_itself_is_told_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        OpenAIModel("gpt")
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    with OpenAIModel("gpt-5") as model:
        assert model.name == "openai:gpt-5"
        assert model.parameters()["base_url"] == "https://api.openai.com/v1"
