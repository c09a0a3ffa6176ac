"""forged results: RUNTIME_ERROR. Leaves by sys.exit."""

import sys

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        sys.exit(0)
