"""What is paid for is kept, and not paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import inf
from threading import Event, Timer
from typing import Any

import pytest
from tests._runs import MakeSearch, copied

from maxcode.budget import Answer, Budget, Call, Cost
from maxcode.errors import CriticError, GeneratorError, InputError, ModelError, NoAnswerError
from maxcode.evaluation import Critique, Profile, Status
from maxcode.interfaces import Critic, Generator, Proposal
from maxcode.journal.events import Answered, Granted, Requested
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.models.base import Model, Prompt, ask
from maxcode.models.prices import Price
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedModel, outline, toy_verdict
from maxcode.tree import Step

pytest_plugins = ["tests._postgresql"]


class Asking(Generator):
    """Asks a model for numbers; the prompt is the same for every expansion."""

    def __init__(self, model: Model, *, breaks: bool = False) -> None:
        self.model = model
        self.breaks = breaks

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        prompt = Prompt("Be fast.", (observation.task.statement,))
        transcript = observation.transcript
        answers = ask(self.model, prompt, n, seed=observation.seed, transcript=transcript)
        if self.breaks:
            raise GeneratorError("broken after the answers came")
        return [
            Proposal(
                observation.task.baseline.with_code(answer.text),
                prompt=prompt.text,
                answer=answer.text,
                cost=answer.call.cost,
                call=answer.call,
            )
            for answer in answers
        ]

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:
        return self.model.ceiling(64, n)


class AskingCritic(Critic):
    def __init__(self, model: Model, *, breaks: bool = False) -> None:
        self.model = model
        self.breaks = breaks

    def critique(self, observation: Observation, step: Step) -> Critique:
        prompt = Prompt("Be strict.", (step.program.code,))
        transcript = observation.transcript
        (answer,) = ask(self.model, prompt, 1, seed=observation.seed, transcript=transcript)
        if self.breaks:
            raise CriticError("broken after the answer came")
        return Critique(answer.text, cost=answer.call.cost)

    def cost_ceiling(self, observation: Observation, step: Step) -> Cost:
        return self.model.ceiling(64, 1)


class Losing(ScriptedModel):
    """Loses the samples of these numbers, which then cost 7 tokens in vain."""

    lost: frozenset[int] = frozenset()

    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,
        deadline: float = inf,
    ) -> Iterator[Answer]:
        for sample in samples:
            if sample in self.lost:
                yield Answer("", Call(self.name, request, sample, input=7, problem="cut off"))
            else:
                yield from super().sample(prompt, [sample], request=request, seed=seed)


def _numbers(_: Prompt, sample: int) -> str:
    return f"{sample + 2}.0"


def _model(script: Callable[[Prompt, int], str | Exception] = _numbers) -> Losing:
    return Losing(script, max_tokens=8)


def _search(toy: MakeSearch, model: Model, **given: Any) -> Search:
    arguments = {"generator": Asking(model), "policy": BestOfN(batch=4, n=4), "critic": None}
    return toy(**{**arguments, **given})


def _answers(search: Search) -> list[Answered]:
    events = (recorded.event for recorded in search.state.log.events())
    return [event for event in events if isinstance(event, Answered)]


def test_a_critique_is_not_paid_for_twice(toy: MakeSearch) -> None:
    with Journal.open(":memory:") as journal:
        critic, generator = _model(lambda *_: "slow"), _model()
        loop = {"policy": MaxCodeLoop(k=1, d=1), "generator": Asking(generator)}
        broken = _search(
            toy, generator, critic=AskingCritic(critic, breaks=True), journal=journal, **loop
        )
        with pytest.raises(CriticError):
            broken.run()
        assert broken.state.spent.tokens > 0
        search = _search(
            toy, generator, critic=AskingCritic(critic), journal=journal.run("last"), **loop
        )
        result = search.run()
        assert len(critic.calls) == 1
        assert result.tree.root.critique is not None
        assert result.tree.root.critique.text == "slow"
        assert result.spent.tokens == sum(event.call.tokens for event in _answers(search))
        assert [(event.role, event.step) for event in _answers(search)] == [
            ("critic", 0),
            ("generator", None),
        ]


def test_what_was_used_in_vain_is_charged_and_asked_again(toy: MakeSearch) -> None:
    with Journal.open(":memory:") as journal:
        model = _model()
        model.lost = frozenset({1})
        search = _search(toy, model, journal=journal)
        result = search.run()
        assert [step.program.code for step in result.tree][1:] == ["2.0", "4.0", "5.0"]
        paid = sum(step.cost.tokens for step in result.tree)
        assert result.spent.tokens == paid + 7
        assert search.state.account.usage[model.name].lost == 1
        assert RunState.load(search.state.log).spent.tokens == paid + 7
        model.lost = frozenset(range(4))
        stagnation = _search(toy, model, journal=journal)
        with pytest.raises(ModelError, match="scripted:model: cut off"):
            stagnation.run()
        assert stagnation.state.spent.tokens == 28
        model.lost = frozenset()
        again = _search(toy, model, journal=journal.run("last")).run()
        assert len(again.tree) == 5
        assert again.spent.tokens == sum(step.cost.tokens for step in again.tree) + 28


def test_a_budget_in_dollars_needs_a_price(toy: MakeSearch) -> None:
    model = _model()
    with pytest.raises(InputError, match=r"limits dollars.* price of a model.* is unknown"):
        _search(toy, model, budget=Budget(dollars=100)).run()
    assert model.calls == []
    result = _search(toy, model, budget=Budget(tokens=10**6)).run()
    assert result.spent.unpriced == result.spent.tokens > 0
    assert result.spent.dollars == 0


def test_nothing_is_asked_after_an_interruption(toy: MakeSearch) -> None:
    model, begun = _model(), Event()

    def slow(_: Program) -> Profile:
        begun.set()
        interrupted.wait(10)
        return Profile("slow")

    def interrupt(event: object, _: RunState) -> None:
        if isinstance(event, Granted) and event.number == 1:
            assert begun.wait(10)
            Timer(0.1, interrupted.set).start()  # the profile ends after the search was stopped
            raise KeyboardInterrupt

    interrupted = Event()
    search = _search(
        toy,
        model,
        executor=ScriptedExecutor(toy_verdict, profiles=slow),
        critic=AskingCritic(model),
        policy=BestOfN(batch=1, n=4),
        options=Options(observe=Observe(), in_flight=2),
        observers=[interrupt],
    )
    assert search.run().status == "interrupted"
    assert interrupted.is_set()
    assert model.calls == []
    assert search.state.spent.tokens == 0


# -- killed while requests are under way -----------------------------------------------------


def _priced(**given: Any) -> ScriptedModel:
    return ScriptedModel(_numbers, price=Price.parse("1000/1000"), max_tokens=8, **given)


def _killed(search: Search, journal: Journal, answered: int) -> tuple[Requested, RunState]:
    """The run as it is when the process is killed after so many answers to its first request."""
    events = [recorded.event for recorded in search.state.log.events()]
    first = next(i for i, event in enumerate(events) if isinstance(event, Requested))
    request = events[first]
    assert isinstance(request, Requested)
    return request, RunState.load(copied(search.state.log, journal, first + 1 + answered))


def test_a_request_is_in_the_journal_before_it_leaves(toy: MakeSearch) -> None:
    seen: list[list[int]] = []

    def script(_: Prompt, sample: int) -> str:
        seen.append([len(one.requested) for one in search.state.work.expansions.values()])
        return f"{sample + 2}.0"

    search = _search(toy, _model(script))
    search.run()
    assert seen == [[4], [3], [2], [1]]  # those whose answer has not come


def test_requests_under_way_at_a_kill_are_charged_at_their_ceiling(toy: MakeSearch) -> None:
    with Journal.open(":memory:") as journal:
        whole = _search(toy, _priced(), journal=journal)
        total = whole.run().spent
        request, killed = _killed(whole, journal, answered=1)
        assert request.samples == (0, 1, 2, 3)
        assert len(killed.unanswered) == 3
        model = _priced()
        again = _search(toy, model, journal=killed.log)
        result = again.run()
        assert [sample for _, sample in model.calls] == [1, 2, 3]
        lost = 3 * request.ceiling.dollars
        assert result.spent.dollars == pytest.approx(total.dollars + lost)
        assert RunState.load(again.state.log).spent.dollars == result.spent.dollars
        assert again.state.account.usage[model.name].lost == 3
        assert outline(result.tree) == outline(whole.state.tree)
        # Once charged, always charged; and another session charges nothing again.
        assert _search(toy, model, journal=again.state.log).state.unanswered == []


def test_no_kill_makes_a_run_pass_its_budget(toy: MakeSearch) -> None:
    with Journal.open(":memory:") as journal:
        whole = _search(toy, _priced(), journal=journal, budget=Budget(dollars=100))
        whole.run()
        request, killed = _killed(whole, journal, answered=0)
        budget = Budget(dollars=7.9 * request.ceiling.dollars)
        log, asked = killed.log, 0
        for _ in range(3):  # each killed as soon as it has asked for four samples
            model = _priced()
            result = _search(toy, model, journal=log, budget=budget).run()
            asked += len(model.calls)
            billed = 4 * request.ceiling.dollars
            assert billed <= result.spent.dollars <= (budget.dollars or 0)
        assert asked == 0  # four charged and four to come are more than there is
        assert "budget spent" in result.reason
        more = _search(toy, model, journal=log, budget=Budget(dollars=100)).run()
        assert len(more.tree) == 5


# -- requests that nobody answers ----------------------------------------------------------------


def _unlucky(*lost: int) -> Callable[[Prompt, int], str | Exception]:
    """Answers all requests but those of these numbers."""
    asked = count()

    def script(_: Prompt, sample: int) -> str | Exception:
        number = next(asked)
        return NoAnswerError("cut off") if number in lost else f"{number + 2}.0"

    return script


def test_a_request_without_an_answer_is_an_outcome_and_the_search_goes_on(toy: MakeSearch) -> None:
    model = _model(_unlucky(1, 2, 4))
    search = _search(toy, model, policy=BestOfN(batch=1, n=6), journal=":memory:")
    result = search.run()
    assert result.status == "done"
    statuses = [step.evaluation.status for step in result.tree][1:]
    failed = [n for n, status in enumerate(statuses) if status is Status.INVALID]
    assert failed == [1, 2, 4]
    assert result.tree[2].evaluation.feedback == "cut off"
    assert RunState.load(search.state.log).progress.no_answers == 0


@pytest.mark.parametrize("in_flight", [1, 4])
def test_a_run_of_requests_without_an_answer_ends_the_search(
    toy: MakeSearch, in_flight: int
) -> None:
    options = Options(in_flight=in_flight, threads=1)
    with Journal.open(":memory:") as journal:
        model = _model(_unlucky(*range(1, 99)))
        policy = BestOfN(batch=1, n=6)
        search = _search(toy, model, policy=policy, options=options, journal=journal)
        with pytest.raises(NoAnswerError, match="cut off"):
            search.run()
        assert len(search.state.tree) <= 3 + in_flight
        again = _search(toy, _model(), policy=policy, journal=journal.run("last"))
        assert again.run().status == "done"  # a new session has its own patience
