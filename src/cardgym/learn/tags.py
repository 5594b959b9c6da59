"""The names of the curves that a run writes for TensorBoard, in the groups that users of CleanRL and
Stable-Baselines3 know. All scripts take them from here, and `cardgym.learn.tensorboard` reads them back.

| group | content |
|---|---|
| `eval/<metric>/<opponent>` | evaluations during the training, such as `eval/win_rate/random` |
| `eval/exploitability` | the exact exploitability, in games that are small enough |
| `eval_ci95/<metric>/<opponent>/lower` and `/upper` | the ends of their 95 % intervals |
| `final/<metric>/<opponent>` | the last, larger evaluation: one point, also shown with the hyper-parameters |
| `charts` | speed, and the games that the learner plays in training |
| `train` | the algorithm's settings at that step |
| `losses` | figures of its updates |
"""

from __future__ import annotations

import re

Metrics = dict[str, tuple[float, tuple[float, float] | None]]
"""Metrics of a match by name, each with its 95 % interval if it has one."""

WIN_RATE = "win_rate"

EVAL = "eval/"
EXPLOITABILITY = "eval/exploitability"
EVAL_CI95 = "eval_ci95/"
FINAL = "final/"
LOWER, UPPER = "/lower", "/upper"

SPS = "charts/SPS"
"""Steps a second since the last entry, without evaluations; a step is a decision of the learner."""
EPISODIC_RETURN = "charts/episodic_return"
"""Mean over the games of training that ended since the last entry: what the learner was paid in one seat."""
EPISODIC_LENGTH = "charts/episodic_length"
"""Mean over the same games: how many decisions the learner took in one seat."""

TRAIN = "train/"
EPSILON = "train/epsilon"

TD_LOSS = "losses/td_loss"
Q_VALUES = "losses/q_values"
"""The mean value of the actions in the samples."""
SL_LOSS = "losses/sl_loss"
"""The average policy's loss, of imitation."""
POLICY_LOSS = "losses/policy_loss"
VALUE_LOSS = "losses/value_loss"
ENTROPY = "losses/entropy"
MAGNET_KL = "losses/magnet_kl"
APPROX_KL = "losses/approx_kl"
CLIP_FRACTION = "losses/clipfrac"
CROSS_ENTROPY = "losses/cross_entropy"
TEACHER_KL = "losses/teacher_kl"
"""KL divergence from the teacher's choice of action to the network's."""
AGREEMENT = "losses/agreement"
"""The share of decisions in which both find the same action most probable."""
EXPLAINED_VARIANCE = "losses/explained_variance"


def opponent_in_tags(opponent: str) -> str:
    """Return an opponent's name as tags have it: TensorBoard allows letters, digits, `.`, `-`, `_` and `/`."""
    return re.sub(r"[^-/\w.]", "_", opponent).strip("/")


def eval_tag(metric: str, opponent: str) -> str:
    """Return the tag of a metric against an `opponent` in the evaluations during training."""
    return f"{EVAL}{metric}/{opponent_in_tags(opponent)}"


def ci95_tags(metric: str, opponent: str) -> tuple[str, str]:
    """Return the tags of the lower and the upper end of the 95 % interval of a `metric` against an `opponent`."""
    stem = f"{EVAL_CI95}{metric}/{opponent_in_tags(opponent)}"
    return stem + LOWER, stem + UPPER


def final_tag(metric: str, opponent: str) -> str:
    """Return the tag of a metric against an `opponent` in the final evaluation."""
    return f"{FINAL}{metric}/{opponent_in_tags(opponent)}"
