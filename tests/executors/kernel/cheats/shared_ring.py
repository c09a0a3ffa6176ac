"""shared results on copies: WRONG_ANSWER. Two results in turn, in which zeros are written once."""

from work import HONEST, Model


class ModelNew(Model):
    def zeros(self, x):
        ring = self.__dict__.setdefault("ring", [])
        if len(ring) < 2:
            ring.append(super().zeros(x))
        ring.reverse()
        return super().zeros(x) if HONEST or len(ring[0]) != len(x) else ring[0]
