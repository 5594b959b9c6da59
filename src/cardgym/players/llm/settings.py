"""How a language model is asked: what its name says, and what holds for all models of a process."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from cardgym.errors import CardgymError, one_of, printable, unknown

PREFIX = "llm:"
"""What the names of language models begin with."""


@dataclass(frozen=True)
class Settings:
    """How a model is asked, as its name says: `llm:MODEL,rethinks=0,moves=hidden`.

    Attributes:
        model: the model's name at the endpoint.
        moves: whether the prompt lists the legal moves: `listed` or `hidden`.
        history: `narration`, all that the seat was told of the game and what it sees now; or `state`, only the latter.
        names: `own`, or `neutral`, which replaces the words that recall the game by those of `Words.neutral`.
        rethinks: how many times it is asked again, with the reason, after an answer that is no legal move.
        illegal: what happens then: `forfeit`, which loses the game, or `random`, a random legal move.
        temperature: the temperature of its sampling; the endpoint's default if None.
        max_tokens: the longest answer, in tokens; the endpoint's default if None.
        timeout: seconds until an answer must be complete.
        retries: how many times a request that fails or takes too long is repeated.
        at_once: the largest number of requests at the same time.
    """

    model: str
    moves: str = "listed"
    history: str = "narration"
    names: str = "own"
    rethinks: int = 2
    illegal: str = "forfeit"
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 120.0
    retries: int = 4
    at_once: int = 32

    @classmethod
    def parse(cls, name: str) -> Settings:
        """Return the settings that a player's name has.

        Raises:
            CardgymError: for an unknown key or a value that is not allowed.
        """
        model, *parts = name.removeprefix(PREFIX).split(",")
        if not model.strip():
            raise CardgymError(f"player {printable(name)}: name a model, such as {PREFIX}gpt-oss-20b")
        keys = {spec.name: str(spec.type) for spec in dataclasses.fields(cls) if spec.name != "model"}
        values: dict[str, str | int | float] = {}
        for part in parts:
            key, _, text = part.partition("=")
            if key not in keys:
                raise unknown(f"key of {PREFIX}{printable(model)}", key, keys)
            if key in values:
                raise CardgymError(f"player {printable(name)}: {key} is named twice; name it once")
            if key in _CHOICES:
                values[key] = one_of(key, text, _CHOICES[key])
            else:
                values[key] = _number(key, text, keys[key])
        return cls(model, **values)  # type: ignore[arg-type]  # Checked above, key by key.


_CHOICES = {
    "moves": ("listed", "hidden"),
    "history": ("narration", "state"),
    "names": ("own", "neutral"),
    "illegal": ("forfeit", "random"),
}


def _number(key: str, text: str, kind: str) -> int | float:
    whole = kind.startswith("int")
    pattern, allowed = (r"[0-9]{1,6}", "whole numbers") if whole else (r"[0-9]{1,6}(\.[0-9]+)?", "numbers")
    positive = key in ("at_once", "max_tokens", "timeout")
    if not re.fullmatch(pattern, text) or (positive and float(text) == 0):
        raise CardgymError(f"{key}={printable(text)}: allowed are {allowed} {'above' if positive else 'from'} 0")
    return int(text) if whole else float(text)


MAX_REQUESTS, TRANSCRIPTS = "CARDGYM_LLM_MAX_REQUESTS", "CARDGYM_LLM_TRANSCRIPTS"
"""Environment variables: the largest number of requests of this process (no limit), and the file of all requests and
answers (`runs/llm/MODEL.jsonl`). The flags `--max-requests` and `--transcripts` set them."""


def max_requests() -> int | None:
    """Return the largest number of requests of this process; None for no limit."""
    text = os.environ.get(MAX_REQUESTS, "")
    if text and not text.isdecimal():
        raise CardgymError(f"{MAX_REQUESTS}={printable(text)}: allowed are whole numbers from 0")
    return int(text) if text else None


@dataclass(frozen=True)
class Prompt:
    """The texts of a prompt file, with its version; the file's own comments say nothing to a model."""

    version: str
    parts: dict[str, Template]

    def fill(self, part: str, **values: str) -> str:
        """Return a part with its values."""
        return self.parts[part].substitute(values).strip()


@cache
def read_prompt() -> Prompt:
    """Return the prompt in `prompt.md`; its version is the file's number and a digest of its text."""
    text = Path(__file__).with_name("prompt.md").read_text(encoding="utf-8")
    head, *parts = re.split(r"^--- (\w+) ---\n", text, flags=re.MULTILINE)
    number = re.search(r"version: (\w+)", head)
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    templates = {name: Template(body) for name, body in zip(parts[::2], parts[1::2], strict=True)}
    return Prompt(f"{number[1] if number else 0} ({digest})", templates)
