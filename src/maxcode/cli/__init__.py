"""The command line: what `maxcode` prints, asks and answers in a shell."""
