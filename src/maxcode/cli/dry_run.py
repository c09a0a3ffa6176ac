"""``optimize --dry-run``: the first prompts of all models, and the reach of the budget."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console
from rich.text import Text

from maxcode.budget import FREE, Budget, Cost
from maxcode.cli.console import facts
from maxcode.cli.models import agent_generators, model_generators
from maxcode.critics.llm import LLMCritic
from maxcode.generators.mixture import Mixture
from maxcode.interfaces import Critic, Profiles, SearchPolicy
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


def print_plan(
    console: Console,
    task: Task,
    plugins: Plugins,
    policy: SearchPolicy,
    options: Options,
    budget: Budget,
) -> None:
    """Print the first prompts whole, and the number of candidates in the budget.

    The task is prepared, and a free critic asked; no model is asked, and nothing is recorded.
    """
    generator, model = plugins.generator, plugins.reward_to_go
    observation, critic, profiled = _first(task, plugins, policy, options)
    step, criticised, ranked = observation.step, FREE, FREE
    if isinstance(critic, LLMCritic):
        prompt = critic.prompts.critic(observation, step)
        criticised = _ask(console, critic.model, "to criticise the baseline", prompt, 1200)
    if not profiled:
        observation = observation.with_steps(lambda step: replace(step, profile=None))
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
        tries = f"{duration(agent.seconds)}, {agent.tries} times `maxcode try`"
        console.print(f"each run: at most {tries}, {_priced(costs[-1])}", soft_wrap=True)
    if isinstance(model, OpenAIRewardToGo):
        shown = Observation(task, step, trajectory=Trajectory((step,), options.gamma))
        prompt = model.prompt(shown, task.baseline)
        ranked = _ask(console, model.model, "what a candidate may lead to", prompt, 1)
    if not costs and criticised == ranked == FREE:
        console.print("no model takes part: there are no prompts, and nothing is paid")
        return
    proposed = options.propose / options.run if model else 1.0
    dearest = max(costs, key=lambda cost: (cost.dollars, cost.tokens), default=FREE) + ranked
    likely = criticised + Cost(
        tokens=round(dearest.tokens * proposed),
        dollars=dearest.dollars * proposed,
        unpriced=round(dearest.unpriced * proposed),
    )
    console.rule(Text("what the budget may buy"), align="left")
    rows = [("a candidate", f"about {_priced(likely)}, for an answer as long as the program")]
    if model:
        rows.append(("of which", f"{proposed:g} are proposed and ranked, and one is run"))
    rows += [
        ("the budget", f"{budget} buys {_bought(likely, budget)}"),
        ("not in it", "prompts grow as attempts are shown; what providers cache is charged less"),
    ]
    console.print(facts(rows))


def _first(
    task: Task, plugins: Plugins, policy: SearchPolicy, options: Options
) -> tuple[Observation, Critic | None, bool]:
    """The first observation, the critic, if its critique is shown, and whether profiles are."""
    switches, executor = options.observe or policy.observe, plugins.executor
    observation, expansion = first_observation(task, executor.prepare(task), policy, options)
    step = observation.step
    critic = plugins.critic if switches.critique or expansion.critique else None
    profiled = expansion.profile or switches.profile
    if isinstance(executor, Profiles) and (critic or profiled):
        profile = executor.profile(task, task.baseline)
        observation = observation.annotated({step.id: (profile, None)})
    if critic and critic.cost_ceiling(observation, observation.step) == FREE:
        critique = critic.critique(observation, observation.step)
        observation = observation.annotated({step.id: (None, critique)})
    return observation, critic, profiled


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


def _priced(cost: Cost) -> str:
    return f"{cost.tokens:,} tokens, {price(cost.dollars, cost.unpriced)}"


def _bought(likely: Cost, budget: Budget) -> str:
    """Number of candidates at the likely cost."""
    costs = {"evaluations": 1, "dollars": likely.dollars, "tokens": likely.tokens}
    limits = ((getattr(budget, name), each) for name, each in costs.items())
    expected = min((most // each for most, each in limits if most and each), default=None)
    if expected is None:
        return "as many candidates as there is time for"
    money = "" if likely.unpriced else f", for about {dollars(expected * likely.dollars)}"
    return f"{counted(int(expected), 'candidate')}{money if expected else ''}"
