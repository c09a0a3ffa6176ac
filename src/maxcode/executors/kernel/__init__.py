"""Judging kernels: the processes that candidates and references run in, and talking with them."""
