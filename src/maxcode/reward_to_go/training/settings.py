"""How a language model is trained."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Settings of a language model's training.

    ``model`` is a folder or a name on the Hugging Face hub. An adapter of this ``rank`` is trained
    (LoRA, Hu et al., arXiv 2106.09685), or with ``full`` all weights. ``batch`` rows are read at a
    time on each device, and weights change after ``accumulate`` batches. Held-out rows are ranked
    every ``evaluate_every`` steps (None: once an epoch), and training ends after ``patience``
    rankings without improvement. ``context`` is an input's most tokens.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=8, ge=1)
    accumulate: int = Field(default=1, ge=1)
    learning_rate: float | None = Field(default=None, gt=0)
    rank: int = Field(default=16, ge=1)
    full: bool = False
    context: int = Field(default=4096, ge=1)
    evaluate_every: int | None = Field(default=None, ge=1)
    patience: int = Field(default=3, ge=1)
    seed: int = Field(default=0, ge=0)

    @property
    def rate(self) -> float:
        """The highest learning rate: 1e-4 for an adapter, 2e-5 for all weights, unless given."""
        return self.learning_rate or (2e-5 if self.full else 1e-4)
