"""``optimize --dry-run``: what models would be shown first, and what the budget may buy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from rich.console import Console
from rich.text import Text

from maxcode.budget import (
    FREE,
    Budget,
    Cost,
)
from maxcode.cli.console import facts
from maxcode.cli.models import model_generators
from maxcode.critics.llm import LLMCritic
from maxcode.interfaces import RewardToGo, SearchPolicy
from maxcode.models.base import Model, Prompt
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.report.text import (
    counted,
    dollars,
    price,
)
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.search.plugins import Plugins
from maxcode.search.session import first_observation
from maxcode.task import Task
from maxcode.tree import Trajectory

_BYTES = 3.5  # of code to a token, about
_WORDS = 600  # bytes of an answer beside its program


def print_plan(
    console: Console,
    task: Task,
    plugins: Plugins,
    policy: SearchPolicy,
    options: Options,
    budget: Budget,
) -> None:
    """Prepare the task, print the first prompts whole, and what the budget may buy.

    No model is asked and nothing is recorded. A critic that costs nothing is asked.
    """
    if not (options.observe or policy.observe).critique:  # nobody would read it
        plugins = replace(plugins, critic=None)
    baseline = plugins.executor.prepare(task)
    observation, expansion = first_observation(task, baseline, policy, options)
    if plugins.critic or expansion.profile:
        profile = plugins.executor.profile(task, task.baseline)
        observation = observation.annotated({observation.step.id: (profile, None)})
    critic = plugins.critic
    if isinstance(critic, LLMCritic):
        prompt = critic.prompts.critic(observation, observation.step)
        _print_prompt(console, f"{critic.model.name} is asked to criticise the baseline", prompt)
    elif critic and critic.cost_ceiling(observation, observation.step) == FREE:
        critique = critic.critique(observation, observation.step)
        observation = observation.annotated({observation.step.id: (None, critique)})
    asked = list(model_generators(plugins.generator))
    for generator in asked:
        title = f"{generator.model.name} is asked for a faster program"
        _print_prompt(console, title, generator.prompt(observation))
    ranking = _Ranking(plugins.reward_to_go, observation, options)
    if ranking.asked:
        title = f"{ranking.asked.model.name} is asked what a candidate may lead to"
        _print_prompt(console, title, ranking.asked.prompt(ranking.view, task.baseline))
    if not asked and not isinstance(critic, LLMCritic) and not ranking.asked:
        console.print("no model takes part: there are no prompts, and nothing is paid")
        return
    _print_estimate(console, plugins, observation, ranking, budget)


@dataclass(frozen=True)
class _Ranking:
    """The reward-to-go model, and how many candidates are proposed for each that is run."""

    model: RewardToGo | None
    observation: Observation
    options: Options

    @property
    def asked(self) -> OpenAIRewardToGo | None:
        return self.model if isinstance(self.model, OpenAIRewardToGo) else None

    @property
    def view(self) -> Observation:
        step = self.observation.step
        path = Trajectory((step,), self.options.gamma)
        return Observation(self.observation.task, step, trajectory=path)

    @property
    def proposed(self) -> float:
        return self.options.propose / self.options.run if self.model else 1.0

    @property
    def likely(self) -> Cost:
        if self.asked is None:
            return FREE
        return _paid(self.asked.model, self.asked.prompt(self.view, self.view.step.program), 1)

    @property
    def most(self) -> Cost:
        return self.model.cost_ceiling(self.view, 1) if self.model else FREE


def _print_prompt(console: Console, title: str, prompt: Prompt) -> None:
    console.rule(Text(f"{title} (about {round(prompt.size / _BYTES):,} tokens)"), align="left")
    console.print(prompt.text, markup=False, highlight=False, soft_wrap=True)


def _print_estimate(
    console: Console,
    plugins: Plugins,
    observation: Observation,
    ranking: _Ranking,
    budget: Budget,
) -> None:
    likely, most = _likely(plugins, observation, ranking), _most(plugins, observation, ranking)
    console.rule(Text("what the budget may buy"), align="left")
    table = facts()
    table.add_row(
        "a candidate", f"about {_priced(likely)}, if answers are as long as the program"
    )
    if ranking.model:
        table.add_row("of which", f"{ranking.proposed:g} are proposed and ranked, and one is run")
    table.add_row("at most", f"{_priced(most)}; so much is reserved before it is asked for")
    table.add_row("the budget", f"{budget} buys {_bought(likely, most, budget)}")
    table.add_row(
        "not in it", "prompts grow as attempts are shown; what providers cache is charged less"
    )
    console.print(table)


def _likely(plugins: Plugins, observation: Observation, ranking: _Ranking) -> Cost:
    """The cost of a run candidate, its critique and all that are proposed for it.

    Answers are as long as the program; of a mixture the most expensive part counts.
    """
    code = sum(len(text.encode()) for text in observation.step.program.files.values())
    generators = list(model_generators(plugins.generator))
    costs = [_paid(one.model, one.prompt(observation), code + _WORDS) for one in generators]
    each = max(costs, key=lambda cost: (cost.dollars, cost.tokens), default=FREE)
    each = _times(each + ranking.likely, ranking.proposed)
    if isinstance(critic := plugins.critic, LLMCritic):
        prompt = critic.prompts.critic(observation, observation.step)
        each += _paid(critic.model, prompt, 2 * _WORDS)
    return each


def _paid(model: Model, prompt: Prompt, answer: int) -> Cost:
    tokens = {"input": round(prompt.size / _BYTES), "output": round(answer / _BYTES)}
    if model.price is None:
        return Cost(tokens=sum(tokens.values()), unpriced=sum(tokens.values()))
    return Cost(tokens=sum(tokens.values()), dollars=model.price.dollars(**tokens))


def _times(cost: Cost, count: float) -> Cost:
    tokens, unpriced = round(cost.tokens * count), round(cost.unpriced * count)
    return Cost(tokens=tokens, dollars=cost.dollars * count, unpriced=unpriced)


def _most(plugins: Plugins, observation: Observation, ranking: _Ranking) -> Cost:
    """The ceiling of the same cost."""
    cost = plugins.generator.cost_ceiling(observation, 1) + ranking.most
    cost = _times(cost, ranking.proposed)
    if plugins.critic:
        cost += plugins.critic.cost_ceiling(observation, observation.step)
    return cost


def _priced(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {price(cost.dollars, cost.unpriced)}"


def _bought(likely: Cost, most: Cost, budget: Budget) -> str:
    """How many candidates: by what they likely cost, and if each cost the most."""
    likely_count, sure = (
        min(
            _count(budget.evaluations, 1),
            _count(budget.dollars, cost.dollars),
            _count(budget.tokens, cost.tokens),
        )
        for cost in (likely, most)
    )
    if likely_count == inf:
        return "as many candidates as there is time for"
    if sure == likely_count:
        money = "" if likely.unpriced else f", for about {dollars(likely_count * likely.dollars)}"
        return f"{counted(int(sure), 'candidate')}{money}"
    if likely_count < 1:
        return "not even one candidate"
    return f"about {counted(int(likely_count), 'candidate')}, {int(sure)} at least"


def _count(limit: float | None, each: float) -> float:
    return inf if limit is None or each == 0 else limit // each
