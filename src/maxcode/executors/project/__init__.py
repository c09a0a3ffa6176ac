"""Judging a project by its own build, tests and benchmark."""
