"""Catches its own sys.exit."""

import sys

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        try:
            sys.exit(0)
        except SystemExit:
            return self.work(x)
