"""Executors: build, verify and time."""
