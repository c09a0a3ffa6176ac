"""``python -m tests.provider``: see ``--help``."""

from tests.provider.process import main

main()
