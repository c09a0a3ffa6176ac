"""Models on the command line: what their strings mean, what is paid, what nobody may see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from tests.cli.conftest import Run
from tests.provider import LoopbackProvider, ProviderError, Request

from maxcode.budget import Budget, Transcript
from maxcode.cli.commands import ModelSettings
from maxcode.cli.models import ModelConfig, askers, awaited, trouble
from maxcode.cli.plugins import make_critic, make_generator
from maxcode.cli.recipe import Recipe
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError, ModelError
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.models.anthropic import AnthropicModel
from maxcode.models.base import Prompt, ask
from maxcode.models.openai import OpenAIModel

KEY = "sk-ant-very-private-0123456789"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def _answer(request: Request) -> str:
    """The tests' own program with fewer steps; a diagnosis for the critic."""
    if "bottleneck" in request.system + request.parts[-1]:
        found = {"bottleneck": "compute", "diagnosis": "It counts.", "suggestions": ["Stop."]}
        return f"```json\n{json.dumps(found)}\n```"
    shown = "\n".join(request.parts)
    code = shown[shown.index("#include <cstdio>") : shown.index("```\n", shown.index("return 1"))]
    steps = 40000 + 10 * request.number
    return f"Summary: {steps} steps.\n```cpp\n{code.replace('10000000', str(steps))}```\n"


@pytest.fixture
def provider() -> Iterator[LoopbackProvider]:
    with LoopbackProvider(_answer, key=KEY) as provider:
        yield provider


def test_strings_name_models_with_their_options() -> None:
    generator = make_generator("anthropic:claude-sonnet-5-5,max_tokens=5000,temperature=0.5")
    assert isinstance(generator, ModelGenerator)
    model = generator.model
    assert isinstance(model, AnthropicModel)
    assert (model.max_tokens, model.temperature) == (5000, 0.5)
    assert model.price is not None
    assert model.price.output == 10
    critic = make_critic("openai:@cf/qwen@3@http://localhost:9/v1,price=1/2/0.1,in_flight=3")
    assert isinstance(critic, LLMCritic)
    assert isinstance(critic.model, OpenAIModel)
    assert critic.model.name == "openai:@cf/qwen@3@http://localhost:9/v1"
    assert critic.model.price is not None
    assert critic.model.price.cached == 0.1
    assert (critic.model.limits.in_flight, critic.model.limits.attempts) == (3, 6)
    assert make_critic("none") is None


def test_several_generators_are_a_mixture_and_share_models_and_prompts() -> None:
    model_config = ModelConfig(ModelSettings(context=9000))
    learning = make_generator("anthropic:claude-sonnet-5-5 + rewrite", model_config)
    critic = make_critic("anthropic:claude-sonnet-5-5", model_config)
    assert isinstance(learning, Mixture)
    assert isinstance(critic, LLMCritic)
    (asked,) = askers(learning)
    assert isinstance(asked, ModelGenerator)
    assert (asked.model is critic.model, asked.prompts is critic.prompts) == (True, True)
    assert asked.prompts.context == 9000
    assert learning.weights is None
    weighted = make_generator("3 * anthropic:claude-sonnet-5-5 + rewrite")
    assert isinstance(weighted, Mixture)
    wanted = {"anthropic:claude-sonnet-5-5": 3, "RewriteGenerator": 1}
    assert dict(weighted.weights or {}) == wanted
    with pytest.raises(InputError, match="cannot read the weights in 'x \\* rewrite"):
        make_generator("x * rewrite + rewrite")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anthropic:", "names no model; write it like anthropic:NAME"),
        ("openai:@http://localhost:1", "names no model"),
        ("anthropic:x,colour=red", r"cannot read 'colour=red'.*AnthropicModel takes: .*max_tokens"),
        ("anthropic:x,max_tokens=many", "'max_tokens=many' in .*valid integer"),
        ("anthropic:x,price=cheap", r"'price=cheap' in .*dollars per million"),
        ("anthropic:x,in_flight=0", "in_flight must be above 0, not 0"),
        ("openai:x@localhost:8000", "write http:// or https:// before localhost:8000"),
        ("openai:x@http://me:pass@localhost:8000", "must not hold a user, a password"),
        ("anthropic:x,key=NO_SUCH_KEY", "set the environment variable NO_SUCH_KEY"),
        ("anthropic:x,no=1,key=sk-ant-1", r"^key= takes the name of an environment variable"),
        ("anthropic:x,thinking=2000,temperature=0.5", "take no temperature"),
    ],
)
def test_what_is_wrong_with_a_string_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_generator(text)


