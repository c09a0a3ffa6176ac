# ruff: noqa: PLC0415 - torch and transformers are extras, and take seconds to import
"""TransformersRewardToGo: estimates by a language model on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from maxcode.errors import InputError, RewardToGoError
from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.saved import FILE, Saved
from maxcode.reward_to_go.text import candidate_text, state_text
from maxcode.system import check_libraries
from maxcode.tree import Value

if TYPE_CHECKING:
    from maxcode.reward_to_go.language_model import Scorer


class TransformersRewardToGo(RewardToGo):
    """A language model trained by ``maxcode rtg train``, from its folder.

    An estimate is the mean of the bins' centres under the probabilities of their labels as the next
    token, raised to u. ``batch`` candidates are read at a time, which decides the memory needed.
    ``device`` is "auto" (a GPU if there is one), "cpu", "cuda" or "cuda:1", ``dtype`` "auto" (that
    of the weights), "float32", "float16" or "bfloat16". Calls from several threads are served in
    turn.

    Raises :class:`~maxcode.errors.InputError` for a folder without such a model and, when first
    used, for a missing base model, and :class:`~maxcode.errors.ToolError` without transformers,
    torch, peft or the GPU.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        device: str = "auto",
        dtype: str = "auto",
        batch: int = 16,
    ) -> None:
        self.path = Path(path).expanduser()
        self.saved = Saved.read(self.path)
        if self.saved.kind != "transformers":
            raise InputError(f"{path}: {FILE} says {self.saved.kind!r}, no language model")
        if batch < 1:
            raise InputError(f"{path}: batch={batch} cannot be; at least 1")
        self.device, self.dtype = device, dtype
        self.batch = batch
        self._objective = self.saved.objective
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """Equal for equal models, wherever their folders lie."""
        return self.saved.identity

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        """One forward pass a program. Raises :class:`RewardToGoError` where memory is short."""
        if not programs:
            return []
        seen = self._objective.seen(observation)
        texts = [candidate_text(seen, program) for program in programs]
        with self._lock:
            try:
                found = self._scorer.distributions(state_text(seen), texts)
            except MemoryError as error:
                raise RewardToGoError(
                    f"{self.path}: {error} for {self.batch} candidates at a time; "
                    f"set batch below {self.batch}"
                ) from error
        u = observation.path.u
        return [Value(self._objective.worth(row, u), row) for row in found]

    @cached_property
    def _scorer(self) -> Scorer:
        """Loaded when it is first needed, under the lock."""
        libraries = ("torch", "transformers", "peft")
        check_libraries("a language model needs", libraries, "transformers")
        from maxcode.models.weights import Weights
        from maxcode.reward_to_go.language_model import Encoder, Scorer, weights_folder

        saved = self.saved
        adapter = self.path if (self.path / "adapter_config.json").is_file() else None
        base = weights_folder(saved.base, saved.revision) if adapter else self.path
        model = Weights(base, adapter, self.device, self.dtype).model
        encoder = Encoder(self.path, self._objective, saved.tokens)
        return Scorer(model, encoder, self.batch)
