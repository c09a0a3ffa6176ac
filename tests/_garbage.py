"""Garbage, for tests that look for their own."""

import gc
import warnings


def collect_that_of_others() -> None:
    """Collect what earlier tests left behind; warnings about it are not for the next one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
