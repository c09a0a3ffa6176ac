"""Reward-to-go models: their datasets, how they are trained, how they estimate, how good they are.

A model estimates the best reward that a search will reach through a candidate, so that a search can
choose which of its proposals to run. It learns from journals: :mod:`.decisions` reads what became
of candidates, :mod:`.building` makes a dataset of that.
"""
