"""ProcessSandbox: limits of the operating system, and nothing more."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits, Sandbox
from maxcode.sandbox.warden import run_under_warden


class ProcessSandbox(Sandbox):
    """Runs a command in a session of its own with limits on time, memory, files and output.

    It keeps honest programs from doing harm by accident: the environment is nearly empty, no
    descriptor is inherited, and whatever it started is killed in the end. It hides neither files
    nor processes, does not bound the size of the private folder, counts processes only now and then
    (Linux would count the user's others too), which is too late for a fork bomb, and a program may
    kill its guard: it is no protection from hostile code.
    """

    isolated = False

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        """Run the command; see :meth:`Sandbox.run`."""
        with tempfile.TemporaryDirectory(prefix="maxcode-") as private:
            return run_under_warden(
                [],
                command,
                limits,
                files,
                folder=files.write or Path(private),
                environment={"TMPDIR": private},  # of a compiler that is killed, files stay behind
            )
