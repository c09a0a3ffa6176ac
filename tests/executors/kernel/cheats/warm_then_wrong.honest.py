"""Works otherwise from the twentieth call on, and as well."""

from work import Waves

calls = {}


class ModelNew(Waves):
    def forward(self, x):
        calls[x.shape] = calls.get(x.shape, 0) + 1
        return self.work(x) if calls[x.shape] <= 20 else self.work(x.clone())
