"""Experiments that start trainings: exploit, sweep and league, through one launcher."""
