"""A pool of memory that nobody has any more, which it clears."""
