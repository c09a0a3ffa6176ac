"""Source text: syntax trees, functions and loops of C++, Python and other languages."""
