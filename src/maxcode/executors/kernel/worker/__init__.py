"""What runs inside a worker: the standard library and torch, nothing else of maxcode."""
