"""Extensions: what candidates have built while they are loaded."""

from __future__ import annotations

import shutil
from itertools import count
from typing import Any

from maxcode.errors import InputError
from maxcode.executors.kernel.resources import described, uses
from maxcode.executors.kernel.workers import Worker
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_resources import KernelResources
from maxcode.toolchain.extension_sources import InlineSources

_MOST = 16  # extensions of one candidate


class Extensions:
    """Builds for one candidate, and remembers what went wrong.

    ``timeout`` in seconds, for each build, and twice as much for all; ``processors`` are those to
    build on (empty: any).
    """

    def __init__(
        self,
        builder: ExtensionBuilder,
        worker: Worker,
        timeout: float,
        processors: tuple[int, ...] = (),
    ) -> None:
        self._builder = builder
        self._worker = worker
        self._timeout = timeout
        self._processors = processors
        self._left = 2 * timeout
        self._numbers = count()
        self.errors = ""
        """What the first build that failed complained of, since :meth:`begin`."""
        self.timed_out = False
        self.compiled_only = False
        """Whether that extension was compiled, but cannot run here."""
        self.resources: list[KernelResources] = []
        """What the kernels of all that was compiled need of a device."""

    def begin(self) -> None:
        """Forget what went wrong."""
        self.errors, self.timed_out, self.compiled_only = "", False, False

    def build(self, arguments: Any) -> dict[str, Any]:
        """The answer to a candidate's call: where its library lies, or what is wrong."""
        try:
            sources = InlineSources.parse(arguments if isinstance(arguments, dict) else {})
        except InputError as error:
            return self._failed(str(error))
        number = next(self._numbers)
        if number >= _MOST or self._left <= 0:
            return self._failed(
                f"its extensions need more than may be built for one candidate: {_MOST} of them, "
                f"within {2 * self._timeout:g} s"
            )
        built = self._builder.build(sources, min(self._timeout, self._left), self._processors)
        self._left -= built.seconds
        self.resources += built.resources
        if built.library is None:
            if not self.errors:
                self.timed_out, self.compiled_only = built.timed_out, built.compiled_only
            needs = "; ".join(described(use) for use in uses(built.resources))
            return self._failed(built.errors + (f"; {needs}" if needs else ""))
        place = self._worker.folder / f"{number}" / built.library.name
        place.parent.mkdir()
        place.parent.chmod(0o755)
        shutil.copyfile(built.library, place)
        place.chmod(0o755)
        return {"library": str(place)}

    def _failed(self, errors: str) -> dict[str, Any]:
        self.errors = self.errors or errors
        return {"errors": errors[:20_000]}
