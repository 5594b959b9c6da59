"""What a saved player was made for, and whether it fits the game, options and observation it is loaded for."""

from __future__ import annotations

from typing import Annotated, Any

from cardgym.engine.contract import Game, Options
from cardgym.engine.declarations import PAYMENT_OPTION, options_that_count
from cardgym.errors import CardgymError, printable, quoted
from cardgym.files.documents import Document, Name, at_most
from cardgym.files.schema import Field

OptionValues = Annotated[dict[Name, int | Name], at_most(64)]
"""A game's options in a file, by name."""


class PlayerMetadata(Document):
    """What is saved with every player; see `checkpoint_metadata`."""

    env: Name
    """The game's id."""
    options: OptionValues
    """The options that count for players."""
    observation: Name
    """The name of the observation it reads."""
    features: Name = ""
    """The digest of the observation's features."""
    config: Annotated[dict[str, Any], at_most(1000)] = Field(default_factory=dict)
    """The hyper-parameters it was trained with, for people."""


def check_compatible(what: str, metadata: PlayerMetadata, game: Game, options: Options) -> None:
    """Check that a saved player, called `what` in the message, was made for this game, its options and features.

    Only the option `reward` may differ: it changes nothing that a player sees.
    """
    check_made_for(what, metadata.env, metadata.options, game, options)
    name = metadata.observation
    if name in game.observations and metadata.features == game.observation(name).digest(options):
        return
    raise CardgymError(f"{what}: observation {quoted(name)} of {game.id} has changed since; train it again")


def check_made_for(what: str, env: str, saved_options: OptionValues, game: Game, options: Options) -> None:
    """Like `check_compatible`, for the game and the options only."""
    if env != game.id:
        raise CardgymError(f"{what}: made for {printable(env, 60)}, not for {game.id}")
    wanted = options_that_count(options)
    unset = options_that_count(game.parse_options())  # For players that are older than an option.
    for name in sorted({*wanted, *saved_options} - {PAYMENT_OPTION}):
        if name not in wanted:
            raise CardgymError(f"{what}: made with the option {printable(name, 60)}, which {game.id} does not have")
        saved = saved_options.get(name, unset.get(name))
        if wanted[name] != saved:
            option, value = printable(name, 60), printable(str(saved), 60)
            raise CardgymError(
                f"{what}: made for {option}={value}, not {option}={wanted[name]}; "
                f"set {option}={value} or train one for these options"
            )
