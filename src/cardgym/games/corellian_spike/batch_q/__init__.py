"""The batch Q-learning of the Corellian Spike paper."""
