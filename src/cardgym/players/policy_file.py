"""Policy files: a JSON object from state code to action number, as the papers' programs wrote them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cardgym.errors import CardgymError
from cardgym.files import replacing
from cardgym.rules import Game, Options


def load_policy(path: Path, game: Game, options: Options) -> npt.NDArray[np.int8]:
    """Read a policy file as int8 actions by state index.

    Raises:
        CardgymError: where the file is missing, no JSON object of this kind, or made for other options.
    """
    codes = _codes(game, options)
    try:
        entries = json.loads(path.read_text())
    except FileNotFoundError:
        raise CardgymError(f"policy file {path}: no such file") from None
    except (OSError, ValueError) as error:
        raise CardgymError(f"policy file {path}: cannot be read as JSON ({error})") from None
    if not isinstance(entries, dict):
        raise CardgymError(f"policy file {path}: holds no object from state code to action")
    index_of = {str(code): i for i, code in enumerate(codes.tolist())}
    actions = np.full(len(codes), -1, np.int64)
    for code, action in entries.items():
        if code not in index_of:
            raise CardgymError(f"policy file {path}: unknown state {code!r}; was it made for other options than these?")
        if isinstance(action, bool) or not isinstance(action, int) or not 0 <= action < game.num_actions:
            raise CardgymError(
                f"policy file {path}: action {action!r} in state {code}; allowed are 0 to {game.num_actions - 1}"
            )
        actions[index_of[code]] = action
    actions[0] = max(actions[0], 0)  # Nothing is decided at the end; a file need not say what.
    if (actions < 0).any():
        missing = np.flatnonzero(actions < 0)
        raise CardgymError(
            f"policy file {path}: {len(missing)} states missing, such as {codes[missing[0]]}; made for other options?"
        )
    return actions.astype(np.int8)


def save_policy(path: Path, actions: npt.NDArray[np.int8], game: Game, options: Options) -> None:
    """Write int8 actions by state index as a policy file."""
    codes = _codes(game, options)
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(dict(zip(map(str, codes.tolist()), actions.tolist(), strict=True))))


def _codes(game: Game, options: Options) -> npt.NDArray[np.int64]:
    if game.codes is None:
        raise CardgymError(f"{game.id} has no table of states, so no policy files")
    return game.codes(options)
