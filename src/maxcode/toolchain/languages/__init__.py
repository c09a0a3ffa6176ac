"""Toolchains of languages besides C and C++, one module each."""
