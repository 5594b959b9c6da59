"""The paper on Corellian Spike, reproduced."""
