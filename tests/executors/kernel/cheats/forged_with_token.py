"""forged results: WRONG_ANSWER | SUSPECT. Answers at once with the right token, and works later."""

import os
import sys

from work import HONEST, Model

from maxcode.executors.kernel.worker.messages import Returned, encode


def caller(name):
    frame = sys._getframe(1)
    while name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


class ModelNew(Model):
    answered = None

    def forward(self, x):
        channel, arguments = caller("channel"), caller("arguments")
        if self.answered != channel._token and not HONEST:
            ModelNew.answered = channel._token
            os.write(3, encode(channel._token, answer=Returned()) + b"\n")
            channel.send = lambda *answer: None
        return self.work(*arguments)
