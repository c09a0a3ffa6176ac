"""Reward-to-go models: what they learn from, how they are trained, and how they estimate."""
