"""Keeps statistics of all calls, and counts them besides."""

from work import Norms

calls = [0]


class ModelNew(Norms):
    def update(self, x):
        calls[0] += 1
        self.mean.lerp_(x.mean(dim=0), 0.1)
        self.count += 1