def test_a_budget_in_dollars_asks_for_the_price() -> None:
    local = "openai:qwen@http://localhost:8000/v1"
    model_config = ModelConfig(budget=Budget(dollars=1))
    with pytest.raises(InputError, match=r"price of qwen is not known.*,price=3/15"):
        make_generator(local, model_config)
    with pytest.raises(InputError, match="price of qwen is not known"):
        make_critic(local, model_config)
    assert make_generator(f"{local},price=0/0", model_config)
    assert make_generator(local, ModelConfig(budget=Budget(tokens=1000)))


def _named(provider: LoopbackProvider, model: str, options: str) -> str:
    """A model behind the provider, with its key."""
    kind = model.partition(":")[0]
    url = provider.anthropic_url if kind == "anthropic" else provider.openai_url
    return f"{model}@{url},{options}key=ANTHROPIC_API_KEY"


@pytest.mark.slow
def test_a_search_with_models_and_what_it_costs(
    inside: Run, task: Path, provider: LoopbackProvider, folder: Path
) -> None:
    generator = _named(provider, "anthropic:claude-sonnet-5-5", "price=3/15,")
    done = inside(
        *("optimize", str(task), "--generator", generator),
        *("--critic", _named(provider, "openai:judge", "price=1/2,"), "--policy=maxcode:k=1,d=2"),
        *("--fuzz=0", "--budget=evaluations=2,usd=9", "--store=runs.db", "--json"),
        code=0,
    )
    found = json.loads(done.stdout)
    assert found["by_status"] == {"ok": 2}
    used = {name.partition(":")[0]: usage for name, usage in found["models"].items()}
    assert used["anthropic"]["answers"] == used["openai"]["answers"] == 2
    paid = sum(usage["dollars"] for usage in used.values())
    assert found["cost"]["dollars"] == pytest.approx(paid)
    written = sum(charge.output for charge in provider.charges)
    assert used["anthropic"]["output"] + used["openai"]["output"] == written
    shown = inside("show --store=runs.db --step=0").stdout
    assert "Bottleneck: compute. It counts." in shown
    listed = inside("show --store=runs.db").stdout
    assert "2 answers" in listed
    assert "$0." in listed
    _check_unseen(folder, done.stdout, done.stderr, shown, listed)


