"""The paper on Corellian Spike by batch Q-learning, rerun."""
