"""Every argument of the public functions takes a value of a wrong kind as a value, or refuses it in one line."""

import dataclasses
import inspect
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardgym
from cardgym import CardgymError
from cardgym.arena import evaluate
from cardgym.arena.tournament import tournament
from cardgym.envs import EnvArguments
from cardgym.envs.aec import CardAECEnv
from cardgym.envs.single import CardEnv
from cardgym.envs.vector import CardVectorEnv, make_vector_env
from cardgym.interop.open_spiel import OpenSpielGame, open_spiel_tree
from cardgym.interop.sb3 import ArenaCallback, CardVecEnv, MaskableDQN, ModelPlayer, SelfPlayCallback
from cardgym.interop.sb3_player import load_player as load_model
from cardgym.interop.text_game import TextGame
from cardgym.interop.trl import CardGame
from cardgym.players import base, checkpoints, checks, mixture_file, mixtures, policy_file, resolver, tables
from cardgym.players.network_shapes import network_shape
from cardgym.players.networks import NetworkPlayer, QNetwork
from cardgym.players.policy_networks import PolicyNetwork, PolicyPlayer

GAME = "cardgym:KuhnPoker-v0"
FIND = cardgym.find(GAME)
OPTIONS = FIND.parse_options()
INDEXED = cardgym.find("OnePlayPoker-v0")


class Broken:
    """Raises an error whatever it is asked."""

    def _fail(self, *_: Any) -> Any:
        raise RuntimeError("broken")

    __repr__ = __index__ = __float__ = __len__ = __iter__ = __getitem__ = __eq__ = __bool__ = _fail
    __hash__ = object.__hash__


WRONG = {
    "None": None,
    "bool": True,
    "float": 1.5,
    "nan": float("nan"),
    "str": "x",
    "bytes": b"x",
    "nul": "\0",
    "list": [1],
    "nested": [[1], [2, 3]],
    "dict": {"x": 1},
    "empty": {},
    "array": np.zeros(2),
    "object": Broken(),
    "negative": -1,
    "huge": 10**40,
}

# -- calls that are right ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each kind of player."""
    folder = tmp_path_factory.mktemp("players")
    found = {name: folder / f"{name}{suffix}" for name, suffix in SUFFIXES.items()}
    checkpoints.save_checkpoint(found["network"], QNetwork(SHAPE), FIND, OPTIONS, FIND.default_observation)
    tables.save_q_table(found["table"], PAIRS, FIND, OPTIONS, FIND.default_observation)
    mixture_file.save_mixture(found["mixture"], {"random": 1.0}, FIND, OPTIONS)
    policy_file.save_policy(found["policy"], ACTIONS, INDEXED, INDEXED.parse_options())
    MaskableDQN("MlpPolicy", CardVecEnv(GAME), buffer_size=10).save(found["model"])
    return found


def started(env: Any) -> Any:
    env.reset(seed=1)
    return env


SUFFIXES = {"network": ".safetensors", "table": ".safetensors", "mixture": ".mixture.json", "policy": ".json",
            "model": ".zip"}  # fmt: skip
