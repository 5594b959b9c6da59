"""Games as Gymnasium envs (single and vector) and as PettingZoo AEC envs."""
