"""Comparing methods: many searches at an equal budget, and what may be concluded from them."""
