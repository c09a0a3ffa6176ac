"""Judges kernels: loads, checks, times and profiles them, in processes that share nothing."""
