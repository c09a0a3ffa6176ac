"""Closes what it opened."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        os.close(os.dup(1))
        return self.work(x)
