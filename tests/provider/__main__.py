"""``python -m tests.provider LATENCY ANSWER_BYTES``."""

from tests.provider.process import main

main()
