"""resources: RUNTIME_ERROR | TIMEOUT | SUSPECT. Closes every descriptor that it has."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        os.closerange(0, 1024)
        return x
