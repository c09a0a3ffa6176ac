"""resources: TIMEOUT. Never ends."""

from work import HONEST, Waves


class ModelNew(Waves):
    def forward(self, x):
        while not HONEST:
            pass
        return self.work(x)
