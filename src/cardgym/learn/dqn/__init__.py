"""Deep Q-learning: hyper-parameters, targets, learner."""
