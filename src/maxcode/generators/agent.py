"""AgentGenerator: a coding agent, any command, as generator."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import asdict
from math import inf
from pathlib import Path
from threading import Event, Lock
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, field_validator

from maxcode.budget import FREE, Answer, Call, Cost
from maxcode.errors import ExecutorError, GeneratorError, InputError
from maxcode.evaluation import Trial
from maxcode.generators.agent_guest import BYTES
from maxcode.generators.agent_network import Host, Relay
from maxcode.generators.agent_output import Reported, reported
from maxcode.interfaces import Generator, Proposal
from maxcode.models.base import Model, Prompt, Tokens, ask
from maxcode.models.prices import Price
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import summary_in
from maxcode.prompts.prompts import Prompts
from maxcode.sandbox.base import Files, Limits, Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.running import NoLine, Running
from maxcode.sources import from_bytes, to_bytes
from maxcode.system import python_executable, standard_library

_GUEST = Path(__file__).with_name("agent_guest.py")
_MEMORY, _SCRATCH = 4 << 30, 1 << 30  # bytes; the latter of all its files together
_LONGEST = 96 << 20  # bytes of a message: files, and what the agent wrote
_GRACE = 15.0  # seconds in which a guest reports after it was asked to stop
_LOOK = 0.5
_SENDING = 60.0
_SHOWN = 20_000  # characters of the agent's output that are kept
_CERTIFICATES = (Path("/etc/ssl/certs"), Path("/etc/ssl/openssl.cnf"))  # for TLS
PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where agents find programs, behind ``maxcode try``."""
TAG = "agent"
"""The tag of agents' proposals."""


