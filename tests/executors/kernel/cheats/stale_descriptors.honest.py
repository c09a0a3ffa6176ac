"""Counts its descriptors."""

import os

from work import Waves


def found():
    for number in range(64):
        try:
            yield os.fstat(number)
        except OSError:
            continue


class ModelNew(Waves):
    def forward(self, x):
        assert list(found())
        return self.work(x)
