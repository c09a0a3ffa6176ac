"""Its objects tidy up when they are deleted."""

from work import Waves


class Tidy(list):
    def __del__(self):
        self.clear()


class ModelNew(Waves):
    def forward(self, x):
        Tidy()
        return self.work(x)
