"""TransformersGenerator: asks a model on this machine."""

from __future__ import annotations

from typing import Any

from maxcode.generators.llm import ModelGenerator
from maxcode.models.transformers import TransformersModel
from maxcode.prompts.prompts import Prompts


class TransformersGenerator(ModelGenerator):
    """Asks a model on this machine.

    ``options`` are those of :class:`~maxcode.models.transformers.TransformersModel`, and so are
    the errors.
    """

    def __init__(self, path: str, *, prompts: Prompts | None = None, **options: Any) -> None:
        super().__init__(TransformersModel(path, **options), prompts)
