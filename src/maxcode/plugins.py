"""Plugins: who plays which role in a search, and who is to blame for what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from maxcode.cost import Cost
from maxcode.errors import PluginError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo


@dataclass(frozen=True)
class Plugins:
    """Who plays which role in a search."""

    generator: Generator
    executor: Executor
    critic: Critic | None = None
    reward_to_go: RewardToGo | None = None

    def stop(self) -> None:
        """Let all give up what is under way."""
        for plugin in (self.generator, self.critic, self.reward_to_go, self.executor):
            if plugin is not None:
                plugin.stop()

    def describe(self) -> dict[str, str]:
        """Class names by role, for the journal."""
        return {
            role: type(plugin).__name__ for role, plugin in vars(self).items() if plugin is not None
        }


def hold_to(ceiling: Cost, paid: Cost, error: type[PluginError]) -> None:
    """A budget holds only if nothing costs more than was reserved for it."""
    if paid.tokens > ceiling.tokens or paid.dollars > ceiling.dollars * (1 + 1e-9):
        raise error(
            f"cost_ceiling said at most {ceiling.tokens} tokens and {ceiling.dollars:g} dollars, "
            f"the bill is {paid.tokens} tokens and {paid.dollars:g} dollars; the answers are kept"
        )


@contextmanager
def blame(role: str, where: str) -> Iterator[None]:
    """Note on an exception which plug-in raised it, and in what."""
    try:
        yield
    except Exception as error:
        error.add_note(f"raised by the {role} in {where}")
        raise
