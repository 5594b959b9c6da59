"""Sweeps: one training script with many seeds and settings, on any engine, reported together."""
