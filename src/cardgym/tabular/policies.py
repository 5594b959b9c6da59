"""Policies over an enumerated game: from a player, a table, a network or a file, and back into a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.compilation import bind
from cardgym.errors import CardgymError, unknown
from cardgym.kernel import Batch
from cardgym.tabular.enumeration import Mdp
from cardgym.tabular.files import write_text
from cardgym.tabular.value_iteration import Policy

Actions = npt.NDArray[np.int64]
FORMAT = "cardgym policy 1"


# -- players, tables and networks -------------------------------------------------------------------------------------


def player_policy(mdp: Mdp, name: str) -> Policy:
    """The policy of a compiled player.

    Raises:
        CardgymError: for a name that is none, or a player that chooses at random otherwise than `random`.
    """
    if name == "random":
        return "random"
    if name not in mdp.game.players:
        raise unknown("player", name, ("random", *mdp.game.players))
    actions = np.empty(mdp.num_states, np.int64)
    generator = np.zeros(2, np.uint64)
    player = mdp.game.players[name]
    template = bind(_ask, f"{mdp.game.id}_{name}".replace("-", "_"), mdp.game.sources, legal=mdp.game.legal, player=player)
    template(np.asarray(mdp.states), mdp.game.num_actions, generator, actions)
    if generator[1]:
        raise CardgymError(f"player {name!r} chooses at random: its policy is no table of actions")
    return actions


def asked_policy(
    mdp: Mdp,
    ask: Callable[[npt.NDArray[np.float32], npt.NDArray[np.int8]], npt.NDArray[Any]],
    encoding: str | None = None,
) -> Policy:
    """The policy of whoever answers observations, such as a network.

    Args:
        mdp: the game.
        ask: from observations (num_states, size), float32, and masks (num_states, actions), int8, to actions
            (num_states,), whole numbers, or probabilities (num_states, actions).
        encoding: the observation asked with; the game's default unless named.
    """
    batch = Batch(mdp.game, mdp.options, mdp.num_states, encoding)
    batch.states[:] = mdp.states
    observations, masks, _ = batch.look(np.zeros(mdp.num_states, np.int64))
    return np.asarray(ask(observations, masks))


def table_policy(mdp: Mdp, table: npt.NDArray[np.int8]) -> Actions:
    """The policy of a table of actions over the game's `index`, such as tabular learners make."""
    return table[indices(mdp)].astype(np.int64)


def policy_table(mdp: Mdp, actions: Actions) -> npt.NDArray[np.int8]:
    """A policy as a table of actions over the game's `index`, int8, for the kernel to play."""
    places = indices(mdp)
    if mdp.game.num_indices is None:
        raise CardgymError(f"{mdp.game.id} numbers no states, so it has no tables")
    table = np.zeros(mdp.game.num_indices(mdp.options), np.int8)
    table[places] = actions
    return table


def indices(mdp: Mdp) -> npt.NDArray[np.int64]:
    """The game's own `index` of every state."""
    places = np.empty(mdp.num_states, np.int64)
    bind(_number, mdp.game.id.replace("-", "_"), mdp.game.sources, index=mdp.game.index)(
        np.asarray(mdp.states), places
    )
    return places


def reduced(mdp: Mdp, small: Mdp, policy: Policy) -> Policy | None:
    """A policy over the states up to symmetry, or None if it tells apart states that are alike.

    Args:
        mdp: the game, every state of it.
        small: the same up to symmetry.
        policy: a policy over the states of `mdp`.
    """
    if isinstance(policy, str):
        return policy
    places = small.find(mdp.states)
    few = np.zeros((small.num_states, *policy.shape[1:]), policy.dtype)
    few[places] = policy
    return few if np.array_equal(few[places], policy) else None


def _unbound(*_: Any) -> Any:
    raise NotImplementedError("a template is used through `bind`")


legal = player = index = _unbound


