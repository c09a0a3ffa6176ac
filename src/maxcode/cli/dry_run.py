"""``--dry-run``: what models would be shown first, and what the budget may buy."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from rich.console import Console
from rich.text import Text

from maxcode.budget import Budget
from maxcode.cli.console import facts
from maxcode.cli.figures import counted, dollars
from maxcode.cli.models import model_generators
from maxcode.cost import FREE, Cost
from maxcode.critics.llm import LLMCritic
from maxcode.expansion import Plugins
from maxcode.interfaces import SearchPolicy
from maxcode.models.base import Model
from maxcode.models.prompt import Prompt
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.session import first_observation
from maxcode.task import Task

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
    if not asked and not isinstance(critic, LLMCritic):
        console.print("no model takes part: there are no prompts, and nothing is paid")
        return
    _print_estimate(console, plugins, observation, budget)


def _print_prompt(console: Console, title: str, prompt: Prompt) -> None:
    console.rule(Text(f"{title} (about {round(prompt.size / _BYTES):,} tokens)"), align="left")
    console.print(prompt.text, markup=False, highlight=False, soft_wrap=True)


def _print_estimate(
    console: Console, plugins: Plugins, observation: Observation, budget: Budget
) -> None:
    likely, most = _likely(plugins, observation), _most(plugins, observation)
    console.rule(Text("what the budget may buy"), align="left")
    table = facts()
    table.add_row("a candidate", f"about {_told(likely)}, if the answer is as long as the program")
    table.add_row("at most", f"{_told(most)}; so much is reserved before it is asked for")
    table.add_row("the budget", f"{budget} buys {_bought(likely, most, budget)}")
    table.add_row(
        "not in it", "prompts grow as attempts are shown; what providers cache is charged less"
    )
    console.print(table)


def _likely(plugins: Plugins, observation: Observation) -> Cost:
    """What a candidate costs whose answer is as long as the program, with a critique of it.

    Of a mixture, by its dearest part.
    """
    code = sum(len(text.encode()) for text in observation.step.program.files.values())
    generators = list(model_generators(plugins.generator))
    costs = [_paid(one.model, one.prompt(observation), code + _WORDS) for one in generators]
    each = max(costs, key=lambda cost: (cost.dollars, cost.tokens), default=FREE)
    if isinstance(critic := plugins.critic, LLMCritic):
        prompt = critic.prompts.critic(observation, observation.step)
        each += _paid(critic.model, prompt, 2 * _WORDS)
    return each


def _paid(model: Model, prompt: Prompt, answer: int) -> Cost:
    tokens = {"input": round(prompt.size / _BYTES), "output": round(answer / _BYTES)}
    if model.price is None:
        return Cost(tokens=sum(tokens.values()), unpriced=sum(tokens.values()))
    return Cost(tokens=sum(tokens.values()), dollars=model.price.dollars(**tokens))


def _most(plugins: Plugins, observation: Observation) -> Cost:
    """The ceiling of a candidate, with a critique of it."""
    cost = plugins.generator.cost_ceiling(observation, 1)
    if plugins.critic:
        cost += plugins.critic.cost_ceiling(observation, observation.step)
    return cost


def _told(cost: Cost) -> str:
    price = "price unknown" if cost.unpriced else dollars(cost.dollars)
    return f"{cost.tokens:,} tokens, {price}"


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