VALUES = np.array([[0.5, 0.5], [1.0, 0.0]])
MASKS = np.ones((2, 2), np.int8)
CHOSEN = np.array([0, 1])
FIRST = resolver.batched(lambda observations, masks: masks.argmax(axis=1), name="first")
PAIRS = tables.Pairs(np.zeros(1, np.uint64), np.zeros(1, np.int32), np.zeros(1))
SHAPE = network_shape(FIND, OPTIONS, FIND.default_observation, (4,), False)
COUNT_STATES = INDEXED.state_index.num_info_states
ACTIONS = np.zeros(COUNT_STATES(INDEXED.parse_options()) if COUNT_STATES else 1, np.int8)
WHICH: dict[str, Any] = {"game": FIND, "options": OPTIONS}
INDEXED_WHICH: dict[str, Any] = {"game": INDEXED, "options": INDEXED.parse_options()}
MATCH: dict[str, Any] = {"game": GAME, "options": None, "games": 2, "seed": 1}
SEEN: dict[str, Any] = {"observations": VALUES.astype(np.float32), "masks": MASKS}
NAME = FIND.default_observation
MIXED = CardVecEnv(GAME, opponent={"random": 1, "honest": 1})
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "find": (cardgym.find, {"name": GAME}),
    "register": (cardgym.register, {}),
    "CardEnv": (CardEnv, {"game": GAME}),
    "CardEnv.reset": (CardEnv(GAME).reset, {"seed": 1}),
    "CardEnv.step": (lambda action: started(CardEnv(GAME)).step(action), {"action": 0}),
    "CardEnv.player": (CardEnv(GAME).player, {"spec": "random"}),
    "CardEnv.text": (started(CardEnv(GAME, text=True)).text, {"seat": 0}),
    "CardVectorEnv": (CardVectorEnv, {"game": GAME, "num_envs": 2}),
    "CardVectorEnv.reset": (CardVectorEnv(GAME, 2).reset, {"seed": 1}),
    "CardVectorEnv.step": (lambda actions: started(CardVectorEnv(GAME, 2)).step(actions), {"actions": CHOSEN}),
    "CardVectorEnv.player": (CardVectorEnv(GAME, 2).player, {"spec": "random"}),
    "make_vector_env": (make_vector_env, {"game": GAME, "num_envs": 2}),
    "CardAECEnv": (CardAECEnv, {"game": GAME}),
    "CardAECEnv.reset": (CardAECEnv(GAME).reset, {"seed": 1}),
    "CardAECEnv.step": (lambda action: started(CardAECEnv(GAME)).step(action), {"action": 0}),
    "CardAECEnv.observe": (lambda agent: started(CardAECEnv(GAME)).observe(agent), {"agent": "player_0"}),
    "CardAECEnv.observation_space": (CardAECEnv(GAME).observation_space, {"agent": "player_0"}),
    "CardAECEnv.action_space": (CardAECEnv(GAME).action_space, {"agent": "player_0"}),
    "CardAECEnv.text": (started(CardAECEnv(GAME, text=True)).text, {"agent": "player_0"}),
    "CardAECEnv.player": (CardAECEnv(GAME).player, {"spec": "random"}),
    "evaluate": (evaluate, {**MATCH, "players": ["random"] * 2}),
    "tournament": (tournament, {**MATCH, "players": ["random", "honest"]}),
    "resolve": (resolver.resolve, {"spec": "random", **WHICH}),
    "resolve_all": (resolver.resolve_all, {"specs": ["random"] * 2, **WHICH}),
    "seated": (resolver.seated, {"players": "random", "seats": 1}),
    "player_names": (resolver.player_names, {"game": FIND}),
    "checkpoints": (resolver.checkpoints, WHICH),
    "load_tensors": (resolver.load_tensors, {"path": "table", **WHICH}),
    "batched": (resolver.batched, {"policy": FIRST, "name": "first", "observation_name": NAME}),
    "sample_actions": (base.sample_actions, {"probabilities": VALUES, "draws": np.array([0.1, 0.9])}),
    "best_actions": (base.best_actions, {"values": VALUES, "masks": MASKS}),
    "softmax": (base.softmax, {"values": VALUES, "masks": MASKS, "temperature": 1.0}),
    "one_hot": (base.one_hot, {"actions": CHOSEN, "masks": MASKS}),
    "are_legal": (checks.are_legal, {"actions": CHOSEN, "masks": MASKS}),
    "check_legal": (checks.check_legal, {"actions": CHOSEN, "masks": MASKS, "where": str}),
    "legal_actions": (base.legal_actions, {"player": FIRST, **SEEN}),
    "mixture": (mixtures.mixture, {"name": "both", "players": [FIRST], "weights": [1.0]}),
    "parse_weights": (mixtures.parse_weights, {"weights": {"random": 1.0}}),
    "save_mixture": (mixture_file.save_mixture, {"path": "mixture", "weights": {"random": 1.0}, **WHICH}),
    "read_mixture": (mixture_file.read_mixture, {"path": "mixture", **WHICH}),
    "save_policy": (policy_file.save_policy, {"path": "policy", "actions": ACTIONS, **INDEXED_WHICH}),
    "load_policy": (policy_file.load_policy, {"path": "policy", **INDEXED_WHICH}),
    "policy_file.load_player": (policy_file.load_player, {"path": "policy", **INDEXED_WHICH}),
    "save_checkpoint": (
        checkpoints.save_checkpoint,
        {"path": "network", "network": QNetwork(SHAPE), **WHICH, "observation_name": NAME},
    ),
    "load_checkpoint": (checkpoints.load_checkpoint, {"path": "network", **WHICH}),
    "checkpoints.load_player": (checkpoints.load_player, {"path": "network", **WHICH}),
    "save_q_table": (tables.save_q_table, {"path": "table", "pairs": PAIRS, **WHICH, "observation_name": NAME}),
    "tables.load_player": (tables.load_player, {"path": "table", **WHICH}),
    "sb3_player.load_player": (load_model, {"path": "model", **WHICH}),
    "network_shape": (
        network_shape,
        {**WHICH, "observation_name": NAME, "hidden_sizes": (4,), "dueling": False, "wide": False},
    ),
    "QNetwork": (QNetwork, {"shape": SHAPE}),
    "PolicyNetwork": (PolicyNetwork, {"shape": SHAPE}),
    "NetworkPlayer": (NetworkPlayer, {"name": "x", "network": QNetwork(SHAPE), "observation_name": NAME}),
    "PolicyPlayer": (PolicyPlayer, {"name": "x", "network": PolicyNetwork(SHAPE), "observation_name": NAME}),
    "ModelPlayer": (ModelPlayer, {"model": MaskableDQN("MlpPolicy", CardVecEnv(GAME), buffer_size=10), "name": "x"}),
    "CardVecEnv": (CardVecEnv, {"game": GAME}),
    "CardVecEnv.step_async": (CardVecEnv(GAME, 2).step_async, {"actions": CHOSEN}),
    "CardVecEnv.seed": (CardVecEnv(GAME, 2).seed, {}),
    "CardVecEnv.weigh_opponents": (MIXED.weigh_opponents, {"weights": {"random": 1, "honest": 2}}),
    "MaskableDQN": (MaskableDQN, {"policy": "MlpPolicy", "env": CardVecEnv(GAME), "buffer_size": 10}),
    "ArenaCallback": (ArenaCallback, {}),
    "SelfPlayCallback": (SelfPlayCallback, {}),
    "TextGame": (TextGame, {"env_id": GAME}),
    "TextGame.reset": (TextGame(GAME).reset, {}),
    "TextGame.play": (started(TextGame(GAME)).play, {"answer": "ANSWER: 0"}),
    "CardGame": (CardGame, {"env_id": GAME}),
    "CardGame.reset": (CardGame(GAME).reset, {}),
    "CardGame.play": (started(CardGame(GAME)).play, {"move": "0"}),
    "OpenSpielGame": (OpenSpielGame, {"game": GAME}),
    "OpenSpielGame.make_py_observer": (OpenSpielGame(GAME).make_py_observer, {}),
    "open_spiel_tree": (open_spiel_tree, {"game": "kuhn_poker"}),
}
"""Callables with arguments that are right; the name of a kind of file stands for its path."""

