"""Prints a little."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        for number in (1, 2):
            os.write(number, b"working\n")
        return self.work(x)
