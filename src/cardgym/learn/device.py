"""Where a training's networks are."""

from __future__ import annotations

import torch

from cardgym.errors import CardgymError


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU if there is one.

    Raises:
        CardgymError: for `cuda` on a machine without a GPU.
    """
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise CardgymError("device 'cuda': this machine has no GPU that PyTorch can use; choose cpu or auto")
    return torch.device("cuda" if available and name in ("cuda", "auto") else "cpu")
