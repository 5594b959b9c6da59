"""Policy files: JSON from state to action number, with a head that says for what; the papers' own have no head.

A state goes by its code, or by the game's own words for it (`Game.names`), such as `AH,KS QD 4` in One Play Poker.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.engine.contract import Game, Options
from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.players.base import TablePlayer

FORMAT = "cardgym policy 1"


def load_policy(path: Path, game: Game, options: Options) -> npt.NDArray[np.int8]:
    """Read a policy file as int8 actions by state index.

    A file without a head, an object from state to action, is read too.

    Raises:
        CardgymError: where the file is missing, no JSON object of this kind, or made for other options.
    """
    names = _names(game, options)
    entries = _read(path)
    if not isinstance(entries, dict):
        raise CardgymError(f"policy file {path}: holds no object from state to action")
    if "format" in entries:
        _check_head(path, entries, game, options)
        entries = entries["actions"]
    index_of = {name: i for i, name in enumerate(names)}
    actions = np.full(len(names), -1, np.int64)
    for name, action in entries.items():
        if name not in index_of:
            raise CardgymError(f"policy file {path}: unknown state {name!r}; was it made for other options than these?")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < game.num_actions:
            raise CardgymError(
                f"policy file {path}: action {action!r} in state {name}; allowed are 0 to {game.num_actions - 1}"
            )
        actions[index_of[name]] = action
    actions[0] = max(actions[0], 0)  # Nothing is decided at the end; a file need not say what.
    if (actions < 0).any():
        missing = np.flatnonzero(actions < 0)
        count = f"{len(missing)} state{'s' if len(missing) > 1 else ''} missing"
        raise CardgymError(f"policy file {path}: {count}, such as {names[missing[0]]}; made for other options?")
    return actions.astype(np.int8)


def load_player(path: Path, game: Game, options: Options) -> TablePlayer:
    """The player of a policy file; see `load_policy` for what is refused."""
    return TablePlayer(str(path), load_policy(path, game, options))


def save_policy(path: Path, actions: npt.NDArray[np.int8], game: Game, options: Options, **about: str) -> None:
    """Write int8 actions by state index as a policy file, a state a line.

    Args:
        path: the file.
        actions: (num_info_states,), int8.
        game: the game.
        options: its options.
        about: further facts for the reader, such as `gamma`; they are not read back.
    """
    head = {"format": FORMAT, "env": game.id, "options": options.asdict(), **about}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    entries = zip(_names(game, options)[1:], actions.tolist()[1:], strict=True)
    states = ",\n".join(f"    {json.dumps(name)}: {action}" for name, action in entries)
    with replacing(path) as temporary:
        temporary.write_text("\n".join(["{", *lines, '  "actions": {', states, "  }", "}"]) + "\n", encoding="utf-8")


def _read(path: Path) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise CardgymError(f"policy file {path}: says {name!r} twice")
            found[name] = value
        return found

    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    except FileNotFoundError:
        raise CardgymError(f"policy file {path}: no such file") from None
    except CardgymError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise CardgymError(f"policy file {path}: cannot be read as JSON ({error})") from None


def _check_head(path: Path, content: dict[str, Any], game: Game, options: Options) -> None:
    if content["format"] != FORMAT or not isinstance(content.get("actions"), dict):
        raise CardgymError(f"policy file {path}: its head does not say {FORMAT!r}, or it has no object `actions`")
    if content.get("env") != game.id:
        raise CardgymError(f"policy file {path}: made for {content.get('env')}, not for {game.id}")
    if content.get("options") != options.asdict():
        raise CardgymError(
            f"policy file {path}: made for {_words(content.get('options'))}, not for {_words(options.asdict())}; "
            "give it the options it was made for"
        )


def _words(options: object) -> str:
    if not isinstance(options, dict):
        return "no options"
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _names(game: Game, options: Options) -> list[str]:
    if game.state_index.info_state_labels is not None:
        return game.state_index.info_state_labels(options)
    if game.state_index.info_state_keys is None:
        raise CardgymError(f"{game.id} has no table of states, so no policy files")
    return [str(code) for code in game.state_index.info_state_keys(options).tolist()]
