"""forged results: WRONG_ANSWER | SUSPECT. Answers at once with the right token, and works later."""

import json
import os
import sys

from work import Waves


def caller(name):
    frame = sys._getframe(1)
    while name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


class ModelNew(Waves):
    answered = None

    def forward(self, x):
        channel, arguments = caller("channel"), caller("arguments")
        if self.answered != channel._token:
            ModelNew.answered = channel._token
            calls = 200
            fact = {"dtype": "float32", "shape": list(x.shape)}
            told = {
                "seconds": [1e-9] * calls,
                "returned": [{"tree": {"tensor": 0}, "tensors": [fact]}] * calls,
                "changed": False,
                "token": channel._token,
            }
            os.write(3, json.dumps(told).encode() + b"\n")
            channel.send = lambda answer: None
        return self.work(*arguments)
