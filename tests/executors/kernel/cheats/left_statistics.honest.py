"""Keeps the running statistics in a way of its own."""

from work import Norms


class ModelNew(Norms):
    def update(self, x):
        self.mean.mul_(0.9).add_(x.mean(dim=0) / 10)
        self.count.add_(1)
