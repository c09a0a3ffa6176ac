"""Gives memory again once its storage has no name any more."""

from work import KeptGradients


class ModelNew(KeptGradients):
    pass
