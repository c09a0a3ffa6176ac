"""The options with which a search runs only some of what is proposed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from maxcode.cli.compare_commands import Contended
from maxcode.cli.search_commands import Optimize
from maxcode.errors import InputError
from maxcode.options import Options


@dataclass(frozen=True)
class Ranking:
    """How many of the proposed candidates are run, as the user said it; None is the default."""

    propose: int | None = None
    run: int | None = None
    explore: float | None = None
    guard: bool | None = None

    @classmethod
    def of(cls, request: Optimize | Contended, *, models: bool) -> Ranking:
        """As asked for. Raises :class:`InputError` when there is nobody who ranks."""
        given = cls(request.propose, request.run, request.explore, request.rtg_guard or None)
        flags = {
            "--propose": given.propose,
            "--run": given.run,
            "--explore": given.explore,
            "--rtg-guard": given.guard,
        }
        named = [flag for flag, value in flags.items() if value is not None]
        if named and not models:
            raise InputError(
                f"{named[0]} goes with a reward-to-go model; name one with --reward-to-go, "
                "or leave it out"
            )
        return given

    def applied(self, options: Options) -> Options:
        """The options with these in their places. Raises :class:`InputError`."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return replace(options, **given)
