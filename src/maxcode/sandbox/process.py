"""ProcessSandbox: limits of the operating system, and nothing more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maxcode.sandbox.base import Files, Limits
from maxcode.sandbox.guarded import GuardedSandbox
from maxcode.sandbox.launch import Surroundings


class ProcessSandbox(GuardedSandbox):
    """Runs a command in a session of its own with limits on time, memory, files and output.

    It keeps honest programs from doing harm by accident: the environment is nearly empty, no
    descriptor is inherited, and whatever it started is killed in the end. It hides neither files
    nor processes, does not bound the size of the private folder, counts processes only now and then
    (Linux would count the user's others too), which is too late for a fork bomb, and a program may
    kill its guard: it is no protection from hostile code.
    """

    isolated = False

    @contextmanager
    def surroundings(
        self,
        limits: Limits,  # noqa: ARG002 - the warden's business
        files: Files,  # noqa: ARG002 - all are seen anyway
    ) -> Iterator[Surroundings]:
        """A private folder; see :meth:`GuardedSandbox.surroundings`."""
        with tempfile.TemporaryDirectory(prefix="maxcode-") as private:
            # of a compiler that is killed, temporary files stay behind
            yield Surroundings(folder=Path(private), environment={"TMPDIR": private})
