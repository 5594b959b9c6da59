"""Write a network as an ONNX file, for programs without cardgym or PyTorch.

The file reads observations and masks, and gives actions and the probabilities or values that they are chosen by.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardgym.cli.flags import add_game, game_of
from cardgym.console.arguments import Parser
from cardgym.errors import CardgymError, printable, reporting_missing
from cardgym.files import check_replaced


def add_arguments(parser: Parser) -> None:
    add_game(parser)
    parser.add_argument(
        "--player", required=True, metavar="PLAYER", help="a network: a name that comes with the game, or its path"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="the file to write, such as ppo.onnx")


def run(arguments: argparse.Namespace) -> None:
    from cardgym.players import resolve
    from cardgym.players.checkpoints import CheckpointPlayer
    from cardgym.players.onnx_file import save_onnx

    check_replaced(arguments.out, b"cardgym", "--out")
    game, options = game_of(arguments)
    player = resolve(arguments.player, game, options, programs=False)
    if not isinstance(player, CheckpointPlayer):
        name = printable(arguments.player)
        raise CardgymError(f"--player {name}: no network of cardgym, such as a training's model.safetensors")
    with reporting_missing("cardgym export"):
        save_onnx(player, arguments.out)
    observation = player.observation_name or game.default_observation
    print(f"{arguments.out}: {arguments.player} for {game.id}, from its observation {observation!r}")
