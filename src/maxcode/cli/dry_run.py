"""``optimize --dry-run``: the first prompts of all models, and what the budget may buy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from rich.console import Console
from rich.text import Text

from maxcode.budget import FREE, Budget, Cost
from maxcode.cli.console import facts
from maxcode.cli.models import agent_generators, model_generators
from maxcode.critics.llm import LLMCritic
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Generator, Profiles, SearchPolicy
from maxcode.models.base import Model, Prompt
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.search.plugins import Plugins
from maxcode.search.session import first_observation
from maxcode.task import Task
from maxcode.text import counted, dollars, duration, price
from maxcode.tree import Trajectory

_BYTES = 3.5  # of code to a token, about
_WORDS = 600  # bytes of an answer beside its program


@dataclass(frozen=True)
class _Request:
    """The request to a model for each candidate; ``answer`` is its likely size in bytes."""

    title: str
    model: Model
    prompt: Prompt
    answer: int

    def print(self, console: Console) -> None:
        tokens = round(self.prompt.size / _BYTES)
        title = f"{self.model.name} is asked {self.title} (about {tokens:,} tokens)"
        _print_prompt(console, title, self.prompt)

    @property
    def cost(self) -> Cost:
        """The likely cost."""
        asked, answered = round(self.prompt.size / _BYTES), round(self.answer / _BYTES)
        total, price = asked + answered, self.model.price
        if price is None:
            return Cost(tokens=total, unpriced=total)
        return Cost(tokens=total, dollars=price.dollars(input=asked, output=answered))


def _print_prompt(console: Console, title: str, prompt: Prompt) -> None:
    console.rule(Text(title), align="left")
    console.print(prompt.text, soft_wrap=True)


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
    switches = options.observe or policy.observe
    if not switches.critique:  # nobody would read it
        plugins = replace(plugins, critic=None)
    baseline = plugins.executor.prepare(task)
    observation, expansion = first_observation(task, baseline, policy, options)
    step, critic, model = observation.step, plugins.critic, plugins.reward_to_go
    executor, wanted = plugins.executor, bool(critic or expansion.profile or switches.profile)
    if wanted and isinstance(executor, Profiles):
        profile = executor.profile(task, task.baseline)
        observation = observation.annotated({step.id: (profile, None)})
        step = observation.step
    critics, rankers = [], []
    if isinstance(critic, LLMCritic):
        prompt = critic.prompts.critic(observation, step)
        critics = [_Request("to criticise the baseline", critic.model, prompt, 2 * _WORDS)]
    elif critic and critic.cost_ceiling(observation, step) == FREE:
        observation = observation.annotated({step.id: (None, critic.critique(observation, step))})
        step = observation.step
    size = _WORDS + sum(len(text.encode()) for text in step.program.files.values())
    if not (switches.profile or expansion.profile):
        observation = observation.without_profiles()
    mixture = plugins.generator
    hinted = mixture.hinted(observation) if isinstance(mixture, Mixture) else observation
    generators = [
        _Request("for a faster program", one.model, one.prompt(hinted), size)
        for one in model_generators(plugins.generator)
    ]
    shown = Observation(task, step, trajectory=Trajectory((step,), options.gamma))
    if isinstance(model, OpenAIRewardToGo):
        prompt = model.prompt(shown, task.baseline)
        rankers = [_Request("what a candidate may lead to", model.model, prompt, 1)]
    requests = [*critics, *generators, *rankers]
    for request in requests:
        request.print(console)
    agents = _print_agents(console, plugins.generator, hinted)
    if not requests and not agents:
        console.print("no model takes part: there are no prompts, and nothing is paid")
        return

    proposed = options.propose / options.run if model else 1.0
    costs = [*(request.cost for request in generators), *agents]  # the dearest part counts
    likely = max(costs, key=lambda cost: (cost.dollars, cost.tokens), default=FREE)
    most = plugins.generator.cost_ceiling(observation, 1)
    if model:
        most += model.cost_ceiling(shown, 1)
    likely = _times(sum((one.cost for one in rankers), likely), proposed)
    likely = sum((one.cost for one in critics), likely)
    most = _times(most, proposed)
    if critic:
        most += critic.cost_ceiling(observation, step)
    assumed = "if the answer is as long as the program"
    if agents:
        assumed = "if an agent uses, or reports nothing and is charged, all that it may"
    _print_estimate(console, (likely, assumed), most, proposed if model else 0, budget)


def _print_estimate(
    console: Console, likely_if: tuple[Cost, str], most: Cost, proposed: float, budget: Budget
) -> None:
    likely, assumed = likely_if
    rows = [("a candidate", f"about {_priced(likely)}, {assumed}")]
    if proposed:
        rows.append(("of which", f"{proposed:g} are proposed and ranked, and one is run"))
    rows += [
        ("at most", f"{_priced(most)}; so much is reserved before it is asked for"),
        ("the budget", f"{budget} buys {_bought(likely, most, budget)}"),
        ("not in it", "prompts grow as attempts are shown; what providers cache is charged less"),
    ]
    console.rule(Text("what the budget may buy"), align="left")
    console.print(facts(rows))


def _print_agents(console: Console, generator: Generator, observation: Observation) -> list[Cost]:
    """Print commands, prompts and limits of agents; gives the highest cost of a run of each."""
    costs = []
    for agent in agent_generators(generator):
        prompt, limits = agent.prompt(observation), agent.limits
        title = f"agent:{agent.command} is started in the sandbox for each candidate, shown this"
        _print_prompt(console, title, prompt)
        costs.append(agent.cost_ceiling(observation, 1))
        tries = f"{duration(limits.seconds)}, {limits.tries} times `maxcode try`"
        most = f"{_priced(costs[-1])}: reserved before, and charged where it reports nothing"
        console.print(facts([("each run", tries), ("may cost", most)]))
    return costs


def _times(cost: Cost, count: float) -> Cost:
    tokens, unpriced = round(cost.tokens * count), round(cost.unpriced * count)
    return Cost(tokens=tokens, dollars=cost.dollars * count, unpriced=unpriced)


def _priced(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {price(cost.dollars, cost.unpriced)}"


def _bought(likely: Cost, most: Cost, budget: Budget) -> str:
    """Number of candidates, at the likely cost and at the highest cost."""
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
