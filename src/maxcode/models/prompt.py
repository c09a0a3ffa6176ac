"""Prompt: what a model is shown, in a form that providers can cache."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt and one message of the user, in parts.

    Providers keep the beginning of a request and charge less for it when it comes again. So what
    stays is at the front: the ``system`` prompt, then all ``parts`` but the last, each of which
    ends where a later prompt may go on differently (the task; one part for each attempt). The last
    part is what is asked now. ``dropped`` are the ids of steps that did not fit in.
    """

    system: str
    parts: tuple[str, ...]
    dropped: tuple[int, ...] = ()

    @property
    def user(self) -> str:
        """The user's message in one piece."""
        return "\n\n".join(self.parts)

    @property
    def text(self) -> str:
        """All of it for people, as it is kept in the journal."""
        return f"[system]\n{self.system}\n\n[user]\n{self.user}"

    @property
    def size(self) -> int:
        """Bytes in UTF-8."""
        return sum(len(part.encode()) for part in (self.system, *self.parts))
