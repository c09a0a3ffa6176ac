"""Code inside a worker: imports the standard library and torch only."""
