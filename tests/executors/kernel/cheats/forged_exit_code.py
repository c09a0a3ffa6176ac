"""forged results: RUNTIME_ERROR. Ends its process as if all were well."""

import os

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        child = os.fork() if HONEST else 0
        if child == 0:
            print("PASS", flush=True)  # noqa: T201
            os._exit(0)
        os.waitpid(child, 0)
        return self.work(x)
