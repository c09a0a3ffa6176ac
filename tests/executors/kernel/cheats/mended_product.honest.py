"""Computes it in each call."""

from work import Factors


class ModelNew(Factors):
    pass
