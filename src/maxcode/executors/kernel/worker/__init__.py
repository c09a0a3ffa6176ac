"""The code that runs inside a worker: imports the standard library and torch only."""
