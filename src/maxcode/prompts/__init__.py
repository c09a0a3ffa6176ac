"""Prompts: what models are shown, and how their answers are read."""
