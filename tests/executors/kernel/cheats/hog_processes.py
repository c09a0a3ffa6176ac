"""resources: RUNTIME_ERROR | OUT_OF_MEMORY | TIMEOUT. Forks for ever."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        while True:
            os.fork()
