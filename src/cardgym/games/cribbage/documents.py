"""The documents of cribbage's files of arrays; apart from their readers, as they load pydantic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cardgym.files.documents import Count, Document, Number


class ChancesDocument(Document):
    format: Literal["cardgym-cribbage-chances-1"]
    deals: Count
    """Deals that were sampled for it."""
    seed: Count
    crib: Number
    play: Number


class PeggingDocument(Document):
    format: Literal["cardgym-cribbage-pegging-1"]
    iterations: Count
    exploitability: Number
    num_choices: Annotated[int, Field(ge=0, le=10**9)]
    takers: Annotated[float, Field(ge=0, le=1)]
