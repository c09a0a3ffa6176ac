"""Compilers."""
