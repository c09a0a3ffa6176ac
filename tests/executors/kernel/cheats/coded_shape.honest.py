"""Knows one shape, and works for every other, too."""

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        return self.work(x.view(128, 256)) if x.shape == (128, 256) else self.work(x)
