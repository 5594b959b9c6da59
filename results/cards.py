"""The parts of model cards that are made from the agents' files and the results, after Hugging Face's template."""

from __future__ import annotations

import functools
import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from safetensors import safe_open

import cardgym
from cardgym.console.tables import markdown_table
from matches import ROOT, Measured, measured

LICENSE = "mit"
FIRST = {
    "coda/double_dqn": "022e571 of 2026-11-21",
    "coda/dqn": "26b3759 of 2026-11-21",
    "coda/official_double_dqn": "144f23c of 2026-11-23",
    "coda/official_ppo": "cef834f of 2026-11-24",
    "coda/ppo": "fab22df of 2026-11-22",
    "corellian_spike/double_dqn": "6f39018 of 2026-11-23",
    "corellian_spike/dqn": "6f39018 of 2026-11-23",
    "corellian_spike/ppo": "6f39018 of 2026-11-23",
    "corellian_spike/ppo_four_players": "754e855 of 2026-11-23",
    "corellian_spike/ppo_three_players": "6f39018 of 2026-11-23",
    "cribbage/distill": "4d6c59e of 2026-11-22",
    "cribbage/double_dqn": "9c37cd0 of 2026-11-21",
    "cribbage/gradient": "7a15ede of 2026-11-21",
}
"""The commits that first have the weights of today's files; no run kept its own commit, machine or versions."""
VERSIONS = "torch 2.13.0, NumPy 2.4.6 and Numba 0.68.1"
"""What `constraints.txt` names in each of the commits of `FIRST`."""


def card_of(group: str, agent: str) -> Path | None:
    """Find the card of an agent: seeds of one training share the card of the first."""
    path = ROOT / "checkpoints" / group / f"{re.sub(r'_seed[0-9]+$', '', agent)}.md"
    return path if path.exists() else None


@functools.cache
def _about(group: str, agent: str) -> dict[str, Any]:
    """Read what an agent's file says of its game, its network and its training."""
    with safe_open(str(ROOT / "checkpoints" / group / f"{agent}.safetensors"), "np") as file:
        about: dict[str, Any] = json.loads(file.metadata()["cardgym"])
    return about


def _matches(group: str, agent: str) -> list[Measured]:
    """List the matches in which an agent, or its greedy policy, plays first."""
    return [
        match for match in measured().values() if match.group == group and match.players[0].partition(":")[0] == agent
    ]


def header(group: str, agent: str) -> list[str]:
    """Make the YAML that a hub reads: the license, tags, and what the agent won."""
    results = []
    for match in _matches(group, agent):
        own, rivals = match.report.players[0], match.players[1:]
        unit = cardgym.find(match.env).unit
        won = "hands" if unit == "credits" else "games"
        metrics = [{"type": "win_rate", "name": f"share of {won} won", "value": round(own.win_rate or 0.0, 4)}]
        if unit != "reward":
            metrics.append({"type": "mean_reward", "name": f"{unit} a game", "value": round(own.mean_return or 0.0, 3)})
        against = f"{match.env}, {match.players[0]} against {', '.join(rivals)}, {match.games} games"
        results.append(
            {
                "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
                "dataset": {"type": match.env, "name": against},
                "metrics": metrics,
            }
        )
    env = _matches(group, agent)[0].env
    document = {
        "license": LICENSE,
        "library_name": "cardgym",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "gymnasium", "card-game", env],
        "model-index": [{"name": agent, "results": results}],
    }
    text: str = yaml.safe_dump(document, sort_keys=False, width=1000, default_flow_style=None)
    return text.splitlines()


def facts(group: str, agent: str) -> list[str]:
    """Make the table of a card and how to load the agent."""
    about, matches = _about(group, agent), _matches(group, agent)
    config, env, options = about["config"], matches[0].env, matches[0].options
    settings = "".join(f", {name}={value}" for name, value in options.items())
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(rival for match in matches for rival in match.players[1:]))
    places = sorted({(match.commit, match.machine) for match in matches})
    steps, games = config.get("total_steps"), config.get("total_games")
    rows = [
        ("game", f"`{env}`" + (f", {settings[2:]}" if settings else "")),
        ("license", "[MIT](../../LICENSE)"),
        ("use", f"an opponent and a baseline at `{env}` with these options"),
        ("limits", f"measured against {names}; what responders win from it is below"),
        ("trained against", ", ".join(f"`{one}`" for one in config.get("opponents") or ["self=1"])),
        ("training", f"seed {config['seed']}, " + (f"{steps:,} decisions" if steps else f"{games:,} games")),
        ("weights", f"first in commit {FIRST[f'{group}/{agent}']}, whose `constraints.txt` names {VERSIONS}"),
        ("measured with", "; ".join(f"commit {commit}, {machine}" for commit, machine in places)),
    ]
    if teacher := config.get("teacher"):
        rows.insert(5, ("imitates", f"`{teacher}`"))
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    make = f'env = gymnasium.make("cardgym:{env}", opponent="{agent}"{arguments})'
    choose = f'choose = env.unwrapped.player("{agent}")  # After a reset: `choose()` is its action.'
    return [*markdown_table(("", ""), rows), "", "```python", "import gymnasium", "", make, choose, "```"]


def links(group: str, own: str = "") -> list[str]:
    """Link the cards of a game's agents: from the card of one of them, `own`, or else from the game's page."""
    names = [path.stem for path in sorted(ROOT.glob(f"checkpoints/{group}/*.md")) if path.stem != own]
    folder = "" if own else f"../../../checkpoints/{group}/"
    found = ", ".join(f"[`{name}`]({folder}{name}.md)" for name in names)
    zoo = " [How strong](../../docs/strength/README.md) compares all agents."
    text = f"The game's other agents: {found}.{zoo}" if own else f"The cards of the trained agents: {found}."
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def agents() -> Iterator[tuple[Measured, str, Path]]:
    """List the matches of the agents that have a card, each with the algorithm in its title and the card."""
    for match in measured().values():
        card = card_of(match.group, match.players[0].partition(":")[0])
        name = match.players[0].partition(":")[0]
        if card and (ROOT / "checkpoints" / match.group / f"{name}.safetensors").exists():
            title = re.search(r"^# (?!<)(.*)", card.read_text(encoding="utf-8"), re.MULTILINE)
            assert title
            yield match, title[1].partition(" for ")[0], card
