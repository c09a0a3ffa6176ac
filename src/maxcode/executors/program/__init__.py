"""Judges C++ programs: builds, checks, times and profiles them."""
