"""``optimize --dry-run``: the first prompts of all models, and the reach of the budget."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from rich.console import Console
from rich.text import Text

from maxcode.budget import FREE, Budget, Cost
from maxcode.cli.console import facts
from maxcode.cli.models import agent_generators, model_generators
from maxcode.critics.llm import LLMCritic
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Profiles, SearchPolicy
from maxcode.models.base import Model, Prompt
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.search.plugins import Plugins
from maxcode.search.session import first_observation
from maxcode.task import Task
from maxcode.text import counted, dollars, duration, price
from maxcode.tree import Trajectory

_BYTES_A_TOKEN = 3.5  # of code, about
_SUMMARY_BYTES = 600  # of an answer beside its program


def print_plan(  # noqa: PLR0915 - one page, in its order
    console: Console,
    task: Task,
    plugins: Plugins,
    policy: SearchPolicy,
    options: Options,
    budget: Budget,
) -> None:
    """Prepare the task, print the first prompts whole, and the number of candidates in the
    budget.

    No model is asked and nothing is recorded. A free critic is asked.
    """
    switches = options.observe or policy.observe
    baseline = plugins.executor.prepare(task)
    observation, expansion = first_observation(task, baseline, policy, options)
    if not (switches.critique or expansion.critique):  # nobody would read it
        plugins = replace(plugins, critic=None)
    step, critic, model = observation.step, plugins.critic, plugins.reward_to_go
    executor, wanted = plugins.executor, bool(critic or expansion.profile or switches.profile)
    if wanted and isinstance(executor, Profiles):
        profile = executor.profile(task, task.baseline)
        observation = observation.annotated({step.id: (profile, None)})
        step = observation.step
    fixed, most = FREE, FREE  # for a candidate, likely and at most
    asked = 0
    if isinstance(critic, LLMCritic):
        prompt = critic.prompts.critic(observation, step)
        fixed += _ask(console, critic.model, "to criticise the baseline", prompt, 1200)
        asked += 1
    elif critic and critic.cost_ceiling(observation, step) == FREE:
        observation = observation.annotated({step.id: (None, critic.critique(observation, step))})
        step = observation.step
    if critic:
        most += critic.cost_ceiling(observation, step)
    if not (switches.profile or expansion.profile):
        observation = observation.without_profiles()
    generator = plugins.generator
    hinted = generator.hinted(observation) if isinstance(generator, Mixture) else observation
    size = _SUMMARY_BYTES + sum(len(text.encode()) for text in step.program.files.values())
    costs = [
        _ask(console, one.model, "for a faster program", one.prompt(hinted), size)
        for one in model_generators(generator)
    ]
    for agent in agent_generators(generator):
        title = f"agent:{agent.command} is started in the sandbox for each candidate, shown this"
        _print_prompt(console, title, agent.prompt(hinted))
        costs.append(agent.cost_ceiling(hinted, 1))
        limits, cost = agent.limits, _priced(costs[-1])
        tries = f"{duration(limits.seconds)}, {limits.tries} times `maxcode try`"
        console.print(facts([("each run", tries), ("may cost", f"{cost}: reserved before")]))
    proposed = options.propose / options.run if model else 1.0
    shown = Observation(task, step, trajectory=Trajectory((step,), options.gamma))
    ranked = FREE
    if isinstance(model, OpenAIRewardToGo):
        prompt = model.prompt(shown, task.baseline)
        ranked = _ask(console, model.model, "what a candidate may lead to", prompt, 1)
        asked += 1
    if not asked and not costs:
        console.print("no model takes part: there are no prompts, and nothing is paid")
        return
    dearest = max(costs, key=lambda cost: (cost.dollars, cost.tokens), default=FREE)
    likely = fixed + _times(dearest + ranked, proposed)
    each = generator.cost_ceiling(observation, 1)
    each += model.cost_ceiling(shown, 1) if model else FREE
    most += _times(each, proposed)
    console.rule(Text("what the budget may buy"), align="left")
    rows = [("a candidate", f"about {_priced(likely)}, for an answer as long as the program")]
    if model:
        rows.append(("of which", f"{proposed:g} are proposed and ranked, and one is run"))
    rows += [
        ("at most", f"{_priced(most)}; so much is reserved before it is asked for"),
        ("the budget", f"{budget} buys {_bought(likely, most, budget)}"),
        ("not in it", "prompts grow as attempts are shown; what providers cache is charged less"),
    ]
    console.print(facts(rows))


def _ask(console: Console, model: Model, aim: str, prompt: Prompt, answer: int) -> Cost:
    """Print a prompt; gives the likely cost of an answer of so many bytes."""
    asked, answered = round(prompt.size / _BYTES_A_TOKEN), round(answer / _BYTES_A_TOKEN)
    _print_prompt(console, f"{model.name} is asked {aim} (about {asked:,} tokens)", prompt)
    total = asked + answered
    if model.price is None:
        return Cost(tokens=total, unpriced=total)
    return Cost(tokens=total, dollars=model.price.dollars(input=asked, output=answered))


def _print_prompt(console: Console, title: str, prompt: Prompt) -> None:
    console.rule(Text(title), align="left")
    console.print(prompt.text, soft_wrap=True)


def _times(cost: Cost, count: float) -> Cost:
    tokens, unpriced = round(cost.tokens * count), round(cost.unpriced * count)
    return Cost(tokens=tokens, dollars=cost.dollars * count, unpriced=unpriced)


def _priced(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {price(cost.dollars, cost.unpriced)}"


def _bought(likely: Cost, most: Cost, budget: Budget) -> str:
    """Number of candidates, at the likely cost and at the highest cost."""
    limits = budget.evaluations, budget.dollars, budget.tokens
    expected, sure = (
        min(
            inf if limit is None or each == 0 else limit // each
            for limit, each in zip(limits, (1, cost.dollars, cost.tokens), strict=True)
        )
        for cost in (likely, most)
    )
    if expected == inf:
        return "as many candidates as there is time for"
    if expected < 1:
        return "not even one candidate"
    if sure == expected:
        money = "" if likely.unpriced else f", for about {dollars(expected * likely.dollars)}"
        return f"{counted(int(sure), 'candidate')}{money}"
    return f"about {counted(int(expected), 'candidate')}, {int(sure)} at least"
