"""Looks at the name of whoever called it."""

import sys

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        assert sys._getframe(1).f_code.co_name
        return self.work(x)
