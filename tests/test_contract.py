"""The contract suite over every registered game; a game registered later is tested by itself."""

from __future__ import annotations

import inspect
from pathlib import Path

import cardgym
from cardgym.testing import ContractSuite

OPEN_HANDED = {"OnePlayPoker-v0"}
"""Games that hide nothing that `resample` could draw anew."""

_seen: set[object] = set()
for _id in cardgym.registered():
    if not inspect.unwrap(cardgym.find(_id).rules.apply_action).__module__.startswith("cardgym."):
        continue  # A game of another test, tested there.
    _name = "Test" + "".join(part for part in _id if part.isalnum())
    globals()[_name] = type(
        _name,
        (ContractSuite,),
        {
            "game": _id,
            "golden": Path(__file__).parent / "golden",
            "hides": _id not in OPEN_HANDED,
            # One game under two ids: the rules are played through under the first.
            "cases": 3 if cardgym.find(_id).rules.apply_action in _seen else ContractSuite.cases,
            "examples": 3 if cardgym.find(_id).rules.apply_action in _seen else ContractSuite.examples,
            "__doc__": f"The contract of {_id}.",
            "__module__": __name__,
        },
    )
    _seen.add(cardgym.find(_id).rules.apply_action)
