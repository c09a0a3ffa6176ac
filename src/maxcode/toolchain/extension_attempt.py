"""Attempt: one extension, built the quickest way that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from maxcode.sandbox.base import Completed
from maxcode.toolchain.diagnostics import exhausted
from maxcode.toolchain.extension_headers import Kind
from maxcode.toolchain.extension_mending import mendable, of_bindings_only
from maxcode.toolchain.extension_sources import InlineSources
from maxcode.toolchain.extension_split import GETTER
from maxcode.toolchain.extension_units import ExtensionUnits, Unit, ways
from maxcode.toolchain.headers import Compiling


class Attempt:
    """One build, in at most ``how.timeout`` seconds for all that compilers do.

    Code and bindings are compiled apart first; where their types do not fit, as one unit. With
    other headers it is tried again only where those could mend what is wrong.
    """

    def __init__(
        self,
        units: ExtensionUnits,
        sources: InlineSources,
        source: Path,
        how: Compiling,
        *,
        links: bool,
    ) -> None:
        self._units = units
        self._sources = sources
        self._source = source
        self._how = how
        self._links = links
        self._done: dict[Unit, Completed] = {}
        self.seconds = 0.0
        """What compilers and linkers took so far; those that run side by side count once."""

    def run(self) -> Completed:
        """How it ended, with the library as standard output, and what compilers said as error."""
        header: Kind | None = None
        for units in ways(self._sources):
            if header in (None, units[0].header):
                completed = self._try(units)
                header = self._remedy(units[0], completed)
                if header is None:
                    break
        return completed

    def _try(self, units: Sequence[Unit]) -> Completed:
        fresh = [unit for unit in units if unit not in self._done]
        made = self._units.compile(fresh, self._sources, self._source, self._left())
        self._done |= made
        self.seconds += max((one.wall for one in made.values()), default=0.0)
        results = [self._done[unit] for unit in units]
        said = b"".join(one.stderr for one in results)
        if failed := [unit for unit in units if not self._done[unit].ok]:
            own = [unit for unit in failed if unit.header != "bindings"] or failed
            return _telling([self._done[unit] for unit in own])
        if not self._links:
            return Completed(0, b"", said, 0.0, 0.0, 0)
        objects = {unit: self._done[unit].stdout for unit in units}
        linked = self._units.link(objects, self._sources, self._source, self._left())
        self.seconds += linked.wall
        return replace(linked, stderr=said + linked.stderr) if linked.ok else linked

    def _remedy(self, main: Unit, completed: Completed) -> Kind | None:
        """The header with which to try again; None if it was built, or nothing would help."""
        if completed.ok or completed.timed_out or exhausted(completed) or main.header == "whole":
            return None
        done = self._done.items()
        if not self._sources.includes_torch or any(
            unit.header is None and not one.ok for unit, one in done
        ):
            return None
        compiled = self._done[main]
        said = compiled.stderr.decode("utf-8", "replace")
        if main.header == "code":
            unbound = any(unit.header == "bindings" and not one.ok for unit, one in done)
            if compiled.ok and (unbound or GETTER.encode() in completed.stderr):
                return "slim"
            if not compiled.ok and of_bindings_only(said):
                return "slim"
        known = partial(self._units.headers.words, self._left())
        return "whole" if not compiled.ok and mendable(said, self._sources, known) else None

    def _left(self) -> Compiling:
        return replace(self._how, timeout=max(0.1, self._how.timeout - self.seconds))


def _telling(failed: Sequence[Completed]) -> Completed:
    """Of units that failed, those that say what is wrong with them, as one."""
    telling = [one for one in failed if not one.timed_out and not exhausted(one)] or failed
    return replace(telling[0], stderr=b"".join(one.stderr for one in telling))
