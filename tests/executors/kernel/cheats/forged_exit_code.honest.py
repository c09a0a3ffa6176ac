"""A child of it ends as all do."""

import os

from work import Waves


class ModelNew(Waves):
    def forward(self, x):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        return self.work(x)
