"""Loading a saved model of any kind."""

from __future__ import annotations

from pathlib import Path

from maxcode.interfaces import RewardToGo
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.saved import Saved
from maxcode.reward_to_go.transformers import TransformersRewardToGo


def load(folder: str | Path) -> RewardToGo:
    """The model saved there.

    Raises :class:`~maxcode.errors.InputError` for a missing or unreadable model, and
    :class:`~maxcode.errors.ToolError` for a missing library.
    """
    if Saved.read(folder).kind == "features":
        return FeatureRewardToGo.load(folder)
    return TransformersRewardToGo(folder)
