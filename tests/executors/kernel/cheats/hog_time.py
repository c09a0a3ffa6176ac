"""resources: TIMEOUT. Never ends."""

from work import HONEST, Model


class ModelNew(Model):
    def forward(self, x):
        while not HONEST:
            pass
        return self.work(x)
