"""Settings: how a language model is trained."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

TINY = "tiny"
"""The model that is made on the spot, for machines without another and for trying things out."""

_RATES = {"adapter": 1e-4, "full": 2e-5, TINY: 1e-3}
_CONTEXTS = {TINY: 1024}


class Settings(BaseModel):
    """How a language model is trained; what is None depends on the model.

    ``model`` is a folder, a name on the Hugging Face hub, or ``tiny``. An adapter is trained (LoRA,
    Hu et al., arXiv 2106.09685: ``rank``, ``alpha``, ``dropout``), on weights in 4 bits with
    ``four_bit`` (QLoRA, Dettmers et al., arXiv 2305.14314), or with ``full`` all weights. With
    ``soft`` a target is shared out between neighbouring bins. ``batch`` examples are read at a time
    on each device, and weights change after ``accumulate`` of those. Held-out examples are ranked
    every ``evaluate_every`` steps (None: once an epoch), and training ends when ``patience`` of
    these in a row were no better than the best. ``context`` is the most tokens of an input.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    epochs: int = Field(default=3, ge=1)
    batch: int = Field(default=8, ge=1)
    accumulate: int = Field(default=1, ge=1)
    learning_rate: float | None = Field(default=None, gt=0)
    rank: int = Field(default=16, ge=1)
    alpha: int = Field(default=32, ge=1)
    dropout: float = Field(default=0.05, ge=0, lt=1)
    full: bool = False
    four_bit: bool = False
    soft: bool = False
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
        return self.context or _CONTEXTS.get(self.model, 4096)
