"""Estimates by a served model, through OpenAI's SDK, against a provider on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any

import pytest
from tests._runs import MakeSearch
from tests.provider import Fault, LoopbackProvider, Reply

from maxcode.budget import Budget
from maxcode.errors import RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.journal.events import Ranked
from maxcode.models.openai import FirstTokenModel
from maxcode.models.prices import Price
from maxcode.models.resilience import Limits
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.text import QUESTION, candidate_text, instructions, state_text
from maxcode.testing import (
    MemoryTranscript,
    RewardToGoContract,
    ScriptedGenerator,
    sample_task,
    sample_tree,
    toy_answers,
)

QUICK = Limits(first_wait=0.001, longest_wait=0.1, timeout=5.0)
PRICE = Price.parse("3/15")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def provider() -> Iterator[LoopbackProvider]:
    with LoopbackProvider() as provider:
        yield provider


def served(
    provider: LoopbackProvider, objective: Objective | None = None, **options: Any
) -> OpenAIRewardToGo:
    objective = objective or Objective()
    given = {"base_url": provider.openai_url, "limits": QUICK, "price": PRICE, **options}
    return OpenAIRewardToGo(
        FirstTokenModel("rtg", tokens=objective.bins.labels, **given), objective
    )


def observation() -> Observation:
    task = sample_task()
    path = sample_tree(task).path(1)
    return Observation(task, path.steps[-1], trajectory=path, transcript=MemoryTranscript())


def kept(shown: Observation) -> MemoryTranscript:
    assert isinstance(shown.transcript, MemoryTranscript)
    return shown.transcript


@pytest.mark.slow
class TestOpenAIRewardToGo(RewardToGoContract):
    @pytest.fixture(autouse=True)
    def _served(self, provider: LoopbackProvider) -> None:
        self.provider = provider

    def make(self) -> RewardToGo:
        return served(self.provider)


def test_the_model_is_shown_the_texts_that_it_was_trained_on() -> None:
    shown, program = observation(), sample_task().baseline.with_code("int main() { return 1; }\n")
    objective = Objective(Bins((0.0, 1.0, 2.0)), "sum", 0.9)
    with LoopbackProvider() as provider:
        served(provider, objective).predict(shown, [program])
        [request] = provider.requests
    seen = objective.seen(shown)
    assert request.system == instructions(objective)
    assert request.parts == (state_text(seen) + candidate_text(seen, program) + QUESTION,)
    wanted = {"max_tokens": 1, "logprobs": True, "top_logprobs": 20, "temperature": 1.0}
    assert wanted.items() <= request.body.items()


@pytest.mark.parametrize("letter", ["word", "w\u00f6rd", "\u4e16\u754c"])
def test_long_texts_lose_their_middle_beyond_the_context(letter: str) -> None:
    model = FirstTokenModel("rtg", tokens=Bins().labels, base_url="http://h:1")
    lines = "".join(f"// {letter} {i}\n" for i in range(900))
    program = sample_task().baseline.with_code(f"{lines}int last;\n")
    prompt = OpenAIRewardToGo(model, context=1000).prompt(observation(), program)
    assert 2900 < prompt.size <= 3000
    assert prompt.user.count("[...]") > 0
    assert prompt.user.endswith(f"int last;\n```\n{QUESTION}")


@pytest.mark.slow
def test_the_estimate_is_the_mean_of_the_bins_that_were_told_of() -> None:
    chances = {"7": log(0.5), "6": log(0.25), "The": log(0.2), "8": -9999.0}
    shown = observation()
    with LoopbackProvider(lambda _: Reply("7", logprobs=chances)) as provider:
        [value] = served(provider).predict(shown, [sample_task().baseline])
        [charge] = provider.charges
    centres = Bins().centres
    assert value.expected == pytest.approx((2 * centres[7] + centres[6]) / 3)
    assert value.distribution == pytest.approx((0,) * 6 + (1 / 3, 2 / 3, 0, 0))
    assert value.cost.tokens == charge.input + charge.output
    assert value.cost.dollars == pytest.approx(PRICE.dollars(input=charge.input, output=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply("Sure", logprobs={"Sure": -0.1, "I": -3}), "would begin with 'Sure', 'I', and with"),
        (Reply("Sure", logprobs={}), "reported no logprobs, but answered 'Sure'"),
    ],
)
def test_an_answer_without_any_label_says_what_came(reply: Reply, told: str) -> None:
    shown = observation()
    with LoopbackProvider(lambda _: reply) as provider:
        with pytest.raises(RewardToGoError, match=told):
            served(provider).predict(shown, [sample_task().baseline])
        [charge] = provider.charges  # it would come again
        paid = charge.input + charge.output
    [lost] = kept(shown).kept  # asked for again by whoever goes on
    assert "would begin" in lost.call.problem or "no logprobs" in lost.call.problem
    assert lost.call.cost.tokens == paid


# -- in a search -----------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [{"tokens": 78_000}, {"dollars": 0.234}])
def test_no_limit_is_passed_by_estimates(toy: MakeSearch, limit: dict[str, float]) -> None:
    """Only estimates cost anything, and some requests are lost."""

    def broken(number: int) -> Fault | None:
        return Fault.BROKEN_OFF if number in (1, 9) else None

    budget = Budget(**limit)  # type: ignore[arg-type]
    with LoopbackProvider(faults=broken) as provider:
        run = toy(
            generator=ScriptedGenerator(toy_answers),
            reward_to_go=served(provider),
            policy=BestOfN(batch=2),
            budget=budget,
            options=Options(propose=3, in_flight=2, patience=10_000),
        )
        result = run.run()
        paid = sum(charge.input for charge in provider.charges if charge.status == 200)
    assert result.reason.startswith("budget spent")
    [(name, most)] = limit.items()
    assert 0 < getattr(result.spent, name) <= most
    assert result.spent.tokens >= paid
    ranked = [r.event for r in run.state.log.events() if isinstance(r.event, Ranked)]
    assert len(ranked) > 2
