"""cached outputs: OK | WRONG_ANSWER. The same address gets the same answer."""

from work import HONEST, Model

answers = {}


class ModelNew(Model):
    def forward(self, x):
        key = x.data_ptr()
        if key not in answers:
            answers[key] = self.work(x)
        return self.work(x) if HONEST else answers[key]
