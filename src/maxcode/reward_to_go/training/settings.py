"""How a language model is trained."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

TINY = "tiny"
"""A model made on the spot, for trials and machines without another."""

_RATES = {"adapter": 1e-4, "full": 2e-5, TINY: 1e-3}


class Settings(BaseModel):
    """Settings of a language model's training; the default for None depends on the model.

    ``model`` is a folder, a name on the Hugging Face hub, or ``tiny``. An adapter of this ``rank``
    is trained (LoRA, Hu et al., arXiv 2106.09685), or with ``full`` all weights.
    ``batch`` examples are read at a time on each device, and weights change after ``accumulate``
    batches.
    Held-out examples are ranked every ``evaluate_every`` steps (None: once an epoch), and training
    ends after ``patience`` rankings without improvement. ``context`` is an input's most tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=8, ge=1)
    accumulate: int = Field(default=1, ge=1)
    learning_rate: float | None = Field(default=None, gt=0)
    rank: int = Field(default=16, ge=1)
    full: bool = False
    context: int | None = Field(default=None, ge=1)
    evaluate_every: int | None = Field(default=None, ge=1)
    patience: int = Field(default=3, ge=1)
    seed: int = Field(default=0, ge=0)

    @property
    def adapter(self) -> bool:
        """Whether an adapter is trained, and the weights stay as they are."""
        return not (self.full or self.model == TINY)

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        kind = TINY if self.model == TINY else "adapter" if self.adapter else "full"
        return self.learning_rate or _RATES[kind]

    @property
    def tokens(self) -> int:
        """The most tokens of an input."""
        return self.context or (1024 if self.model == TINY else 4096)
