"""resources: RUNTIME_ERROR | TIMEOUT | SUSPECT. Floods standard output, error and the channel."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        while True:
            for number in (1, 2, 3):
                os.write(number, b"PASS" * (1 << 14))
