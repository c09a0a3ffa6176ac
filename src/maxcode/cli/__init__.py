"""The command line of `maxcode`."""
