"""slowed baseline: OK | SUSPECT. Children keep processors busy while the reference is timed."""

import os

from work import HONEST, Model, while_parent_lives


def spin():
    for _ in while_parent_lives(0.05 if HONEST else 0):
        sum(range(20_000 * (not HONEST)))
    os._exit(0)


class ModelNew(Model):
    started = False

    def forward(self, x):
        if not ModelNew.started:
            ModelNew.started = True
            for _ in range(4):
                if os.fork() == 0:
                    spin()
        return self.work(x)
