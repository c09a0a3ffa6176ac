"""Judges kernels: loads, checks, times and profiles them, in separate processes."""
