"""changed inputs: OK | WRONG_ANSWER. Changes its inputs, and the worker so that it does not see."""

from work import HONEST, Model

from maxcode.executors.kernel.worker import device_calls

if not HONEST:
    device_calls.Source.fetch = lambda *_: False


class ModelNew(Model):
    def forward(self, x):
        return self.work(x, drive=x.clone() if HONEST else x)
