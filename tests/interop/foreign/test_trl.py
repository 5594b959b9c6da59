"""trl, in its own environment: `make test-interop`."""

import inspect
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import scripted

import pages
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


def test_its_trainer_takes_two_steps_with_a_small_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights are random and made here; what the model says is scripted, in tokens of one byte."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import torch
    import transformers
    import trl
    from datasets import Dataset
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    signs = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokens: Any = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(signs)}, merges=[]))
    tokens.pre_tokenizer, tokens.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    tokens.add_special_tokens(special)
    tokenizer: Any = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token=special[0], eos_token=special[2]
    )
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text(encoding="utf-8")
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "head_dim": 16}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2}
    model: Any = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(vocab_size=len(tokenizer), **sizes, **heads))
    said: list[str] = []

    def generate(input_ids: Any, **_: Any) -> Any:
        for row in input_ids:
            last = tokenizer.decode(row).rsplit("<|im_start|>", 2)[-2]
            move = ("0", "1", "bet", "raise to 100")[len(said) % 4]
            call = f'<tool_call>\n{{"name": "play", "arguments": {{"move": "{move}"}}}}\n</tool_call>'
            said.append("Done." if "The game is over." in last else call)
        spoken = [f"{text}<|im_end|>" for text in said[-len(input_ids) :]]
        return torch.cat([input_ids, tokenizer(spoken, padding=True, return_tensors="pt").input_ids], dim=1)

    model.generate = generate
    before = [weights.detach().clone() for weights in model.parameters()]
    few = {"num_generations": 4, "per_device_train_batch_size": 4, "max_steps": 2, "logging_steps": 1}
    prompts = [[{"role": "user", "content": "Play this game.\n\n"}]] * 2
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        args=trl.GRPOConfig(str(tmp_path), max_completion_length=4000, use_cpu=True, report_to="none", **few),
        train_dataset=Dataset.from_dict({"prompt": prompts, "seed": [0, 1]}),
        environment_factory=factory,
    )
    trainer.train()
    steps = [line for line in trainer.state.log_history if "reward" in line]
    assert len(steps) == 2
    assert max(line["reward_std"] for line in steps) > 0
    assert all(line["tools/failure_frequency"] == 0 < line["tools/call_frequency"] for line in steps)
    assert not any(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
