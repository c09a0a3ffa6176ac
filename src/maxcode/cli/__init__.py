"""The command line. Wrong input raises :class:`~maxcode.errors.InputError`, which main reports."""
