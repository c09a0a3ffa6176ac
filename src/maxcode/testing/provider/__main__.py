"""``python -m maxcode.testing.provider``: see ``--help``."""

from maxcode.testing.provider.process import main

main()
