"""AnthropicGenerator: asks Claude, through Anthropic's SDK."""

from __future__ import annotations

from typing import Any

from maxcode.generators.llm import ModelGenerator
from maxcode.models.anthropic import AnthropicModel
from maxcode.prompts.prompts import Prompts


class AnthropicGenerator(ModelGenerator):
    """Asks Claude, through Anthropic's SDK.

    ``options`` are those of :class:`~maxcode.models.anthropic.AnthropicModel`; so are the errors.
    """

    def __init__(self, model: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(AnthropicModel(model, **options), prompts)
