""" "CS238: Reinforcement Learning for solving Coda Game", rerun."""
