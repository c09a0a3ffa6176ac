"""Search policies: which steps to grow from."""
