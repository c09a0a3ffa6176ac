"""OpenAIGenerator: asks OpenAI, or whatever speaks its chat completions."""

from __future__ import annotations

from typing import Any

from maxcode.generators.llm import ModelGenerator
from maxcode.models.openai import OpenAIModel
from maxcode.prompts.prompts import Prompts


class OpenAIGenerator(ModelGenerator):
    """Asks OpenAI, or whatever speaks its chat completions.

    ``options`` are those of :class:`~maxcode.models.openai.OpenAIModel`; so are the errors.
    """

    def __init__(self, model: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(OpenAIModel(model, **options), prompts)
