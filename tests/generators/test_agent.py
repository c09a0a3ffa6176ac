"""Coding agents as generators: what they are given, what counts of what they do, what it costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.generators._agents import EDITS_AND_TRIES, HEAD, command, said

from maxcode.cli.plugins import make_generator
from maxcode.errors import GeneratorError, InputError, NoAnswerError
from maxcode.evaluation import Status, Trial
from maxcode.generators.agent import AgentGenerator
from maxcode.generators.agent_output import reported
from maxcode.interfaces import Proposal
from maxcode.models.base import Tokens
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.sources import from_bytes, to_bytes
from maxcode.testing import (
    MemoryTranscript,
    sample_observations,
    sample_task,
)


def _trial(program: Program, *, quick: bool) -> Trial:
    assert not quick
    if "broken" in program.code:
        return Trial(Status.BUILD_ERROR, "no such name")
    return Trial(Status.OK, "correct on all tests")


def _observation() -> Observation:
    observation = sample_observations(sample_task())[0]
    return replace(observation, transcript=MemoryTranscript(), try_out=_trial)


def _agent(folder: Path, text: str, **options: Any) -> AgentGenerator:
    line, read = command(folder, text)
    return AgentGenerator(line, read=read, **options)


def _propose(folder: Path, text: str, **options: Any) -> Proposal:
    [proposal] = _agent(folder, text, **options).propose(_observation(), 1)
    return proposal


@pytest.mark.slow
def test_an_agent_edits_tries_and_edits_again(tmp_path: Path) -> None:
    proposal = _propose(tmp_path, EDITS_AND_TRIES)
    assert proposal.program is not None, proposal
    assert proposal.program.code == sample_task().baseline.code + "// faster\n"
    assert proposal.summary == "it counts less."
    assert proposal.tags == ("agent",)
    assert proposal.call is not None
    assert (proposal.call.dollars, proposal.call.tokens) == (0.25, 1010)
    assert proposal.cost == proposal.call.cost
    assert said(proposal.answer)["tries"] == 2


@pytest.mark.slow
def test_an_agent_has_the_bytes_of_a_file_and_keeps_its_form(tmp_path: Path) -> None:
    before = b"// Jos\xe9\r\nint main() {}\r\n"
    task = replace(sample_task(), baseline=Program.of(from_bytes(before)))
    observation = replace(sample_observations(task)[0], transcript=MemoryTranscript())
    script = f"""
