"""resources: RUNTIME_ERROR | TIMEOUT | SUSPECT. Floods standard output, error and the channel."""

import os

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        while not HONEST:
            for number in (1, 2, 3):
                os.write(number, b"PASS" * (1 << 14))
        os.write(1, b"working\n")
        os.write(2, b"working\n")
        return self.work(x)
