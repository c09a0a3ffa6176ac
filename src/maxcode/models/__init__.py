"""Language models: what they are asked, what they answer, what that costs."""
