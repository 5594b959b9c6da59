"""DQN and double DQN for any card game of cardgym, in one script.

Usage:
    python train/dqn.py --config configs/corellian_spike/double_dqn.toml [--seed 2] [--out FOLDER] [--resume] ...

`--help` lists every hyper-parameter; docs/algorithms/dqn.md says what was changed from the papers and why.
The two algorithms differ in one line of `update`.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import smooth_l1_loss
from torch.nn.utils import clip_grad_norm_

from cardgym import CardgymError, find
from cardgym.engine.registry import parse_settings
from cardgym.learn.acting import epsilon_greedy
from cardgym.learn.config import STATE_FILE, DQNConfig
from cardgym.learn.dqn.replay import Replay
from cardgym.learn.dqn.targets import double_dqn_target, dqn_target
from cardgym.learn.log import (
    Figures,
    Reporter,
    Stopwatch,
    TensorBoard,
    action_names,
    action_shares,
    conclude,
    draw_action_shares,
    evaluation,
    summary,
)
from cardgym.learn.resume import generator_state, load_resume_state, save_state, set_generator_state
from cardgym.learn.rollouts import Mix, SelfPlayRollout
from cardgym.learn.run import TrainingResult, run_script
from cardgym.learn.schedules import crossed, linear
from cardgym.players.base import resolve
from cardgym.players.networks import NetworkPlayer, QNetwork, greedy_actions, network_shape, save_checkpoint


def train(config: DQNConfig, folder: Path, resume: bool) -> TrainingResult:
    """Train; the figures of the last evaluation against each opponent, and the checkpoint."""
    # -- the game and what learns -------------------------------------------------------------------------------------
    torch.set_num_threads(1)
    game = find(config.env)
    options = game.parse_options(parse_settings(list(config.set)))
    observation_name = config.observation or game.default_observation
    shape = network_shape(game, options, observation_name, config.hidden, config.dueling, config.wide)
    device = choose_device(config.device)
    for name in config.eval_opponents:
        resolve(name, game, options)  # A wrong name is told now, not after minutes of training.

    torch.manual_seed(config.seed)
    online = QNetwork(shape).to(device)
    target = copy.deepcopy(online).requires_grad_(False)
    optimiser = torch.optim.Adam(online.parameters(), lr=config.learning_rate, eps=config.adam_epsilon, fused=True)
    replay = Replay(config.replay_capacity, shape.inputs, shape.actions)
    tables = SelfPlayRollout(
        game,
        options,
        config.tables,
        Mix.parse(config.opponents),
        online,
        observation_name,
        seed=config.seed,
        n_step=config.n_step,
        gamma=config.gamma,
        reward_scale=config.reward_scale,
        snapshots=config.snapshots,
        seat=config.seat,
    )
    exploration, sampling = (np.random.default_rng([config.seed, stream]) for stream in (2, 3))
    learner = NetworkPlayer("learner", online, observation_name)
    decisions = updates = 0

    # -- going on with an interrupted run -----------------------------------------------------------------------------
    parts = {"online": online, "target": target, "optimiser": optimiser, "replay": replay, "tables": tables}
    state_file, checkpoint = folder / STATE_FILE, folder / "model.safetensors"
    if resume and state_file.exists():
        state = load_resume_state(state_file, config)
        for name, part in parts.items():
            part.load_state_dict(state[name])
        set_generator_state(exploration, state["exploration"])
        set_generator_state(sampling, state["sampling"])
        decisions, updates = state["decisions"], state["updates"]

    def save() -> None:
        board.flush()
        plain = {
            "config": json.dumps(dataclasses.asdict(config)),
            "decisions": decisions,
            "updates": updates,
            "exploration": generator_state(exploration),
            "sampling": generator_state(sampling),
        }
        save_checkpoint(checkpoint, online, game, options, observation_name, dataclasses.asdict(config))
        # Last: who resumes from it finds the checkpoint written.
        save_state(state_file, {**plain, **{name: part.state_dict() for name, part in parts.items()}})

    # -- one update ---------------------------------------------------------------------------------------------------
    weights, target_weights = list(online.parameters()), list(target.parameters())
    discount = config.gamma**config.n_step
    sums = torch.zeros(3, device=device)  # Of losses, of mean values, and of updates, since the last line of the log.

    def update() -> None:
        batch = replay.sample(config.batch_size, sampling, device)
        with torch.no_grad():
            next_values = target(batch.next_observations)
            if config.double:
                goals = double_dqn_target(
                    batch.rewards, batch.done, discount, online(batch.next_observations), next_values, batch.next_masks
                )  # fmt: skip
            else:
                goals = dqn_target(batch.rewards, batch.done, discount, next_values, batch.next_masks)
        values = online(batch.observations).gather(1, batch.actions[:, None]).squeeze(1)
        loss = smooth_l1_loss(values, goals)
        optimiser.zero_grad()
        loss.backward()
        if config.max_gradient_norm:
            clip_grad_norm_(weights, config.max_gradient_norm)
        optimiser.param_groups[0]["lr"] = linear(
            decisions, config.learning_rate, config.learning_rate_end, config.decisions
        )
        optimiser.step()
        if (updates + 1) % config.target_every == 0:
            with torch.no_grad():
                for old, new in zip(target_weights, weights, strict=True):
                    old.lerp_(new, config.target_tau)
        with torch.no_grad():
            sums.add_(torch.stack([loss, values.mean(), torch.ones_like(loss)]))

    # -- what is told as training goes --------------------------------------------------------------------------------
    board = TensorBoard(folder, decisions)
    board.config(dataclasses.asdict(config))
    reporter = Reporter(config.decisions, decisions)
    names: dict[int, str] = {}
    watch, first = Stopwatch(), decisions
    lap = (0.0, decisions)

    def log() -> None:
        nonlocal lap
        values = {"epsilon": epsilon, "learning_rate": optimiser.param_groups[0]["lr"]}
        values["decisions_per_second"] = (decisions - lap[1]) / (watch.seconds - lap[0])
        if sums[2] > 0:
            values["loss"], values["mean_q"] = (sums[:2] / sums[2]).tolist()
        sums.zero_()
        lap = (watch.seconds, decisions)
        board.scalars(decisions, values)

    def evaluate(games: int) -> dict[str, Figures]:
        watch.stop()
        found = evaluation(
            game, options, learner, config.eval_opponents, games=games, board=board, step=decisions, seat=config.seat
        )
        names.update(action_names(game, tables.played.batch.states[tables.deciding], tables.masks))
        greedy = greedy_actions(online, tables.observations, tables.masks, device)
        board.picture("actions", decisions, draw_action_shares(action_shares(tables.masks, greedy), names))
        watch.start()
        return found

    # -- training -----------------------------------------------------------------------------------------------------
    try:
        while decisions < config.decisions:
            epsilon = linear(
                decisions,
                config.epsilon_start,
                config.epsilon_end,
                int(config.epsilon_share * config.decisions),
            )
            greedy = greedy_actions(online, tables.observations, tables.masks, device)
            actions = epsilon_greedy(greedy, tables.masks, epsilon, exploration)
            for transitions in tables.step(actions):
                replay.add(transitions)
            before, decisions = decisions, decisions + len(actions)

            due = max(decisions - config.learning_starts, 0) // config.train_every
            while updates < due and replay.size:
                update()
                updates += 1
            if crossed(config.snapshot_every, before, decisions):
                tables.take_snapshot(online)
            if crossed(config.log_every, before, decisions):
                log()
            if config.eval_opponents and crossed(config.eval_every, before, decisions):
                found = evaluate(config.eval_games)
                reporter.say(decisions, summary(found))
            if crossed(config.save_every, before, decisions) or decisions >= config.decisions:
                save()
            reporter.advance(decisions)
        found, seconds = {}, watch.seconds
        if config.final_games and config.eval_opponents:
            reporter.say(decisions, f"last matches, {config.final_games:,} games each")
            found = evaluate(config.final_games)
        speed = {"seconds": seconds, "decisions_per_second": (decisions - first) / seconds}
        conclude(folder, board, dataclasses.asdict(config), decisions, found, **speed)
    finally:
        reporter.close()
        board.close()
    return TrainingResult(f"{config.decisions:,} decisions", found, ("Checkpoint", checkpoint))


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is a GPU where there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise CardgymError("device 'cuda': no GPU to be found here; use cpu or auto")
    return torch.device("cuda" if name == "cuda" or (name == "auto" and torch.cuda.is_available()) else "cpu")


def main(words: list[str]) -> int:
    """Run from the command line; the exit code."""
    description = "Train a DQN or double DQN at a card game."
    return run_script(words, DQNConfig, description, name, train)


def name(config: DQNConfig) -> tuple[str, str]:
    """The game, and what the run is called without a config file."""
    return find(config.env).id, "double_dqn" if config.double else "dqn"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
