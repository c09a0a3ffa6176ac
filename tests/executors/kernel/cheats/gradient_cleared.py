"""gradients that are kept on tokens, known limit: WRONG_ANSWER. A table cleared in places."""

from work import KeptGradients


class ModelNew(KeptGradients):
    def ready(self, memory, tokens):
        written = self.__dict__.setdefault("written", {})
        if memory.data_ptr() in written:
            memory[written[memory.data_ptr()]] = 0.0
        written[memory.data_ptr()] = tokens.clone()
