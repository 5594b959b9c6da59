"""Deep Q-learning: replay buffer, targets, learner."""