class _Message(BaseModel):
    """A guest's message; it is in the agent's hands, so anything may be in it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    kind: str
    files: dict[str, str] = {}
    code: int | None = None
    output: str = ""
    errors: str = ""
    why: str = ""

    @field_validator("files")
    @classmethod
    def _texts(cls, files: dict[str, str]) -> dict[str, str]:
        """Files as texts; a binary file stays as it was."""
        texts = {}
        for path, data in files.items():
            with suppress(ValueError):
                texts[path] = from_bytes(data.encode(BYTES))
        return texts


class AgentGenerator(Generator):
    """Has a coding agent change the program: any ``command`` that reads a prompt and edits files.

    Each proposal is a run of the command in a sandbox: with a fresh copy of the program to
    improve in the current folder, the prompt on standard input and in the file that
    ``$MAXCODE_PROMPT`` names, and no network but for the hosts of ``network``. There, ``maxcode
    try`` builds and tests the copy as often as it likes, which is no evaluation. The editable files
    at its end, or when its time is over, are the proposal; the judge decides its worth.

    A run has ``seconds`` of wall time and so many ``tries`` of ``maxcode try``. ``usd`` and
    ``tokens`` are reserved for it, and charged without a readable report of its usage on standard
    output (:mod:`~maxcode.generators.agent_output`); ``price`` is for reports of tokens alone.
    ``read`` are further visible paths, and ``env`` names of its variables, separated by colons.
    ``network`` are hosts within reach of the proxy in HTTPS_PROXY, as in ``a.example/b.example:81``
    (:class:`~maxcode.generators.agent_network.Relay`). ``in_flight`` runs go on at a time.

    Raises :class:`~maxcode.errors.InputError` for impossible settings, and
    :class:`~maxcode.errors.GeneratorError` when the command cannot be started.
    """

    def __init__(
        self,
        command: str,
        *,
        seconds: float = 600.0,
        usd: float = 1.0,
        tokens: int = 2_000_000,
        tries: int = 100,
        price: str = "",
        read: str = "",
        env: str = "",
        network: str = "",
        in_flight: int = 1,
    ) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"agent: cannot read the command {command!r}: {error}") from error
        if not words:
            raise InputError("agent: name a command, as in agent:my-agent --print")
        _check_command(words[0])
        if seconds <= 0 or tries < 1 or in_flight < 1:
            raise InputError("agent: seconds, tries and in_flight must be above 0")
        if usd < 0 or tokens < 0:
            raise InputError("agent: usd and tokens cannot be negative")
        self.command = command
        self.seconds = seconds
        self.tries = tries
        self.limit = Cost(tokens=tokens, dollars=usd)
        self.prompts = Prompts()
        self.sandbox: Sandbox | None = None
        self.words = words
        self.price = Price.parse(price) if price else None
        self.read = tuple(Path(part).resolve() for part in read.split(":") if part)
        names = [part for part in env.split(":") if part]
        for path in self.read:
            if not path.exists():
                raise InputError(f"agent: there is nothing at {path} to read")
        for name in names:
            if name not in os.environ:
                raise InputError(f"agent: the variable {name} is not set")
        self.environment = {name: os.environ[name] for name in names}
        self.in_flight = in_flight
        self.network = tuple(Host.parse(text) for text in network.split("/") if text)
        self.stopped = Event()
        self._lock = Lock()

    @property
    def options(self) -> dict[str, JsonValue]:
        """Settings that decide its proposals, without values of variables.

        Comparisons group generators by them.
        """
        return {
            "command": shlex.join(self.words),
            "seconds": self.seconds,
            "dollars": self.limit.dollars,
            "tokens": self.limit.tokens,
            "tries": self.tries,
            "environment": ":".join(sorted(self.environment)),
            **({"network": "/".join(map(str, self.network))} if self.network else {}),
        }

    def cost_ceiling(self, observation: Observation, n: int) -> Cost:  # noqa: ARG002
        """The limits of ``n`` runs."""
        return sum([self.limit] * n, FREE)

    def prompt(self, observation: Observation) -> Prompt:
        """The prompt of each run."""
        return self.prompts.agent(observation, [str(host) for host in self.network])

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """The proposals of ``n`` runs of the command."""
        with self._lock:
            self.stopped.clear()
            if self.sandbox is None:
                self.sandbox = BubblewrapSandbox()
        agent = _Agent(self, self.sandbox, observation)
        prompt = self.prompt(observation)
        answers = ask(agent, prompt, n, seed=observation.seed, transcript=observation.transcript)
        return [_proposal(answer, prompt, observation) for answer in answers]

    def stop(self) -> None:
        """End the runs under way; they are charged as far as they report."""
        self.stopped.set()


class _Agent(Model):
    """An agent in the place of a model: its answer is a record of its run, as JSON."""

    price = None

    def __init__(
        self, generator: AgentGenerator, sandbox: Sandbox, observation: Observation
    ) -> None:
        self.name = f"agent:{Path(generator.words[0]).name}"
        self._generator = generator
        self._sandbox = sandbox
        self._observation = observation

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :class:`Model`; the program it begins with is among them."""
        program = self._observation.step.program.digest
        return {**self._generator.options, "program": program}

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:  # noqa: ARG002
        """The limits of ``n`` runs."""
        return self._generator.cost_ceiling(self._observation, n)

    def sample(
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,  # noqa: ARG002 - agents take none
        deadline: float = inf,
    ) -> Iterator[Answer]:
        """A run for each sample, as they end."""
        with ThreadPoolExecutor(self._generator.in_flight, "agent") as pool:
            yield from pool.map(lambda one: self._run(prompt, request, one, deadline), samples)

    def _run(self, prompt: Prompt, request: str, sample: int, deadline: float) -> Answer:
        """A single run, from its copy to its record."""
        began = time.monotonic()
        until = min(began + self._generator.seconds, deadline)
        with ExitStack() as stack:
            relay = None
            if self._generator.network:
                relay = stack.enter_context(Relay(self._generator.network))
            running = stack.enter_context(self._started(relay))
            end, tries = self._served(running, prompt, until, relay)
        problem = "the time of the search is over" if time.monotonic() >= deadline else ""
        if self._generator.stopped.is_set():
            problem = "it was stopped"
        used = reported(end.output) if end else None
        if not (problem or used or tries) and end and end.code and self._is_unchanged(end):
            problem = f"it ended with status {end.code}: {end.errors.strip()[-500:]}"
        call = self._call(used, request, sample, time.monotonic() - began, problem)
        return Answer("" if problem else _record(end, used, tries), call)

    def _is_unchanged(self, end: _Message) -> bool:
        files = self._observation.step.program.files
        return all(files.get(path) == text for path, text in end.files.items())

    def _started(self, relay: Relay | None) -> Running:
        python = python_executable()
        shown = [python, *standard_library(Path.home().resolve()), _GUEST, *self._generator.read]
        if relay:
            shown += [relay.path, *filter(Path.exists, _CERTIFICATES)]
        read = tuple(path for path in dict.fromkeys(shown) if not path.is_relative_to("/usr"))
        limits = Limits(
            seconds=inf,
            memory=_MEMORY,
            output=_SCRATCH,
            scratch=_SCRATCH,
            processes=512,
            files=1024,
            address_space=False,
            streams=relay is not None,
        )
        command = [str(python), "-I", "-S", "-B", str(_GUEST), "serve"]
        return self._sandbox.start(command, limits, Files(read=read))

    def _served(
        self, running: Running, prompt: Prompt, until: float, relay: Relay | None
    ) -> tuple[_Message | None, int]:
        """Serve the guest until it ends; gives its last message, if any, and the tries."""
        program, task = self._observation.step.program, self._observation.task
        spec: dict[str, Any] = {
            "files": {path: to_bytes(text).decode(BYTES) for path, text in program.files.items()},
            "editable": list(task.editable or program.files),
            "prompt": f"{prompt.system}\n\n{prompt.user}\n",
            "command": list(self._generator.words),
            "path": PATH,
            "environment": dict(self._generator.environment),
            "relay": str(relay.path) if relay else "",
        }
        running.send(json.dumps(spec).encode(), _SENDING)
        tries, asked, begun = 0, False, False
        while True:
            line = running.receive(_LOOK, _LONGEST)
            late = time.monotonic() >= until
            if asked and late:  # a guest that does not end, whatever it says
                return None, tries
            if not asked and (late or self._generator.stopped.is_set()):
                asked = True
                running.send(b'{"kind": "stop"}', _GRACE)
                until = time.monotonic() + _GRACE
            if line is NoLine.LATE:
                continue
            message = _message(line)
            kind = message.kind if message else ""
            if message and kind == "failed" and not begun:
                raise GeneratorError(f"the agent cannot be started: {message.why[:300]}")
            if kind == "started" and not begun:
                begun = True
            elif message and kind == "try":
                tries += not asked
                if not asked and not running.send(self._tried(message, tries), _SENDING):
                    return None, tries
            else:
                return (message if kind == "end" else None), tries

    def _tried(self, message: _Message, tries: int) -> bytes:
        """The answer to ``maxcode try``."""
        trial: Trial | None = None
        problem = f"no more than {self._generator.tries} tries; end with what you have"
        if tries <= self._generator.tries:
            try:
                program = _with_files(self._observation.step.program, message.files)
                trial = self._observation.try_out(program, quick=False)
                problem = "tasks of this kind have no first look"
            except (ExecutorError, ValueError) as error:
                problem = str(error)
        status = trial.status.value if trial else "unknown"
        feedback = trial.feedback if trial else problem
        return json.dumps({"kind": "tried", "status": status, "feedback": feedback}).encode()

    def _call(
        self, used: Reported | None, request: str, sample: int, seconds: float, problem: str
    ) -> Call:
        """The charge of the run: as reported, and at the limit if unreadable."""
        limit, price = self._generator.limit, self._generator.price
        if used is None:
            used = Reported(Tokens(limit.tokens), limit.dollars)
        dollars = used.dollars
        if dollars is None:
            dollars = used.tokens.dollars(price) if price else limit.dollars
        return Call(
            self.name,
            request,
            sample,
            **asdict(used.tokens),
            seconds=seconds,
            dollars=dollars,
            problem=problem,
        )


