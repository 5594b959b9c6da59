"""Who asks, by network address, and how often each client may do what others could suffer from."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict, deque

_MAX_CLIENTS = 10_000
"""How many clients a limit remembers; the one idle longest makes room."""


def client_at(address: str) -> str:
    """Name the client at an address. A household has a whole /64 of IPv6 addresses, which count as one client."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


class Limit:
    """Count what each client does, and say who has done it too often."""

    def __init__(self, most: int) -> None:
        """Allow each client to do it `most` times a minute."""
        self._most = most
        self._times: OrderedDict[str, deque[float]] = OrderedDict()  # The client that did it last at the end.

    def is_reached(self, client: str) -> bool:
        times = self._times.get(client, deque())
        return len(times) == self._most and time.monotonic() - times[0] < 60.0

    def count(self, client: str) -> None:
        """Note that a client has done it once more."""
        self._times.setdefault(client, deque(maxlen=self._most)).append(time.monotonic())
        self._times.move_to_end(client)
        if len(self._times) > _MAX_CLIENTS:
            self._times.popitem(last=False)
