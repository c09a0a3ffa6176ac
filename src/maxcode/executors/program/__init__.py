"""Judges programs: builds, checks, times and profiles them."""
