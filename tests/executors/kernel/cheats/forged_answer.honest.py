"""Looks at the descriptors that there are."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        os.fstat(3)
        return self.work(x)
