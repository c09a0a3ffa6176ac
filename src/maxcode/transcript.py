"""The transcript of a search: answers go to the run's journal, and come from there."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from maxcode.calls import Answer, Transcript
from maxcode.cost import FREE, Cost
from maxcode.events import Answered, Role, text_digest
from maxcode.open_expansion import OpenExpansion
from maxcode.recorder import Recorder


class RunTranscript(Transcript):
    """What was said for one expansion to one asker; ``step`` is what a critic is to diagnose.

    With ``reuse`` it finds what other runs in the same store paid for, too.
    """

    def __init__(
        self,
        record: Recorder,
        opened: OpenExpansion,
        role: Role,
        step: int | None = None,
        *,
        reuse: bool = False,
    ) -> None:
        self._record = record
        self._open = opened
        self._role: Role = role
        self._step = step
        self._reuse = reuse
        self._lock = Lock()
        self.lost: Cost = FREE
        """What was used in vain since this was made."""

    def find(self, request: str, sample: int) -> Answer | None:
        """The answer that this run paid for, or with ``reuse`` any other of the store."""
        log = self._record.state.log
        event = self._open.answers.get((self._role, self._step, request, sample))
        if event is not None:
            return Answer(log.text(event.text), event.call, event.stop)
        found = log.answer_of_any_run(request, sample) if self._reuse else None
        if found is None:
            return None
        answer, prompt = replace(found[0], call=replace(found[0].call, reused=True)), found[1]
        self.keep(answer, prompt)  # so that this run's journal is complete without the other's
        return answer

    def keep(self, answer: Answer, prompt: str) -> None:
        """Write it to the journal; durable, even through a power cut, when this returns."""
        event = Answered(
            number=self._open.number,
            role=self._role,
            step=self._step,
            prompt=text_digest(prompt),
            text=text_digest(answer.text),
            call=answer.call,
            stop=answer.stop,
        )
        if answer.call.problem:
            with self._lock:  # samples come back in several threads
                self.lost += answer.call.cost
        self._record(event, texts=[prompt, answer.text], sync=True)
