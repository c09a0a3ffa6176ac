"""tricks of the language: OK | WRONG_ANSWER | RUNTIME_ERROR. Deleted objects raise."""

from work import Waves


class Sore(list):
    def __del__(self):
        raise SystemExit(0)


class ModelNew(Waves):
    def forward(self, x):
        Sore()
        return self.work(x)

    def __del__(self):
        raise KeyboardInterrupt
