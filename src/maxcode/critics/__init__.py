"""Critics: say in words what holds a program back."""
