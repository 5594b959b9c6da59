"""trl, in its own environment: `make test-interop`."""

from __future__ import annotations

import inspect
import re
from functools import partial
from typing import Any

import pages
import pytest
import scripted

from cardgym.interop.trl import CardGame

pytest.importorskip("trl")
factory = partial(CardGame, scripted.ENV, opponent="equilibrium")


def test_a_scripted_model_earns_by_calls_of_the_tool_what_it_earns_by_numbers() -> None:
    game, earned = factory(), []
    for seed in range(scripted.GAMES):
        text = game.reset(seed=seed, prompt=[{"role": "user", "content": "Play."}])
        assert "Each player antes 1" in text
        told = text  # The card is told once.
        while "The game is over" not in text:
            text = game.play(scripted.move(told if told is text else f"{told}\n{text}"))
            told = f"{told}\n{text}" if "That is no move" not in text else told
        earned.append(game.get_reward())
    assert earned == scripted.returns()


def test_its_tool_has_the_schema_that_trl_shows_to_models() -> None:
    from transformers.utils import get_json_schema

    found = [name for name, _ in inspect.getmembers(CardGame, inspect.isfunction) if not name.startswith("_")]
    assert found == ["get_reward", "play", "reset"]  # trl offers all but two as tools.
    schema = get_json_schema(factory().play)["function"]
    assert schema["parameters"]["required"] == ["move"]
    assert schema["parameters"]["properties"]["move"]["description"] == "The ID of a legal move, or its words."


def test_the_page_names_what_trl_has() -> None:
    [block] = pages.blocks("language_models#trl")
    names: dict[str, Any] = {}
    exec("\n".join(line for line in block.splitlines() if line.startswith("from ")), names)
    accepted = inspect.signature(names["GRPOTrainer"]).parameters
    assert set(re.findall(r"^    (\w+)=", block, re.MULTILINE)) <= set(accepted)


def test_a_model_that_stops_calling_loses() -> None:
    game = factory()
    game.reset(seed=1)
    assert game.play("raise to 100").startswith("That is no move: 'raise to 100' names no move")
    assert game.get_reward() == -1.0
