"""Extensions: what candidates have built while they are loaded."""

from __future__ import annotations

import shutil
from itertools import count
from typing import Any

from maxcode.errors import InputError
from maxcode.executors.kernel.workers import Worker
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_sources import InlineSources


class Extensions:
    """Builds for one candidate, and remembers what went wrong.

    ``timeout`` in seconds, for each build; ``processors`` are those to build on (empty: any).
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
        self._numbers = count()
        self.errors = ""
        """What the first build that failed complained of."""
        self.timed_out = False
        self.compiled_only = ""
        """Why what was compiled could not be run here."""

    def build(self, arguments: Any) -> dict[str, Any]:
        """The answer to a candidate's call: where its library lies, or what is wrong."""
        try:
            sources = InlineSources.parse(arguments if isinstance(arguments, dict) else {})
        except InputError as error:
            return self._failed(str(error))
        built = self._builder.build(sources, self._timeout, self._processors)
        if built.compiled_only:
            self.compiled_only = self.compiled_only or built.errors
        if built.library is None:
            self.timed_out = self.timed_out or built.timed_out
            return self._failed(built.errors)
        place = self._worker.folder / f"{next(self._numbers)}" / built.library.name
        place.parent.mkdir()
        place.parent.chmod(0o755)
        shutil.copyfile(built.library, place)
        place.chmod(0o755)
        return {"library": str(place)}

    def _failed(self, errors: str) -> dict[str, Any]:
        self.errors = self.errors or errors
        return {"errors": errors[:20_000]}
