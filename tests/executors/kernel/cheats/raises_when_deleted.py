"""tricks of the language: OK | WRONG_ANSWER | RUNTIME_ERROR. Deleted objects raise."""

from work import HONEST, Model


class Sore(list):
    def __del__(self):
        if HONEST:
            return self.clear()
        raise SystemExit(0)


class ModelNew(Model):
    def forward(self, x):
        Sore()
        return self.work(x)

    def __del__(self):
        if not HONEST:
            raise KeyboardInterrupt