def _ask(states: Any, num_actions: int, generator: Any, actions: Any) -> None:
    mask = np.empty(num_actions, np.int8)
    for i in range(states.shape[0]):
        legal(states[i], mask)
        actions[i] = player(states[i], 0, mask, generator)


def _number(states: Any, places: Any) -> None:
    for i in range(states.shape[0]):
        places[i] = index(states[i], 0)


# -- files ------------------------------------------------------------------------------------------------------------


def save_policy(path: Path | str, mdp: Mdp, actions: Actions, **about: str) -> Path:
    """Write a policy as a text file, JSON: the env, its options, and the action in every state, one a line.

    Args:
        path: the file.
        mdp: the game.
        actions: (num_states,), the action in each state.
        about: further facts for the reader, such as `gamma`; not read back.
    """
    head = {"format": FORMAT, "env": mdp.game.id, "options": mdp.options.asdict(), **about}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    states = [f"    {json.dumps(text)}: {action}" for text, action in zip(_texts(mdp), actions.tolist(), strict=True)]
    return write_text(path, "\n".join(["{", *lines, '  "actions": {', ",\n".join(states), "  }", "}"]) + "\n")


def load_policy(path: Path | str, mdp: Mdp) -> Actions:
    """The actions of a policy file in the states of a game.

    Raises:
        CardgymError: for a file that cannot be read, is no policy, is for another env or other options, lacks a state,
            or has one too many or an action that is not legal.
    """
    content = _read(Path(path))
    env = mdp.game.id
    if content.get("env") != env:
        raise CardgymError(f"policy file {path} is for {content.get('env')}, not for {env}")
    if content.get("options") != mdp.options.asdict():
        raise CardgymError(
            f"policy file {path} is for {_settings(content.get('options'))}, not for {_settings(mdp.options.asdict())}: "
            f"give these options, or make a policy for them with `cardgym solve {env} --out FILE`"
        )
    texts = _texts(mdp)
    actions = content.get("actions")
    if not isinstance(actions, dict):
        raise CardgymError(f"policy file {path} has no actions: make one with `cardgym solve {env} --out FILE`")
    missing = [text for text in texts if text not in actions]
    if missing:
        raise CardgymError(
            f"policy file {path} lacks {len(missing):,} of {len(texts):,} states, the first {missing[0]!r}: "
            f"make a whole one with `cardgym solve {env} --out FILE`"
        )
    if len(actions) > len(texts):
        known = set(texts)
        strange = next(text for text in actions if text not in known)
        raise CardgymError(f"policy file {path} has a state that the game has not: {strange!r}")
    found = np.empty(mdp.num_states, np.int64)
    for state, text in enumerate(texts):
        action = actions[text]
        allowed = mdp.moves[mdp.offsets[state] : mdp.offsets[state + 1]].tolist()
        if type(action) is not int or action not in allowed:
            words = ", ".join(map(str, allowed))
            raise CardgymError(f"policy file {path}, state {text!r}: action {action!r}; allowed are {words}")
        found[state] = action
    return found


def _read(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise CardgymError(f"policy file {path} says {twice!r} twice")
        return found

    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=once)
    except OSError as error:
        raise CardgymError(f"cannot read policy file {path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise CardgymError(f"{path} is no policy file, or is cut short: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise CardgymError(f"{path} is no policy file: it must be a JSON object with format {FORMAT!r}")
    return content


def _texts(mdp: Mdp) -> list[str]:
    """Every state as the files write it."""
    write = mdp.game.state_text or (lambda state, seat: str(int(mdp.game.code(state, seat))))
    texts = [write(state, 0) for state in mdp.states]
    if len(set(texts)) < len(texts):
        raise CardgymError(f"{mdp.game.id} has no text or code that tells its states apart, so no policy files")
    return texts


def _settings(options: object) -> str:
    if not isinstance(options, dict):
        return "no options"
    return ", ".join(f"{name}={value}" for name, value in options.items())
