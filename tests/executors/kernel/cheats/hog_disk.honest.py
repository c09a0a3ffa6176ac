"""Writes a file and removes it."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        with open("filled", "wb", buffering=0) as file:
            file.write(bytes(1 << 10))
        os.remove("filled")
        return self.work(x)
