"""A language model's provider on loopback, for tests, benchmarks and notebooks.

::

    with LoopbackProvider(answer=lambda request: "int main() {}") as provider:
        client = anthropic.Anthropic(base_url=provider.anthropic_url, api_key="any")

It counts tokens, keeps a bill, models prompt caching and goes wrong on schedule.
"""

from tests.provider.bill import Charge
from tests.provider.exchange import Answer, echo
from tests.provider.faults import Fault, Faults, mixed_faults
from tests.provider.messages import (
    Block,
    ProviderError,
    Reply,
    Request,
    count_tokens,
)
from tests.provider.server import LoopbackProvider

__all__ = [
    "Answer",
    "Block",
    "Charge",
    "Fault",
    "Faults",
    "LoopbackProvider",
    "ProviderError",
    "Reply",
    "Request",
    "count_tokens",
    "echo",
    "mixed_faults",
]