assert source.read_bytes() == {before!r}
source.write_text("// Jos\\u00e9\\nint main() {{ return 0; }}\\n", encoding="utf-8")
report()
"""
    [proposal] = _agent(tmp_path, HEAD + script).propose(observation, 1)
    assert proposal.program is not None, proposal
    changed = before.replace(b"{}", b"{ return 0; }")
    assert to_bytes(proposal.program.code) == changed
    breaking = _agent(tmp_path, HEAD + 'source.write_bytes(b"\\xff\\x00")\nreport()\n')
    [refused] = breaking.propose(replace(observation, transcript=MemoryTranscript()), 1)
    assert refused.problem == "the agent changed nothing"


@pytest.mark.slow
def test_an_agent_that_fails_or_does_nothing_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoAnswerError, match="it ended with status 3: no key"):
        _propose(tmp_path, HEAD + "sys.stderr.write('no key'); sys.exit(3)")
    idle = _propose(tmp_path, HEAD)
    assert idle.program is None
    assert "changed nothing" in idle.problem
    assert idle.call is not None
    assert (idle.call.dollars, idle.call.input) == (1.0, 2_000_000)  # nothing was reported
    script = tmp_path / "unread"
    script.write_text("#!/bin/sh")
    script.chmod(0o755)
    with pytest.raises(GeneratorError, match="unread: it is not in here; name it"):
        AgentGenerator(str(script)).propose(_observation(), 1)


@pytest.mark.slow
def test_what_stands_there_when_its_time_is_over_counts(tmp_path: Path) -> None:
    proposal = _propose(tmp_path, HEAD + "honest(); time.sleep(300)", seconds=3.0)
    assert proposal.program is not None, proposal
    assert proposal.program.code.endswith("// faster\n")


def test_wrong_options_are_told(tmp_path: Path) -> None:
    for given, problem in (
        ("agent:", "name a command"),
        ("agent:x 'y", "cannot read the command"),
        ("agent:no-such-agent --print", "no program no-such-agent in /usr/local/bin"),
        ("agent:/no/such/agent", "there is no program /no/such/agent, and outside"),
        ("agent:./agent.sh", "is no absolute path"),
        ("agent:sh agent.sh,sec=5", "cannot read 'sec=5' .* .did you mean seconds"),
        ("agent:sh,seconds=0", "seconds, .* must be above 0"),
        ("agent:sh,usd=-1", "cannot be negative"),
        ("agent:sh,env=NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
        ("agent:sh,read=/no/such/file", "nothing at /no/such/file"),
    ):
        with pytest.raises(InputError, match=problem):
            make_generator(given)
    agent = make_generator("agent:sh --tools a,b --x=1,seconds=7,usd=2")
    assert isinstance(agent, AgentGenerator)
    assert agent.command == "sh --tools a,b --x=1"
    assert (agent.seconds, agent.limit.dollars) == (7.0, 2.0)


@pytest.mark.parametrize(
    ("output", "tokens", "dollars"),
    [
        (
            '{"type":"result","total_cost_usd":0.5,"result":"done","usage":{"input_tokens":3,'
            '"cache_creation_input_tokens":4,"cache_read_input_tokens":5,"output_tokens":6}}',
            (3, 5, 4, 6),
            0.5,
        ),
        (  # the second turn counts the first one again
            '{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":1}}\n'
            '{"type":"item.completed","item":{"type":"agent_message","text":"done"}}\n'
            '{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":20,'
            '"output_tokens":6,"reasoning_output_tokens":4}}',
            (10, 20, 0, 6),
            None,
        ),
        (  # what subagents used is in modelUsage alone
            '{"type":"result","total_cost_usd":8.8,"result":"done","usage":{"input_tokens":3,'
            '"output_tokens":6},"modelUsage":{"a":{"inputTokens":100,"outputTokens":10,'
            '"cacheReadInputTokens":50,"cacheCreationInputTokens":7},"b":{"inputTokens":1,'
            '"outputTokens":1}}}',
            (101, 50, 7, 11),
            8.8,
        ),
    ],
)
def test_what_agents_report(output: str, tokens: tuple[int, ...], dollars: float | None) -> None:
    found = reported(f"{{not JSON\n{output}\n")
    assert found is not None
    assert found.tokens == Tokens(*tokens)
    assert (found.dollars, found.said) == (dollars, "done")


@pytest.mark.parametrize(
    "output",
    [
        *("", "[1]", '{"response":1}'),
        '{"type":"result","usage":{"input_tokens":-9,"output_tokens":1}}',
        '{"type":"result","usage":{"input_tokens":0,"output_tokens":0}}',
        '{"type":"result","total_cost_usd":-1,"usage":{"input_tokens":9,"output_tokens":1}}',
        '{"type":"step_finish","part":{"cost":1,"tokens":{"input":9,"output":1}}}',
        '{"type":"result","usage":{"input_tokens":5,"output_tokens":1},"modelUsage":{"a":'
        '{"inputTokens":-4},"b":{"inputTokens":9}}}',
        '{"type":"turn.completed","usage":{"input_tokens":1e999,"output_tokens":1}}',
        "[" * 100_000,
        '{"type":"result","total_cost_usd":NaN,"usage":{"input_tokens":9,"output_tokens":1}}',
    ],
)
def test_what_cannot_be_believed_is_not_read(output: str) -> None:
    assert reported(output) is None
