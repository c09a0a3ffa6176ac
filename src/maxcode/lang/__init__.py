"""Source text: tokens, blocks, declarations and functions of C++, Python and other languages."""