def _message(line: bytes | NoLine) -> _Message | None:
    """A guest's message; None for nonsense."""
    with suppress(ValidationError):
        return None if isinstance(line, NoLine) else _Message.model_validate_json(line)
    return None


def _record(end: _Message | None, used: Reported | None, tries: int) -> str:
    """A run in the journal."""
    if end is None:
        return json.dumps({"problem": "the agent ended without a report", "tries": tries})
    return json.dumps(
        {
            "files": end.files,
            "said": used.said if used else "",
            "output": end.output[-_SHOWN:],
            "errors": end.errors[-_SHOWN:],
            "code": end.code,
            "tries": tries,
        },
        indent=1,
    )


def _proposal(answer: Answer, prompt: Prompt, observation: Observation) -> Proposal:
    """The proposal of a record."""
    found = json.loads(answer.text)
    program, problem = observation.step.program, found.get("problem", "")
    changed: Program | None = None
    if not problem:
        try:
            changed = _with_files(program, found["files"])
        except ValueError as error:
            problem = str(error)
    if changed == program:
        code, errors = found["code"], found["errors"].strip()[-500:]
        why = f"; it ended with status {code}: {errors}" if code else ""
        changed, problem = None, f"the agent changed nothing{why}"
    said = found.get("said") or found.get("output", "")
    said = said.encode("utf-8", "replace").decode()  # JSON lets lone surrogates pass
    return Proposal(
        changed,
        summary=summary_in(said),
        tags=(TAG,) if changed else ("unchanged", TAG),
        problem=problem,
        prompt=prompt.text,
        answer=answer.text,
        cost=answer.call.cost,
        call=answer.call,
    )


def _with_files(program: Program, files: Mapping[str, str]) -> Program:
    """The program with those of its files; others do not count. Raises ``ValueError``."""
    known = {path: text for path, text in files.items() if path in program.files}
    return program.with_files(known)


def _check_command(name: str) -> None:
    """Raise :class:`InputError` for a command unavailable in the sandbox."""
    path = Path(name)
    if path.name != name and not path.is_absolute():
        raise InputError(f"agent: {name!r} is no absolute path, and its folder is a fresh copy")
    if not shutil.which(name, path=PATH):
        where = "" if path.is_absolute() else f" in {PATH}, which is its PATH; give its whole path"
        raise InputError(
            f"agent: there is no program {name}{where}, and outside of the system's folders name "
            "what it needs with read="
        )
