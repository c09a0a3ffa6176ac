"""Judges on the nodes of a Ray cluster, through any other executor."""
