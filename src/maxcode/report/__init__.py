"""Report: a run as a page that people look at, from its journal alone."""
