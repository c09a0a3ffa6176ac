"""Generators: propose rewrites of a program."""
