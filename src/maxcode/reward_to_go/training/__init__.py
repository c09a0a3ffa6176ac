"""Training a language model to name the bin of a candidate's reward-to-go."""
