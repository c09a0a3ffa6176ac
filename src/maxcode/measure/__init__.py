"""Meters, and what their samples allow to be said."""