def _check_unseen(folder: Path, *printed: str) -> None:
    """The key is in no file and in nothing printed."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert folder / "runs.db" in files
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in "".join(printed)


@pytest.mark.slow
def test_a_wrong_key_stops_at_once(inside: Run, task: Path, provider: LoopbackProvider) -> None:
    model = _named(provider, "anthropic:claude-sonnet-5-5", "price=3/15,")
    quick = ("--fuzz=0", "--minimise=0", "--policy=best-of-n:n=1")
    command = ("optimize", str(task), f"--generator={model}", "--store=runs.db", *quick)
    done = inside(*command, ANTHROPIC_API_KEY="sk-ant-wrong-9876543210", code=3)
    assert "refused the key in ANTHROPIC_API_KEY; set ANTHROPIC_API_KEY to a" in done.stderr
    assert "sk-ant-wrong" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert len(provider.charges) <= 8  # short prompts are not cached, so none goes ahead
    mended = _named(provider, "openai:other", "price=0/0,")
    given = ("--budget=evaluations=1", f"--generator={mended}", "--context=9000")
    inside("resume last --store=runs.db", *given, code=0)
    with Journal.open("runs.db") as journal:
        recipe = Recipe.of(RunState.load(journal.run(journal.run_ids()[0])))
    assert (recipe.generator, recipe.context, recipe.critic) == (mended, 9000, "none")


@pytest.mark.slow
def test_a_key_that_comes_back_is_seen_nowhere(inside: Run, task: Path, folder: Path) -> None:
    def echo(request: Request) -> str:
        if request.number == 2:  # not the first, or the run would end at once
            raise ProviderError(500, f"the key {KEY} is odd", kind=KEY)
        return f"Summary: you sent {KEY}.\nI know no faster program. {KEY}"

    with LoopbackProvider(echo, key=KEY) as provider:
        model = _named(provider, "openai:m", "price=3/15,attempts=1,")
        quick = (
            "--fuzz=0",
            "--minimise=0",
            "--policy=best-of-n:n=3,batch=1",
            "--options=in_flight=1",
        )
        done = inside("optimize", str(task), f"--generator={model}", "--store=runs.db", *quick)
    assert len(provider.charges) > 2, done.stderr
    shown = inside("show --store=runs.db --step=1 --json")
    assert "you sent [redacted]." in shown.stdout
    inside("report last --store=runs.db --out=report.html", code=0)
    _check_unseen(folder, done.stdout, done.stderr, shown.stdout)


@pytest.mark.slow
def test_a_dry_run_shows_prompts_and_asks_nobody(
    inside: Run, task: Path, provider: LoopbackProvider
) -> None:
    model = _named(provider, "anthropic:claude-sonnet-5-5", "price=3/15,")
    command = ("optimize", str(task), "--store=runs.db", "--dry-run")
    asked = (f"--generator={model}", f"--critic={model}", "--budget=usd=1,evaluations=5")
    done = inside(*command, *asked, code=0)
    for said in (
        "while (steps < 10000000)",
        "asked to criticise the baseline",
        "asked for a faster program",
        "candidate",
    ):
        assert said in done.stdout
    assert provider.charges == []
    assert json.loads(inside("runs --store=runs.db --json").stdout)["total"] == 0
    assert "no model takes part" in inside(*command).stdout


def test_what_models_are_waited_for_is_told() -> None:
    said: list[str] = []

    def answer(_: Request) -> str:
        said.append(awaited(generator, critic))
        return "text"

    with LoopbackProvider(answer) as provider:
        config = ModelConfig()
        name = f"openai:m@{provider.openai_url}"
        generator = make_generator(f"{name} + rewrite", config)
        critic = make_critic(name, config)
        assert awaited(generator, critic) == ""
        (asked,) = askers(generator)
        assert isinstance(asked, ModelGenerator)
        ask(asked.model, Prompt("", ("x",)), 1, seed=0, transcript=Transcript())
    assert said == [f"waiting for {name}: 1 request, 0:00, 0 tokens so far"]


def test_a_model_that_cannot_be_reached_says_which_attempt_follows() -> None:
    config = ModelConfig()
    name = "openai:m@http://127.0.0.1:9,attempts=2,first_wait=0.5,max_tokens=9"
    generator = make_generator(name, config)
    (asked,) = askers(generator)
    assert isinstance(asked, ModelGenerator)
    assert trouble(generator, None) == ""

    def question() -> None:
        with suppress(ModelError):
            ask(asked.model, Prompt("", ("x",)), 1, seed=0, transcript=Transcript())

    thread = Thread(target=question)
    thread.start()
    said = set()
    while thread.is_alive():
        said.add(trouble(generator, None))
        thread.join(0.01)
    (told,) = said - {""}
    assert told.endswith("; attempt 2 of 2 follows")
    assert trouble(generator, None) == ""
