"""Looks at a corner of the input, and at all of it."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        small = x[:2, :2].abs().max() < 1e30
        return self.work(x) if small else self.work(x.clone())
