"""A search whose candidates come from outside, one at a time: from a coding agent."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from random import Random
from threading import Event as Flag
from threading import Thread

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.interfaces import Executor, Generator, Proposal, SearchPolicy
from maxcode.journal.events import Committed, Event, Fuzzed, Proposed, ReductionStarted
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.tree import Expansion, SearchTree, Step

TAG = "submitted"
"""The tag of submitted steps."""

_WAITING = "waiting for its turn"
_STAGES = {  # what goes on after an event
    Proposed: "building, testing and timing it",
    Committed: "comparing it with the best, if it looks faster",
    Fuzzed: "measuring the best side by side with the original",
    ReductionStarted: "reducing the best to the changes that its gain needs",
}


@dataclass(frozen=True, eq=False)
class Submission:
    """A program to judge as a child of the step ``parent``.

    ``done`` becomes its step once it was compared with the best, and the search waits for the next
    submission or has ended. Cancelled before its turn, it is never judged.
    """

    program: Program
    parent: int
    summary: str = ""
    done: Future[Step] = field(default_factory=Future)


class SubmittedSearch:
    """A search, new or continued, of submissions in the order of coming.

    It works in a thread of its own from :meth:`start` until :meth:`finish`, :meth:`close` or the
    end of its budget, whose seconds go on while nothing is submitted. Arguments and errors are
    those of :class:`~maxcode.search.search.Search`. Methods may be called from any thread.
    """

    def __init__(
        self,
        task: Task,
        executor: Executor,
        *,
        journal: Journal | RunLog | str | None = None,
        budget: Budget | None = None,
        options: Options | None = None,
    ) -> None:
        self.task = task
        self.executor = executor
        self._inbox: SimpleQueue[Submission | None] = SimpleQueue()  # None: nothing more comes
        self.under_way: Submission | None = None
        self._judged: Step | None = None  # the step of what is under way
        self._closing = False
        self._ready = Flag()
        self._over = Flag()
        self.problem = ""
        self.stage = _WAITING
        self.search = Search(
            task,
            generator=_Submitted(self),
            executor=executor,
            policy=_InTurn(self),
            budget=budget,
            journal=journal,
            options=options,
            observers=(self._note,),
        )
        self._thread = Thread(target=self._work, name="maxcode-submitted", daemon=True)

    @property
    def tree(self) -> SearchTree:
        """All steps so far; to be used after :meth:`wait_until_ready`."""
        return self.search.state.tree

    @property
    def over(self) -> bool:
        """Whether nothing more can be submitted."""
        return self._over.is_set()

    @property
    def reason(self) -> str:
        """Why it is over, in words; empty while it is not."""
        stopped = self.search.state.stopped
        return self.problem or (stopped.reason if stopped else "") if self.over else ""

    def start(self) -> None:
        """Begin, unless it has begun: the baseline is built, checked and timed."""
        if self._thread.ident is None:
            self._thread.start()

    def wait_until_ready(self) -> None:
        """Wait until the baseline is known. Raises :class:`InputError` if it failed."""
        self._ready.wait()
        if self.over and not self.search.state.has_tree:
            raise InputError(self.problem or "the search ended before it began")

    def submit(self, program: Program, parent: int, summary: str = "") -> Submission:
        """Have a program judged. Raises :class:`InputError` for a missing step.

        The submission's ``done`` has that error if the search ends before its turn.
        """
        if not 0 <= parent < len(self.tree):
            raise InputError(f"there is no step {parent}; steps are 0 to {len(self.tree) - 1}")
        submission = Submission(program, parent, summary)
        self._inbox.put(submission)
        if self.over:
            self._reject()
        return submission

    def finish(self) -> None:
        """End the search: the best is confirmed on fresh samples and reduced, as options say."""
        self._inbox.put(None)
        self._thread.join()

    def close(self) -> None:
        """Interrupt the search, and with it a submission being judged; the run can be continued."""
        if self._thread.is_alive():
            self._closing = True
            self._inbox.put(None)
            if self.under_way or not self._ready.is_set():
                self.executor.stop()
            self._thread.join()

    def _note(self, event: Event, _: RunState) -> None:
        self.stage = _STAGES.get(type(event), self.stage)

    def next_submission(self) -> Submission | None:
        """Wait for the next, which is then under way; None ends the search."""
        self._ready.set()
        self._reply()
        self.stage = _WAITING
        while True:
            submission = self._inbox.get()
            if submission is None and self._closing:
                raise KeyboardInterrupt
            if submission is None or submission.done.set_running_or_notify_cancel():
                self.under_way = submission
                return submission

    def _work(self) -> None:
        try:
            for step in self.search.steps():
                if self.under_way:  # the first is its own; it may be reduced to another
                    self._judged = self._judged or step
        except KeyboardInterrupt:
            self.problem = "it was interrupted"
        except Exception as error:  # noqa: BLE001 - reported to whoever submits
            self.problem = f"{type(error).__name__}: {error}"
        finally:
            self._over.set()
            self._ready.set()
            self._reply()
            self._reject()

    def _reply(self) -> None:
        """Give the waiting client the judged step in its present state."""
        if self.under_way and self._judged:
            self.under_way.done.set_result(self.tree[self._judged.id])
            self.under_way = self._judged = None

    def _reject(self) -> None:
        """Tell waiting clients about the end of judging."""
        waiting, self.under_way = [self.under_way], None
        while not self._inbox.empty():
            waiting.append(self._inbox.get())
        for one in filter(None, waiting):
            if one.done.running() or one.done.set_running_or_notify_cancel():
                one.done.set_exception(InputError(f"the search is over: {self.reason}"))


class _InTurn(SearchPolicy):
    """Asks for the next submission."""

    observe = Observe.nothing()
    end_reason = "the agent finished it"

    def __init__(self, submitted: SubmittedSearch) -> None:
        self._submitted = submitted

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:  # noqa: ARG002
        submission = self._submitted.next_submission()
        return [Expansion(submission.parent)] if submission else []


class _Submitted(Generator):
    """Proposes the submission under way; an expansion of an earlier process has none."""

    def __init__(self, submitted: SubmittedSearch) -> None:
        self._submitted = submitted

    def propose(self, observation: Observation, n: int) -> list[Proposal]:  # noqa: ARG002
        submission = self._submitted.under_way
        if submission is None:
            return []
        return [Proposal(submission.program, summary=submission.summary, tags=(TAG,))]
