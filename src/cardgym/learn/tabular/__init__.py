"""Q-learning and Sarsa over tables."""
