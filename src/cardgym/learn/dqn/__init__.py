"""Deep Q-learning: replay, targets, the learner."""