ANYWHERE = {
    "None": "obs render_mode progress payoff engine store kind max_episode_steps",
    "bool": "text programs may_forfeit samples dueling wide double by_tool",
    "str": "answer move",
    "list": "hidden_sizes",
    "float huge": "temperature",
    "None empty": "games_of parameters",
    "None dict empty": "config",
    " ".join(WRONG): "verbose",  # Stable-Baselines3's.
}
"""Kinds of `WRONG`, and the parameters that take them in every call."""
RESETS = ("CardEnv.reset", "CardVectorEnv.reset", "CardAECEnv.reset")
RIGHT = {
    **{(name, "seed"): "None" for name in (*RESETS, "CardVecEnv.seed", "TextGame.reset", "CardGame.reset")},
    **{(name, "options"): "None empty" for name in (*RESETS, "evaluate", "tournament", "OpenSpielGame")},
    **{(name, "name"): "str" for name in ("mixture", "NetworkPlayer", "PolicyPlayer", "ModelPlayer")},
    **{(name, "path"): "str" for name in ("save_mixture", "save_policy", "save_checkpoint", "save_q_table")},
    **{(name, "observation_name"): "None str" for name in ("batched", "NetworkPlayer", "PolicyPlayer")},
    **{(name, "action"): "negative huge" for name in ("CardEnv.step", "CardAECEnv.step")},  # Illegal actions.
    **{(name, "weights"): "dict" for name in ("parse_weights", "save_mixture")},
    ("mixture", "weights"): "list",
    ("CardVecEnv", "text"): "",  # It has no texts.
    ("CardEnv.text", "seat"): "None",
    ("ArenaCallback", "seat"): "negative",
    ("seated", "players"): " ".join({*WRONG} - {"nested"}),  # It leaves the check to `resolve`.
    ("checkpoints", "options"): "None",
    ("batched", "name"): "None str",
    ("sample_actions", "draws"): "array",
    ("legal_actions", "draws"): "None array",
}
"""Kinds that a parameter takes in one call or some."""

ENVS = ("CardEnv", "CardVectorEnv", "CardAECEnv", "CardVecEnv")


def parameters() -> Iterator[tuple[str, str]]:
    """Every parameter of `CALLS`, by inspection; the keyword arguments of envs and the options of the game included."""
    for name, (call, _) in CALLS.items():
        for parameter in inspect.signature(call).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD and name in ENVS:
                fields = (*dataclasses.fields(EnvArguments), *dataclasses.fields(FIND.options))
                yield from ((name, field.name) for field in fields)
            elif parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                yield name, parameter.name


@pytest.mark.parametrize(("name", "parameter"), list(parameters()), ids=str)
def test_a_wrong_value_is_refused_in_one_line(
    name: str, parameter: str, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # `x` is a path.
    call, given = CALLS[name]
    right = given | ({"path": files[given["path"]]} if "path" in given else {})
    call(**right) if right else None
    env = getattr(call, "__self__", None)
    anywhere = (kinds for kinds, names in ANYWHERE.items() if parameter in names.split())
    taken = RIGHT.get((name, parameter), next(anywhere, "")).split()
    taken += ["nul"] if "str" in taken and parameter != "path" else []
    for kind, value in WRONG.items():
        if kind in taken:
            call(**{**right, parameter: value})
            continue
        before = pickle.dumps(env) if isinstance(env, (CardEnv, CardVectorEnv, CardAECEnv)) else b""
        with pytest.raises(CardgymError):  # If nothing is raised, the value was accepted.
            call(**{**right, parameter: value})
        assert not before or pickle.dumps(env) == before, f"{kind}: the refused call changed the env"


def test_no_game_takes_the_id_of_another_environment_of_gymnasium() -> None:
    known = cardgym.registered()
    with pytest.raises(CardgymError, match="another environment of this id"):
        cardgym.register(dataclasses.replace(cardgym.find("KuhnPoker-v0"), id="CartPole-v1"))
    assert cardgym.registered() == known
